// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import LifetraceTrace

/// How a command says what went wrong before it leaves.
enum Failure {
  /// `lifetrace: …` on standard error.
  ///
  /// Parts from elsewhere went through ``Printable/line(_:)`` before, so that none begins a line.
  static func say(_ message: String) {
    _ = Descriptor.write("lifetrace: \(Printable.text(message))\n", to: STDERR_FILENO)
  }
}
