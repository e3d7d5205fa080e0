// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The secrets that were given numbers, in order, in a file of the session's private directory.
///
/// The pools beside it hold them too, and like those it goes with the session. So the same secret
/// has the same number before and after a recorder's death.
final class SecretsFile {
  /// What was there.
  let known: [String]
  private let fd: Int32

  static var bytesMax: Int { 64 << 20 }

  init(in directory: String) {
    let path = directory + "/redacted"
    known = Self.entries(readSmallFile(path, bytesMax: Self.bytesMax) ?? [])
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    // Behind a torn entry nothing could be read.
    let whole = known.reduce(0) { $0 + Self.entry($1).count }
    if fd >= 0 { _ = ftruncate(fd, off_t(whole)) }
  }

  deinit { if fd >= 0 { close(fd) } }

  func keep(_ secret: String) {
    if fd >= 0 { _ = writeAll(fd, Self.entry(secret)) }
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
