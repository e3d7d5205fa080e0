// SPDX-License-Identifier: Apache-2.0

/// The distinct strings of many chunks, so that a text that is in none of them needs no chunk.
///
///     var strings = ChunkStrings()
///     strings.add(payload: chunk.payload)       // for each chunk
///     strings.all                               // nil: there are too many
///
/// They are those of the chunks' tables, which rows and sites use, and those of keyframes, in which
/// stands what was begun in chunks before. Costs some 30 ns a string of a chunk.
package struct ChunkStrings: Sendable {
  /// The most bytes that all of them take, a length for each included, before they are compressed.
  package static let bytesMax = 1 << 20
  /// The most of them.
  package static let countMax = 1 << 15

  private var names = Names()
  private var isWhole = true

  /// None.
  package init() {}

  /// Every string, the empty one left out; nil where there are too many, or some are not known.
  package var all: ArraySlice<String>? { isWhole ? names.strings.dropFirst() : nil }

  /// At least as many bytes as ``encode()`` makes.
  package var bytesMax: Int { isWhole ? names.textBytes + names.strings.count * 3 + 3 : 0 }

  /// Adds those of a chunk whose payload is not compressed; where it is damaged, not all are known.
  package mutating func add(payload: [UInt8]) {
    guard isWhole else { return }
    do throws(ChunkDamage) {
      try learn(payload)
    } catch {
      isWhole = false
    }
    if names.strings.count > Self.countMax || bytesMax > Self.bytesMax { isWhole = false }
    if !isWhole { names = Names() }
  }

  private mutating func learn(_ payload: [UInt8]) throws(ChunkDamage) {
    var input = ByteReader(payload)
    var strings = try LocalStrings(from: &input)
    guard strings.byteCount <= Self.bytesMax, strings.count <= Self.countMax else {
      return isWhole = false
    }
    strings.internAll(in: &names)
    _ = try TableReader.sites(from: &input, strings: strings)
    _ = try TableReader.kinds(from: &input, strings: &strings, names: &names)
    _ = try TableReader.threads(from: &input, rows: Chunk.rowsMax)
    let length = try input.count("keyframe", max: Chunk.keyframeBytesMax)
    guard length > 0 else { return }
    guard Chunk.readsKeyframe(ofVersion: try input.byte("keyframe version")) else {
      return isWhole = false
    }
    for _ in 0..<(try input.count("strings", max: length, bytesEach: 1)) {
      let length = try input.count("string bytes", max: Chunk.stringBytesMax)
      let range = try input.take(length, "string")
      payload.withUnsafeBufferPointer {
        _ = names.intern(utf8: UnsafeBufferPointer(rebasing: $0[range]))
      }
    }
  }

  /// As the index has them: how many, the length of each, all bytes; nil where they are not all known.
  package func encode() -> [UInt8]? {
    guard let all else { return nil }
    var out = ByteWriter()
    out.varint(all.count)
    for string in all { out.varint(string.utf8.count) }
    for string in all { out.bytes += string.utf8 }
    return out.bytes
  }

  /// The strings that ``encode()`` wrote, whose bytes are all of `bytes`.
  package static func decode(_ bytes: [UInt8]) throws(ChunkDamage) -> [String] {
    var input = ByteReader(bytes)
    let count = try input.count("strings", max: countMax, bytesEach: 1)
    var lengths: [Int] = []
    lengths.reserveCapacity(count)
    for _ in 0..<count {
      lengths.append(try input.count("string bytes", max: Chunk.stringBytesMax))
    }
    var strings: [String] = []
    strings.reserveCapacity(count)
    for length in lengths {
      strings.append(String(decoding: bytes[try input.take(length, "string")], as: UTF8.self))
    }
    guard input.remaining == 0 else {
      throw ChunkDamage(
        "strings",
        found: UInt64(input.remaining),
        expected: "no byte behind them",
        at: input.position
      )
    }
    return strings
  }
}
