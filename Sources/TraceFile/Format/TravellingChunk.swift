// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// By what a chunk that travels is known: it never changes once it was sent.
///
/// Two chunks with the same one hold the same bytes. Two that differ in the checksum alone hold
/// other bytes under the same numbers, which is a conflict.
package struct ChunkIdentity: Hashable, Sendable {
  /// Whose events they are.
  package var writer: WriterID
  /// The number of the first event.
  package var first: UInt64
  /// How many events, 1 to `Chunk.rowsMax`.
  package var count: Int
  /// CRC-32C of the compressed payload.
  package var checksum: UInt32

  /// `count` events of a writer from `first` on, in a payload of that checksum.
  package init(writer: WriterID, first: UInt64, count: Int, checksum: UInt32) {
    self.writer = writer
    self.first = first
    self.count = count
    self.checksum = checksum
  }

  /// The numbers of its events.
  package var numbers: Range<UInt64> { first..<first + UInt64(count) }

  /// `3f…9c-4096-128-77c1be02`: the same on each machine, fit for a file's name.
  package var text: String {
    let digits = String(checksum, radix: 16)
    return "\(writer.text)-\(first)-\(count)-" + String(repeating: "0", count: 8 - digits.count)
      + digits
  }
}

/// A chunk outside of a file: its bytes as they stand in one, and what they say of themselves.
///
///     let chunk = try TravellingChunk(checking: message.body)     // nothing is decompressed
///     try writer.append(chunk)                                    // the same bytes, in a file
package struct TravellingChunk: Sendable {
  /// Both frames.
  package let bytes: [UInt8]
  /// By what it is known.
  package let identity: ChunkIdentity
  let frame: ChunkFrame

  /// Its header.
  package var header: ChunkHeader { frame.header }

  /// The chunk in `bytes`, which hold one and nothing else; both checksums are compared.
  package init(checking bytes: [UInt8]) throws(ChunkDamage) {
    guard let headerBytes = ChunkFrame.headerBytes(signature: bytes), headerBytes <= bytes.count
    else {
      let found = bytes.count < 4 ? 0 : littleEndian(bytes[..<4])
      throw ChunkDamage(
        Scanner.firstWord,
        found: found,
        expected: TraceFormat.chunkFrameMagic,
        at: 0
      )
    }
    let frame = try ChunkFrame.decode(bytes, headerBytes: headerBytes)
    guard frame.totalBytes == bytes.count else {
      throw ChunkDamage(
        "bytes of the chunk",
        found: UInt64(bytes.count),
        expected: "\(frame.totalBytes)",
        at: 20
      )
    }
    let found = LifetraceTraceFile.checksum(bytes[headerBytes...])
    guard found == frame.payloadChecksum else {
      throw ChunkDamage(
        "payload checksum",
        found: found,
        expected: frame.payloadChecksum,
        at: headerBytes
      )
    }
    self.bytes = bytes
    self.frame = frame
    identity = ChunkIdentity(
      writer: frame.header.writer,
      first: frame.header.firstSequence,
      count: frame.header.eventCount,
      checksum: found
    )
  }
}

extension TraceReader {
  /// A chunk of the file as it can be sent: what it is known by, and where its bytes are.
  package struct Departing: Sendable {
    /// By what it is known.
    package let identity: ChunkIdentity
    /// Whose events they are, as its latest chunk says.
    package let attributes: WriterAttributes
    let info: ChunkInfo
  }

  /// All chunks that stand in the file from byte `offset` on, in file order, also those that others
  /// hold the events of; none of them was read.
  package func departing(from offset: UInt64 = 0) -> [Departing] {
    streams.flatMap { stream in
      found[Int(stream.id.rawValue)].filter { $0.offset >= offset }.map { chunk in
        Departing(
          identity: ChunkIdentity(
            writer: stream.writer,
            first: chunk.firstSequence,
            count: chunk.eventCount,
            checksum: chunk.payloadChecksum
          ),
          attributes: stream.attributes,
          info: chunk
        )
      }
    }.sorted { $0.info.offset < $1.info.offset }
  }

  /// Behind the last whole frame: what is written next begins here.
  package var readableBytes: UInt64 { validBytes }

  /// Behind the last index, which covers all before it; 0 without one.
  package var indexedBytes: UInt64 { lastFooterEnd }

  /// Waits until what can be read survives a power cut, whoever has written it.
  package func synchronize() throws(TraceFileError) { try file.synchronize() }

  /// Reads a chunk to be sent, checksums compared.
  package func travelling(_ chunk: Departing) throws(TraceFileError) -> TravellingChunk {
    let bytes = try bytes(of: chunk.info).bytes
    do throws(ChunkDamage) {
      return try TravellingChunk(checking: bytes)
    } catch {
      throw TraceFileError(path, byte: chunk.info.offset, error)
    }
  }
}

extension TraceWriter {
  /// Appends a chunk that came from elsewhere, as it is.
  package func append(_ chunk: TravellingChunk) throws(TraceFileError) {
    let info = ChunkInfo(chunk.frame, at: bytes, stream: StreamID(rawValue: 0))
    // Nobody decompresses what comes from elsewhere only to list its strings: the list is not whole.
    try put(chunk.bytes, info, chunk.header.writer, chunk.header.attributes, [])
  }
}
