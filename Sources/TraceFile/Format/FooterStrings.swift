// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// What an index says of the distinct strings of its chunks, behind all that it says of each chunk.
///
/// It is decompressed when it is asked for: nobody needs it to open a trace.
enum FooterStrings {
  /// There are too many, some are not known, or the index was written before they were listed.
  case partial
  /// All of them, compressed; `bytes` is their size before.
  case whole(compressed: [UInt8], bytes: Int)
  /// What was read is no list of strings; the rest of the index is.
  case damaged(ChunkDamage)

  private static let wholeFlag: UInt8 = 1

  /// Those of chunks.
  init(_ strings: ChunkStrings, compressor: Compressor) {
    guard let list = strings.encode() else {
      self = .partial
      return
    }
    self = .whole(compressed: compressor.compress(list, cuts: []), bytes: list.count)
  }

  /// What stands behind the chunks of an index, to its end.
  init(from input: inout ByteReader) {
    guard input.remaining > 0 else {
      self = .partial
      return
    }
    do throws(ChunkDamage) {
      guard try input.byte("strings") & Self.wholeFlag != 0 else {
        self = .partial
        return
      }
      let bytes = try input.count("bytes of strings", max: ChunkStrings.bytesMax)
      let compressed = try input.block("compressed strings", max: input.remaining)
      self = .whole(compressed: compressed, bytes: bytes)
    } catch {
      self = .damaged(error)
    }
  }

  func encode(into out: inout ByteWriter, bytesMax: Int) {
    var own = ByteWriter()
    if case .whole(let compressed, let bytes) = self {
      own.byte(Self.wholeFlag)
      own.varint(bytes)
      own.block(compressed)
    } else {
      own.byte(0)
    }
    if own.count <= bytesMax { out.bytes += own.bytes }
  }

  /// The strings; nil where they are not all listed.
  func all(_ decompressor: Decompressor) throws(ChunkDamage) -> [String]? {
    switch self {
    case .partial: return nil
    case .damaged(let damage): throw damage
    case .whole(let compressed, let bytes):
      let list: [UInt8]
      do throws(DecompressionError) {
        list = try decompressor.decompress(compressed[...], count: bytes)
      } catch {
        throw ChunkDamage(
          "compressed strings",
          found: UInt64(compressed.count),
          expected: "a zstd frame of \(bytes) bytes (\(error.text))",
          at: 0
        )
      }
      return try ChunkStrings.decode(list)
    }
  }
}
