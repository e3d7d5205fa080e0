// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// How a command says what went wrong before it leaves.
enum Failure {
  /// `lifetrace: …` on standard error.
  static func say(_ message: String) {
    let bytes = Array("lifetrace: \(message)\n".utf8)
    _ = bytes.withUnsafeBytes { Descriptor.write($0, to: STDERR_FILENO) }
  }
}
