// SPDX-License-Identifier: GPL-3.0-or-later
package import LifetraceJSON

/// Cuts what a client sends into messages: `Content-Length: 119`, an empty line, so many bytes of JSON.
///
///     var reader = MessageReader()
///     reader.append(bytes)
///     while let message = try reader.next() { … }
///
/// No length is believed: one that is too large ends the session, as nobody knows where the next message
/// would begin. A body that is no JSON is passed over.
package struct MessageReader {
  /// The lines in front of a body have no more bytes.
  package static let headerBytesMax = 4_096
  /// A body has no more bytes.
  package static let bodyBytesMax = 1 << 20

  /// What is wrong with what was sent.
  package enum Problem: Error, Equatable {
    /// Where the next message begins is not known any more.
    case framing(String)
    /// This one is no JSON.
    case body(String)
  }

  private var bytes: [UInt8] = []
  private var start = 0

  /// A reader that has got nothing yet.
  package init() {}

  /// Takes what has arrived.
  package mutating func append(_ more: some Sequence<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += more
  }

  /// The next message that is there as a whole; nil where more has to arrive.
  package mutating func next() throws(Problem) -> JSON? {
    guard let (length, body) = try header() else { return nil }
    guard bytes.count - body >= length else { return nil }
    start = body + length
    do throws(JSONError) {
      return try JSON(parsing: bytes[body..<start], bytesMax: Self.bodyBytesMax)
    } catch {
      throw .body("a message is no JSON: \(error)")
    }
  }

  /// The length of the next body, and where it begins; nil where the header is not all there.
  private func header() throws(Problem) -> (length: Int, body: Int)? {
    var length: Int?
    var line = start
    while let end = bytes[line...].prefix(Self.headerBytesMax).firstIndex(of: 0x0a) {
      guard end - start <= Self.headerBytesMax else { break }
      let text = String(decoding: bytes[line..<end], as: UTF8.self)
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
      line = end + 1
      guard !text.isEmpty else {
        guard let length else {
          throw .framing("a message has no Content-Length")
        }
        return (length, line)
      }
      guard text.lowercased().hasPrefix("content-length:") else { continue }
      let digits = text.drop { $0 != ":" }.dropFirst().drop { $0 == " " }
      guard let value = Int(digits), 0...Self.bodyBytesMax ~= value else {
        throw .framing(
          "Content-Length is \(digits.prefix(20)); at most \(Self.bodyBytesMax) will do"
        )
      }
      length = value
    }
    guard bytes.count - start <= Self.headerBytesMax else {
      throw .framing("a message begins with more than \(Self.headerBytesMax) bytes of header")
    }
    return nil
  }
}
