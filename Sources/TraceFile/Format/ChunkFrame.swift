// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// A chunk as it stands in a file: a skippable frame with the header, then one zstd frame.
///
///     0   u32  0x184D2A5C          16  u16 version, u16 flags
///     4   u32  bytes that follow   20  u32 payload bytes, u32 before compression, u32 CRC-32C
///     8   "LTRCHUNK"               32  header fields …, last u32: CRC-32C of all before it
struct ChunkFrame {
  var header: ChunkHeader
  /// Bytes of the skippable frame.
  var headerBytes: Int
  /// Bytes of the zstd frame.
  var payloadBytes: Int
  /// Bytes of the payload before compression.
  var rawBytes: Int
  var headerChecksum: UInt32
  var payloadChecksum: UInt32

  /// The length of both frames in bytes.
  var totalBytes: Int { headerBytes + payloadBytes }

  private static let fieldsOffset = 32
  private static let keepsLastFlag: UInt16 = 1
  private static let settlesFlag: UInt16 = 2
  private static let settledFlag: UInt16 = 4

  private static func flags(of header: ChunkHeader) -> UInt16 {
    let settling: UInt16 =
      switch header.settling {
      case .none: 0
      case .open: settlesFlag
      case .settled: settlesFlag | settledFlag
      }
    return settling | (header.keepsLast ? keepsLastFlag : 0)
  }

  private static func settling(_ flags: UInt16) -> Settling {
    guard flags & settlesFlag != 0 else { return .none }
    return flags & settledFlag != 0 ? .settled : .open
  }

  /// The bytes of a chunk, ready to be appended to a file or sent; the payload is compressed in its
  /// place behind the header.
  static func encode(
    _ chunk: EncodedChunk,
    compressor: Compressor
  ) -> (bytes: [UInt8], frame: ChunkFrame) {
    var out = ByteWriter()
    out.word(TraceFormat.chunkFrameMagic)
    out.word(UInt32(0))
    out.bytes += TraceFormat.chunkMagic
    out.word(TraceFormat.version)
    out.word(flags(of: chunk.header))
    let payloadFields = out.count
    out.word(UInt32(0))
    out.word(UInt32(chunk.payload.count))
    out.word(UInt32(0))
    chunk.header.encode(into: &out)
    let checksumField = out.count
    out.word(UInt32(0))
    precondition(out.count <= Chunk.headerBytesMax, "the header is too large")
    var bytes = compressor.compress(chunk.payload, cuts: chunk.cuts, behind: out.bytes)
    var frame = ChunkFrame(
      header: chunk.header,
      headerBytes: out.count,
      payloadBytes: bytes.count - out.count,
      rawBytes: chunk.payload.count,
      headerChecksum: 0,
      payloadChecksum: checksum(bytes[out.count...])
    )
    put(UInt32(out.count - 8), into: &bytes, at: 4)
    put(UInt32(frame.payloadBytes), into: &bytes, at: payloadFields)
    put(frame.payloadChecksum, into: &bytes, at: payloadFields + 8)
    frame.headerChecksum = checksum(bytes[..<checksumField])
    put(frame.headerChecksum, into: &bytes, at: checksumField)
    return (bytes, frame)
  }

  /// Puts a little-endian word where its place was kept.
  private static func put(_ word: UInt32, into bytes: inout [UInt8], at offset: Int) {
    for byte in 0..<4 { bytes[offset + byte] = UInt8(truncatingIfNeeded: word >> (8 * byte)) }
  }

  /// The whole size of the header frame that `signature` begins, if it begins one.
  static func headerBytes(signature: some Collection<UInt8>) -> Int? {
    let bytes = Array(signature.prefix(TraceFormat.signatureBytes))
    guard bytes.count == TraceFormat.signatureBytes,
      littleEndian(bytes[0..<4]) == TraceFormat.chunkFrameMagic,
      Array(bytes[8..<16]) == TraceFormat.chunkMagic
    else { return nil }
    let size = Int(littleEndian(bytes[4..<8])) + 8
    guard size >= fieldsOffset + ChunkHeader.fixedBytes, size <= Chunk.headerBytesMax else {
      return nil
    }
    return size
  }

  /// Reads a header frame of which all bytes are given; others may follow.
  static func decode(_ bytes: [UInt8], headerBytes: Int) throws(ChunkDamage) -> ChunkFrame {
    let end = headerBytes - 4
    let found = littleEndian(bytes[end..<headerBytes])
    let expected = checksum(bytes[..<end])
    guard found == expected else {
      throw ChunkDamage(
        "header checksum",
        found: found,
        expected: expected,
        at: end
      )
    }
    var input = ByteReader(bytes, in: TraceFormat.signatureBytes..<end)
    let version: UInt16 = try input.word("format version")
    guard version <= TraceFormat.version else {
      throw ChunkDamage(
        "format version",
        found: UInt64(version),
        expected: "at most \(TraceFormat.version)",
        at: TraceFormat.signatureBytes
      )
    }
    let flags: UInt16 = try input.word("flags")
    let payloadBytes = Int(try input.word("payload bytes", as: UInt32.self))
    let rawBytes = Int(try input.word("payload bytes before compression", as: UInt32.self))
    guard payloadBytes <= Chunk.compressedBytesMax, rawBytes <= Chunk.payloadBytesMax else {
      throw ChunkDamage(
        "payload bytes",
        found: UInt64(max(payloadBytes, rawBytes)),
        expected: "at most \(Chunk.payloadBytesMax)",
        at: 20
      )
    }
    let payloadChecksum: UInt32 = try input.word("payload checksum")
    var header = try ChunkHeader(from: &input)
    header.keepsLast = flags & keepsLastFlag != 0
    header.settling = settling(flags)
    return ChunkFrame(
      header: header,
      headerBytes: headerBytes,
      payloadBytes: payloadBytes,
      rawBytes: rawBytes,
      headerChecksum: found,
      payloadChecksum: payloadChecksum
    )
  }
}

func littleEndian(_ bytes: ArraySlice<UInt8>) -> UInt32 {
  bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
}
