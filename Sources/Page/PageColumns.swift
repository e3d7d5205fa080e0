// SPDX-License-Identifier: Apache-2.0

/// Numbers for the page, packed: 7 bits a byte, the last byte of each below 128.
///
///     var columns = PageColumns()
///     let place = columns.add { $0.number(300) }      // 2 bytes at `place`
///     columns.base64
struct PageColumns {
  private(set) var bytes: [UInt8] = []

  /// Adds what `write` writes, and says where it begins.
  mutating func add(_ write: (inout PageColumns) -> Void) -> Int {
    let place = bytes.count
    write(&self)
    return place
  }

  mutating func number(_ value: UInt64) {
    var rest = value
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func number(_ value: some BinaryInteger) { number(UInt64(clamping: value)) }

  /// A number that may be negative; small ones of both signs are short.
  mutating func signed(_ value: Int64) { number(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }

  mutating func append(_ other: PageColumns) { bytes += other.bytes }

  /// As letters that stand in any page as they are.
  var base64: String {
    var out: [UInt8] = []
    out.reserveCapacity((bytes.count + 2) / 3 * 4)
    var at = 0
    while at < bytes.count {
      let some = bytes[at..<min(at + 3, bytes.count)]
      var bits = some.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      bits <<= UInt32(3 - some.count) * 8
      for place in 0..<4 {
        let isData = place <= some.count
        out.append(isData ? Self.letters[Int(bits >> UInt32(18 - 6 * place) & 63)] : 0x3d)
      }
      at += 3
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )
}
