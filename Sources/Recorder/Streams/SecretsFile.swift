// SPDX-License-Identifier: Apache-2.0

import LifetracePlatform

/// The secrets that were given numbers, in order, in a file of the session's private directory.
///
/// The pools beside it hold them too, and like those it goes with the session. So the same secret
/// has the same number before and after a recorder's death.
final class SecretsFile {
  /// The secrets that were there when it was opened.
  let known: [String]
  private let fd: Int32
  private var bytes: Int

  static var bytesMax: Int { 64 << 20 }

  /// - Throws: When there is such a file that cannot be read: its numbers would be given again.
  init(in directory: String) throws(RecorderError) {
    let path = directory + "/redacted"
    do throws(SmallFile.Failure) {
      known = Self.entries(try SmallFile.bytes(of: path, bytesMax: Self.bytesMax))
    } catch {
      guard error.code == ENOENT else {
        throw .system(action: "read", subject: path, errno: error.code)
      }
      known = []
    }
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    // Behind a torn entry nothing could be read.
    bytes = known.reduce(0) { $0 + Self.entry($1).count }
    if fd >= 0 { _ = ftruncate(fd, off_t(bytes)) }
  }

  deinit { if fd >= 0 { close(fd) } }

  func keep(_ secret: String) {
    let entry = Self.entry(secret)
    // What would not be read again is not written either.
    guard fd >= 0, bytes + entry.count <= Self.bytesMax else { return }
    bytes += entry.count
    _ = Descriptor.write(entry, to: fd)
  }

  /// Its length, a blank, the bytes.
  private static func entry(_ secret: String) -> [UInt8] {
    Array("\(secret.utf8.count) ".utf8) + Array(secret.utf8)
  }

  private static func entries(_ bytes: [UInt8]) -> [String] {
    var entries: [String] = []
    var rest = bytes[...]
    while let blank = rest.firstIndex(of: 0x20),
      let count = Int(String(decoding: rest[..<blank], as: UTF8.self)),
      count >= 0, count < rest.endIndex - blank
    {
      let end = blank + 1 + count
      entries.append(String(decoding: rest[(blank + 1)..<end], as: UTF8.self))
      rest = rest[end...]
    }
    return entries
  }
}
