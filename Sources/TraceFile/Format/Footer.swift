// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// The index at the end of a stretch of chunks: it saves the reader a look at each header.
///
/// A skippable frame that says how many bytes before it it covers and where in them the chunks
/// are, counted backward from itself; so it is still true after `cat a b`.
struct Footer {
  /// The recording of the stretch ended well.
  var hasEnd: Bool
  /// How many bytes before the footer it describes.
  var coveredBytes: UInt64
  /// The writers of the chunks.
  var writers: [(id: WriterID, attributes: WriterAttributes)]
  /// The chunks in file order; `stream` is the index into `writers`.
  var chunks: [ChunkInfo]

  /// The bytes of the footer that stands at byte `start` of its file.
  func encode(at start: UInt64) -> [UInt8] {
    var kindSets: [KindSet: Int] = [:]
    var kinds: [KindSet] = []
    for chunk in chunks where kindSets[chunk.kinds] == nil {
      kindSets[chunk.kinds] = kinds.count
      kinds.append(chunk.kinds)
    }
    var out = ByteWriter()
    out.word(TraceFormat.footerFrameMagic)
    out.word(UInt32(0))
    out.bytes += TraceFormat.footerMagic
    out.word(TraceFormat.version)
    out.word(UInt16(hasEnd ? 1 : 0))
    out.word(coveredBytes)
    out.varint(writers.count)
    for writer in writers {
      out.word(writer.id.high)
      out.word(writer.id.low)
      writer.attributes.encode(into: &out)
    }
    out.varint(kinds.count)
    for set in kinds {
      out.word(set.words.0)
      out.word(set.words.1)
      out.word(set.words.2)
      out.word(set.words.3)
    }
    out.varint(chunks.count)
    for chunk in chunks {
      out.varint(UInt64(chunk.stream.rawValue))
      out.varint(start - chunk.offset)
      chunk.encode(into: &out, kindSet: kindSets[chunk.kinds] ?? 0)
    }
    for writer in writers { writer.attributes.encodeTags(into: &out) }
    let size = UInt32(out.count + TraceFormat.footerTailBytes - 8)
    for byte in 0..<4 {
      out.bytes[4 + byte] = UInt8(truncatingIfNeeded: size >> (8 * UInt32(byte)))
    }
    out.word(size + 8)
    out.word(checksum(out.bytes))
    out.bytes += TraceFormat.footerEndMagic
    return out.bytes
  }

  /// The size of the footer that ends with `tail`, if one does.
  static func bytes(tail: some Collection<UInt8>) -> Int? {
    let bytes = Array(tail)
    guard bytes.count == TraceFormat.footerTailBytes,
      Array(bytes[8...]) == TraceFormat.footerEndMagic
    else { return nil }
    let size = Int(littleEndian(bytes[0..<4]))
    return size > minimumBytes && size <= TraceFormat.footerBytesMax ? size : nil
  }

  /// The size of the footer that begins with `signature`, if one does.
  static func bytes(signature: some Collection<UInt8>) -> Int? {
    let bytes = Array(signature.prefix(TraceFormat.signatureBytes))
    guard bytes.count == TraceFormat.signatureBytes,
      littleEndian(bytes[0..<4]) == TraceFormat.footerFrameMagic,
      Array(bytes[8..<16]) == TraceFormat.footerMagic
    else { return nil }
    let size = Int(littleEndian(bytes[4..<8])) + 8
    return size > minimumBytes && size <= TraceFormat.footerBytesMax ? size : nil
  }

  private static let minimumBytes = 40

  /// Reads a footer, all of whose bytes are given, that stands at byte `start` of its file.
  init(_ bytes: [UInt8], at start: UInt64) throws(ChunkDamage) {
    let tail = bytes.count - TraceFormat.footerTailBytes
    let found = littleEndian(bytes[(tail + 4)..<(tail + 8)])
    let expected = checksum(bytes[..<(tail + 4)])
    guard Footer.bytes(tail: bytes[tail...]) == bytes.count,
      Footer.bytes(signature: bytes) == bytes.count, found == expected
    else {
      throw ChunkDamage(
        "index checksum",
        found: UInt64(found),
        expected: "\(expected)",
        at: tail + 4
      )
    }
    var input = ByteReader(bytes, in: TraceFormat.signatureBytes..<tail)
    let version: UInt16 = try input.word("format version")
    let flags: UInt16 = try input.word("index flags")
    coveredBytes = try input.word("covered bytes")
    guard version <= TraceFormat.version else {
      throw ChunkDamage(
        "format version",
        found: UInt64(version),
        expected: "at most \(TraceFormat.version)",
        at: TraceFormat.signatureBytes
      )
    }
    guard coveredBytes <= start else {
      throw ChunkDamage(
        "covered bytes",
        found: coveredBytes,
        expected: "at most \(start)",
        at: 20
      )
    }
    // All that it says stands in the chunks as well.
    guard UInt64(bytes.count) <= coveredBytes + UInt64(TraceFormat.footerEmptyBytesMax) else {
      throw ChunkDamage(
        "index bytes",
        found: UInt64(bytes.count),
        expected: "at most those of the \(coveredBytes) bytes that it covers",
        at: 4
      )
    }
    hasEnd = flags & 1 != 0
    writers = []
    for _ in 0..<(try input.count("writers", max: 1 << 24, bytesEach: 32)) {
      let id = WriterID(high: try input.word("writer"), low: try input.word("writer"))
      writers.append((id, try WriterAttributes(from: &input)))
    }
    var kindSets: [KindSet] = []
    for _ in 0..<(try input.count("kind sets", max: 1 << 24, bytesEach: 32)) {
      var set = KindSet()
      set.words.0 = try input.word("kinds")
      set.words.1 = try input.word("kinds")
      set.words.2 = try input.word("kinds")
      set.words.3 = try input.word("kinds")
      kindSets.append(set)
    }
    chunks = []
    let count = try input.count("chunks", max: 1 << 26, bytesEach: 20)
    guard count == 0 || (!writers.isEmpty && !kindSets.isEmpty) else {
      throw ChunkDamage("writers", found: 0, expected: "at least one", at: input.position)
    }
    chunks.reserveCapacity(count)
    var previousEnd = start - coveredBytes
    for _ in 0..<count {
      let at = input.position
      let writer = try input.count("writer number", max: writers.count - 1)
      let back = try input.varint("chunk offset")
      guard back <= coveredBytes, start - back >= previousEnd else {
        throw ChunkDamage("chunk offset", found: back, expected: "within the index's reach", at: at)
      }
      let chunk = try ChunkInfo(
        from: &input,
        stream: StreamID(rawValue: UInt32(writer)),
        offset: start - back,
        kindSets: kindSets
      )
      guard chunk.endOffset <= start, chunk.eventCount > 0,
        chunk.firstSequence <= UInt64.max - UInt64(Chunk.rowsMax)
      else {
        throw ChunkDamage("chunk", found: chunk.endOffset, expected: "at most \(start)", at: at)
      }
      previousEnd = chunk.endOffset
      chunks.append(chunk)
    }
    // Earlier versions did not write them.
    guard input.remaining > 0 else { return }
    for index in writers.indices { try writers[index].attributes.decodeTags(from: &input) }
  }

  init(
    hasEnd: Bool,
    coveredBytes: UInt64,
    writers: [(id: WriterID, attributes: WriterAttributes)],
    chunks: [ChunkInfo]
  ) {
    self.hasEnd = hasEnd
    self.coveredBytes = coveredBytes
    self.writers = writers
    self.chunks = chunks
  }
}
