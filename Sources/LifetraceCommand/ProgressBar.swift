// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform

/// How far long work is, on standard error, where that is a terminal.
struct ProgressBar {
  private static let width = 30
  private let total: Int
  private let isShown: Bool

  /// For `total` steps; nothing is shown for a single one.
  init(total: Int) {
    self.total = total
    isShown = total > 1 && isatty(STDERR_FILENO) == 1
  }

  /// `done` steps are behind.
  func show(_ done: Int) {
    guard isShown else { return }
    let full = Self.width * done / total
    let bar =
      String(repeating: "#", count: full) + String(repeating: ".", count: Self.width - full)
    _ = Descriptor.write("\r[\(bar)] \(done) of \(total)\u{1b}[K", to: STDERR_FILENO)
  }

  /// Makes room for other lines.
  func clear() {
    if isShown { _ = Descriptor.write("\r\u{1b}[K", to: STDERR_FILENO) }
  }
}
