// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform

extension OTLPBatch {
  /// A file that is longer is refused.
  package static let fileBytesMax = 256 << 20
  /// So is one that is longer inflated.
  package static let inflatedFileBytesMax = 1 << 30

  /// Reads a file, `-` for standard input.
  ///
  /// - Throws: ``OTLPError`` with what could not be read, and why.
  package init(path: String) throws(OTLPError) {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.unreadable(errno) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var (bytes, room) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 18))
    while true {
      let count = read(descriptor, &room, room.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.unreadable(errno) }
      guard count > 0 else { break }
      bytes += room[..<count]
      guard bytes.count <= Self.fileBytesMax else {
        throw OTLPError("is longer than \(Self.fileBytesMax) bytes: give several files")
      }
    }
    try self.init(bytes, inflatedBytesMax: Self.inflatedFileBytesMax)
  }

  private static func unreadable(_ code: Int32) -> OTLPError {
    OTLPError("cannot be read: \(errnoText(code))", isUnreadable: true)
  }
}
