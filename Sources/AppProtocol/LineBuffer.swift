// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON

/// Cuts what a socket gave into lines, and refuses a line without end.
///
///     buffer.append(bytes)
///     while let line = try buffer.next() { … }
package struct LineBuffer: Sendable {
  private var bytes: [UInt8] = []
  private var start = 0

  /// The line that has begun is longer than ``JSON/lineBytesMax``.
  package struct Overlong: Error {}

  package init() {}

  package mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

  /// The next whole line without its newline, or nil until more has come.
  package mutating func next() throws(Overlong) -> ArraySlice<UInt8>? {
    guard let end = bytes[start...].firstIndex(of: 0x0a) else {
      bytes.removeFirst(start)
      start = 0
      if bytes.count > JSON.lineBytesMax { throw Overlong() }
      return nil
    }
    defer { start = end + 1 }
    return bytes[start..<end]
  }
}
