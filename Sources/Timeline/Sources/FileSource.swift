// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace
package import LifetraceTraceFile

/// A trace file as a source: chunks are decoded when they are asked for.
package final class FileSource: EventSource {
  /// The reader of the file.
  package let reader: TraceReader
  /// The recording's streams, by number.
  package let streams: [SourceStream]

  /// What the reader has found so far; a file that grows needs a new source.
  package init(_ reader: TraceReader) {
    self.reader = reader
    streams = reader.streams.map { stream in
      SourceStream(
        writer: stream.writer,
        attributes: stream.attributes,
        chunks: stream.chunks.map(\.summary)
      )
    }
  }

  /// What the ids in decoded events stand for.
  package var names: Names { reader.names }

  /// A chunk, read and decompressed.
  package func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem> {
    let info = info(chunk, stream)
    do throws(TraceFileError) {
      return .success(SourceChunk(try reader.payload(of: info), skipped: info.skipped))
    } catch {
      return .failure(DecodeProblem(error.description))
    }
  }

  /// The damage as the reader says it, which keeps it among its problems.
  package func problem(_ damage: ChunkDamage, chunk: Int, of stream: StreamID) -> DecodeProblem {
    DecodeProblem(reader.note(damage, in: info(chunk, stream)).description)
  }

  /// The names in a chunk's header; nil where it cannot be read.
  package func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter? {
    do throws(TraceFileError) {
      return try reader.header(of: info(chunk, stream)).nameFilter
    } catch {
      return nil
    }
  }

  /// The state that a keyframe holds.
  package func state(decoding keyframe: [UInt8]) -> LifeState? {
    do throws(ChunkDamage) {
      return try LifeState(decoding: keyframe, names: &reader.names)
    } catch {
      return nil
    }
  }

  private func info(_ chunk: Int, _ stream: StreamID) -> ChunkInfo {
    reader.streams[Int(stream.rawValue)].chunks[chunk]
  }
}
