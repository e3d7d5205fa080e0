// SPDX-License-Identifier: Apache-2.0

/// The limits of a chunk: everything read from a file is bounded by one of them before it is believed.
public enum Chunk {
  /// The most events in one chunk.
  public static let rowsMax = 16_384
  /// Rows that decode together; deltas and open spans start afresh at each stride.
  public static let strideRows = 4_096
  /// How many strides a chunk has at most.
  static let stridesMax = rowsMax / strideRows
  /// The most bytes of a payload before compression.
  public static let payloadBytesMax = 64 << 20
  /// The most bytes of a payload after compression.
  public static let compressedBytesMax = payloadBytesMax + (payloadBytesMax >> 7) + 4_096
  /// The most bytes of a chunk's header.
  public static let headerBytesMax = 1 << 20
  /// The most bytes of one string; longer ones are cut and end in "…".
  public static let stringBytesMax = 16_384
  /// Once a chunk's strings have this many bytes, further ones are cut to ``stringBytesShort``.
  public static let stringsBytesMax = 32 << 20
  /// Stands for a string in a chunk whose strings have too many bytes.
  public static let stringBytesShort = 64
  /// A reader that meets more bytes of strings than this in a chunk keeps those only which a row uses.
  public static let stringsBytesPlain = 1 << 20
  /// The most bytes of a keyframe.
  public static let keyframeBytesMax = 8 << 20
  /// The version of the fold whose keyframes this version writes and reads: their first byte.
  public static let keyframeVersion: UInt8 = 6
  /// The version of keyframes that say how often locks are held.
  ///
  /// It is written only where a lock is held more than once, or by nobody that said so. 7 is in no keyframe:
  /// test vectors have it for one that nobody knows.
  public static let lockKeyframeVersion: UInt8 = 8
  /// Whether keyframes of that version are read.
  public static func readsKeyframe(ofVersion version: UInt8) -> Bool {
    version == keyframeVersion || version == lockKeyframeVersion
  }
  /// The most labels of one site.
  public static let labelsMax = 16
  /// The most fields of one kind.
  public static let fieldsMax = 16
  /// The most clock brackets of one header.
  public static let clocksMax = 1_024

  /// How many strides hold `rows` rows.
  public static func strides(rows: Int) -> Int { (rows + strideRows - 1) / strideRows }
}

/// What is wrong with the bytes of a chunk.
///
///     throw ChunkDamage("thread index", found: 9, expected: "below 4", at: 1_204)
///
/// Where the chunk stands in its file is added by the reader of the file.
public struct ChunkDamage: Error, Equatable, Sendable, CustomStringConvertible {
  /// The part that is wrong.
  public var part: String
  /// The number found there.
  public var found: UInt64
  /// What would have done.
  public var expected: String
  /// The byte within the header, the payload or the keyframe.
  public var offset: Int
  /// Whether the number is a word of the format or a checksum, which is printed in its own way.
  public var isWord = false

  /// Damage of `part`, at that byte of the chunk.
  public init(_ part: String, found: UInt64, expected: String, at offset: Int) {
    self.part = part
    self.found = found
    self.expected = expected
    self.offset = offset
  }

  /// Damage of a word: both are printed in hexadecimal.
  public init(_ part: String, found: UInt32, expected: UInt32, at offset: Int) {
    self.init(part, found: UInt64(found), expected: Self.hexadecimal(expected), at: offset)
    isWord = true
  }

  /// What was found there, as it is printed.
  public var foundText: String {
    isWord ? Self.hexadecimal(UInt32(truncatingIfNeeded: found)) : "\(found)"
  }

  /// `thread index at byte 1204 is 9, expected below 4`.
  public var description: String {
    "\(part) at byte \(offset) is \(foundText), expected \(expected)"
  }

  /// The word as eight digits: `0x184D2A5C`.
  public static func hexadecimal(_ word: UInt32) -> String {
    let digits = String(word, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}
