// SPDX-License-Identifier: Apache-2.0

/// Appends the primitive values of the format to bytes: little-endian words, LEB128 varints,
/// strings with a length before them.
public struct ByteWriter: Sendable {
  /// What was written so far.
  public var bytes: [UInt8] = []

  /// A writer without bytes.
  public init() {}

  /// How many bytes were written.
  public var count: Int { bytes.count }

  /// Appends a byte.
  public mutating func byte(_ value: UInt8) { bytes.append(value) }

  /// A little-endian word of the integer's width.
  public mutating func word<T: FixedWidthInteger & UnsignedInteger>(_ value: T) {
    var rest = value
    for _ in 0..<(T.bitWidth / 8) {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest = T.bitWidth > 8 ? rest >> 8 : 0
    }
  }

  /// Seven bits a byte, least significant first; at most ten bytes.
  public mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// A count, which must not be negative.
  public mutating func varint(_ value: Int) { varint(UInt64(value)) }

  /// A signed number: zigzag, then a varint.
  public mutating func signed(_ value: Int64) { varint(zigzag(value)) }

  /// A length, then the UTF-8 bytes.
  public mutating func string(_ value: String) {
    varint(value.utf8.count)
    bytes.append(contentsOf: value.utf8)
  }

  /// A length, then the bytes.
  public mutating func block(_ value: [UInt8]) {
    varint(value.count)
    bytes.append(contentsOf: value)
  }
}

/// Signed to unsigned with small magnitudes staying small: 0, -1, 1, -2 become 0, 1, 2, 3.
@inlinable
public func zigzag(_ value: Int64) -> UInt64 {
  UInt64(bitPattern: (value << 1) ^ (value >> 63))
}

/// The number that ``zigzag(_:)`` folded.
@inlinable
public func unzigzag(_ value: UInt64) -> Int64 {
  Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
}
