// SPDX-License-Identifier: Apache-2.0

/// The number with which the system refused to read or write, in words.
///
///     ErrorNumber.words(13)      // 13 (EACCES, permission denied)
///
/// A recording may come from another system, so only those are named that mean the same on Linux and
/// on Apple's systems, and some that one of them alone has.
package enum ErrorNumber {
  /// What those mean that have words.
  package static let known: [Int64: String] = [
    1: "EPERM, operation not permitted",
    2: "ENOENT, no such file or directory",
    4: "EINTR, interrupted",
    5: "EIO, input or output error",
    6: "ENXIO, no such device",
    9: "EBADF, not an open file",
    12: "ENOMEM, out of memory",
    13: "EACCES, permission denied",
    16: "EBUSY, in use",
    17: "EEXIST, file exists",
    18: "EXDEV, on another file system",
    20: "ENOTDIR, not a directory",
    21: "EISDIR, a directory",
    22: "EINVAL, invalid argument",
    23: "ENFILE, too many open files in the system",
    24: "EMFILE, too many open files",
    26: "ETXTBSY, a program that runs",
    27: "EFBIG, file too large",
    28: "ENOSPC, no space left on the device",
    30: "EROFS, read-only file system",
    32: "EPIPE, nobody reads it",
    116: "ESTALE, the file is gone from its server",
    122: "EDQUOT, disk quota exceeded",
    -25300: "errSecItemNotFound, not in the keychain",
    -25308: "errSecInteractionNotAllowed, the keychain is locked",
  ]

  /// The number, and what it means where that is known.
  package static func words(_ number: Int64) -> String {
    known[number].map { "\(number) (\($0))" } ?? "\(number)"
  }
}
