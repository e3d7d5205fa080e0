// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import LifetraceWords

/// How far work is whose end is not known, on standard error, where that is a terminal.
struct LiveCount {
  private let isShown = isatty(STDERR_FILENO) == 1

  /// Puts `text` in place of what was shown before.
  func show(_ text: String) {
    if isShown { _ = Descriptor.write(Paint.clearLine + text, to: STDERR_FILENO) }
  }

  /// Makes room for other lines.
  func clear() { if isShown { _ = Descriptor.write(Paint.clearLine, to: STDERR_FILENO) } }
}
