// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// What a trace must hold by what its writer knows, to be compared with what is there.
struct WrittenChunks {
  /// Where the last index is, and its bytes.
  var footer: (offset: UInt64, bytes: [UInt8])?

  private struct Chunk {
    var offset: UInt64
    var headerBytes: UInt32
    var payloadBytes: UInt32
    var headerChecksum: UInt32
    var payloadChecksum: UInt32
    var events: UInt32
  }
  private var chunks: [Chunk] = []

  mutating func add(_ chunk: ChunkInfo) {
    chunks.append(
      Chunk(
        offset: chunk.offset,
        headerBytes: UInt32(chunk.headerBytes),
        payloadBytes: UInt32(chunk.payloadBytes),
        headerChecksum: chunk.headerChecksum,
        payloadChecksum: chunk.payloadChecksum,
        events: UInt32(chunk.eventCount)
      )
    )
  }

  /// Events of the chunks that are not in `file` as they were written.
  ///
  /// One pass in the order of the file; of payloads before `byte` only the headers are looked at.
  func eventsMissing(in file: File, payloadsFrom byte: UInt64) throws(TraceFileError) -> UInt64 {
    var missing: UInt64 = 0
    for chunk in chunks {
      let (header, payload) = (Int(chunk.headerBytes), Int(chunk.payloadBytes))
      let readsPayload = chunk.offset >= byte
      let bytes = try file.read(header + (readsPayload ? payload : 0), at: chunk.offset)
      let isThere =
        bytes.count >= header && ChunkFrame.headerBytes(signature: bytes) == header
        && littleEndian(bytes[(header - 4)..<header]) == chunk.headerChecksum
        && checksum(bytes[..<(header - 4)]) == chunk.headerChecksum
        && (!readsPayload
          || bytes.count == header + payload
            && checksum(bytes[header...]) == chunk.payloadChecksum)
      if !isThere { missing += UInt64(chunk.events) }
    }
    return missing
  }
}
