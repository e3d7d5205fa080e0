// SPDX-License-Identifier: Apache-2.0

/// Takes the primitive values of the format from bytes that may be damaged.
///
/// Every length is compared with the bytes that are left, and with a limit, before anything is
/// allocated.
public struct ByteReader {
  /// The bytes to read from.
  public let bytes: [UInt8]
  /// The next byte to be read.
  public private(set) var position: Int
  /// The offset at which reading ends.
  public let end: Int

  /// Reads `bytes` within `range`, which must lie inside.
  public init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    self.bytes = bytes
    position = range?.lowerBound ?? 0
    end = range?.upperBound ?? bytes.count
    precondition(position >= 0 && end <= bytes.count)
  }

  /// How many bytes are left.
  public var remaining: Int { end - position }

  private func require(_ count: Int, _ part: StaticString) throws(ChunkDamage) {
    guard count <= remaining else {
      throw ChunkDamage(
        "\(part)",
        found: UInt64(remaining),
        expected: "\(count) more bytes",
        at: position
      )
    }
  }

  /// The next byte.
  public mutating func byte(_ part: StaticString) throws(ChunkDamage) -> UInt8 {
    try require(1, part)
    defer { position += 1 }
    return bytes[position]
  }

  /// The next word, little-endian.
  public mutating func word<T: FixedWidthInteger & UnsignedInteger>(
    _ part: StaticString,
    as type: T.Type = T.self
  ) throws(ChunkDamage) -> T {
    let width = T.bitWidth / 8
    try require(width, part)
    var value: UInt64 = 0
    for index in 0..<width { value |= UInt64(bytes[position + index]) << UInt64(8 * index) }
    position += width
    return T(truncatingIfNeeded: value)
  }

  /// A LEB128 number without a sign.
  public mutating func varint(_ part: StaticString) throws(ChunkDamage) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte(part)
      guard shift < 63 || next <= 1 else {
        throw ChunkDamage("\(part)", found: UInt64(next), expected: "64 bits", at: position - 1)
      }
      value |= UInt64(next & 0x7f) << shift
      if next & 0x80 == 0 { return value }
      shift += 7
    }
  }

  /// A LEB128 number with a sign.
  public mutating func signed(_ part: StaticString) throws(ChunkDamage) -> Int64 {
    unzigzag(try varint(part))
  }

  /// A count or id that must not be above `limit`.
  public mutating func count(_ part: StaticString, max limit: Int) throws(ChunkDamage) -> Int {
    let start = position
    let value = try varint(part)
    guard value <= UInt64(limit) else {
      throw ChunkDamage("\(part)", found: value, expected: "at most \(limit)", at: start)
    }
    return Int(value)
  }

  /// A count of things that take at least `bytesEach` bytes of what is left.
  public mutating func count(
    _ part: StaticString,
    max limit: Int,
    bytesEach: Int
  ) throws(ChunkDamage) -> Int {
    let value = try count(part, max: limit)
    try require(value * bytesEach, part)
    return value
  }

  /// The next `count` bytes; throws where fewer are left.
  public mutating func take(_ count: Int, _ part: StaticString) throws(ChunkDamage) -> Range<Int> {
    try require(count, part)
    defer { position += count }
    return position..<(position + count)
  }

  /// A length, then bytes.
  public mutating func block(
    _ part: StaticString,
    max limit: Int
  ) throws(ChunkDamage) -> [UInt8] {
    let length = try count(part, max: limit)
    return Array(bytes[try take(length, part)])
  }

  /// A length, then UTF-8; wrong bytes read as U+FFFD.
  public mutating func string(_ part: StaticString, max limit: Int) throws(ChunkDamage) -> String {
    let length = try count(part, max: limit)
    return String(decoding: bytes[try take(length, part)], as: UTF8.self)
  }
}
