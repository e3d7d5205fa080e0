// SPDX-License-Identifier: Apache-2.0

/// A file that is read as a whole.
///
///     let text = try SmallFile.text(of: path)
///     let stat = SmallFile.bytesIfReadable("/proc/1/stat")     // the reason does not matter
///
/// It is read up to its end, since files of `/proc` have no size. A failed read is never taken for
/// the end, and neither is a file that is larger than it may be.
package enum SmallFile {
  /// Files are no larger, unless said otherwise.
  package static let bytesMax = 1 << 20

  /// Why a file was not read.
  package struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The path of the file.
    package var path: String
    /// What the system says; `EFBIG` for a file that is larger than it may be.
    package var code: Int32
    /// How large it may be.
    package var bytesMax: Int

    /// The reason, without the path.
    package var reason: String {
      code == EFBIG ? "it is larger than \(bytesMax) bytes" : errnoText(code)
    }
    /// One sentence with the path.
    package var description: String { "cannot read \(path): \(reason)" }
  }

  /// All of its bytes.
  package static func bytes(of path: String, bytesMax: Int = bytesMax) throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(path: path, code: errno, bytesMax: bytesMax) }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var portion = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(descriptor, &portion, portion.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure(path: path, code: errno, bytesMax: bytesMax) }
      if count == 0 { return content }
      guard content.count + count <= bytesMax else {
        throw Failure(path: path, code: EFBIG, bytesMax: bytesMax)
      }
      content.append(contentsOf: portion[..<count])
    }
  }

  /// The same as text.
  package static func text(of path: String, bytesMax: Int = bytesMax) throws(Failure) -> String {
    String(decoding: try bytes(of: path, bytesMax: bytesMax), as: UTF8.self)
  }

  /// All of its bytes, or nil for whatever reason.
  package static func bytesIfReadable(_ path: String, bytesMax: Int = bytesMax) -> [UInt8]? {
    try? bytes(of: path, bytesMax: bytesMax)
  }

  /// The text without line breaks at its end, or nil for whatever reason.
  package static func lineIfReadable(_ path: String) -> String? {
    guard var bytes = bytesIfReadable(path) else { return nil }
    while bytes.last == 10 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}
