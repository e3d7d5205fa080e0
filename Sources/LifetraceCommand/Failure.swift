// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import LifetraceSystem

/// How a command says what went wrong before it leaves.
enum Failure {
  /// `lifetrace: …` on standard error.
  static func say(_ message: String) {
    _ = Descriptor.write("lifetrace: \(message)\n", to: STDERR_FILENO)
  }
}
