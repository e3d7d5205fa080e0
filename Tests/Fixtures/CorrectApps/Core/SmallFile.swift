// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A few bytes that an app keeps for itself, which no user would miss.
struct SmallFile: Sendable {
  private static let bytesMax = 64

  let path: String

  /// Nil where nothing is kept.
  var content: [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: Self.bytesMax)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }

  /// Puts as many bytes as before into the place of those that are there, or into a new file.
  func put(_ bytes: [UInt8]) {
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    _ = pwrite(file, bytes, bytes.count, 0)
  }

  func remove() { unlink(path) }
}
