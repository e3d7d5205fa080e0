// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace
package import LifetraceTraceFile

/// One recording that stands in several files as a source, its streams numbered as there.
package final class JoinedSource: EventSource {
  private let recording: JoinedTraces
  /// The recording's streams, by number.
  package let streams: [SourceStream]

  /// What the readers have found so far.
  package init(_ recording: JoinedTraces) {
    self.recording = recording
    streams = recording.streams.map { stream in
      SourceStream(
        writer: stream.writer,
        attributes: stream.attributes,
        chunks: stream.chunks.map(\.summary)
      )
    }
  }

  /// What the ids in decoded events stand for.
  package var names: Names { recording.names }

  /// A chunk, read and decompressed.
  package func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem> {
    do throws(TraceFileError) {
      let joined = try recording.chunk(chunk, of: Int(stream.rawValue))
      return .success(SourceChunk(joined.payload, skipped: joined.info.skipped))
    } catch {
      return .failure(DecodeProblem(error.description))
    }
  }

  /// The damage as the reader of its file says it, which keeps it among its problems.
  package func problem(_ damage: ChunkDamage, chunk: Int, of stream: StreamID) -> DecodeProblem {
    DecodeProblem(recording.note(damage, in: chunk, of: Int(stream.rawValue)).description)
  }

  /// Nil: what looks for a name, an export of a part, looks at all chunks that have the kind.
  package func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter? { nil }

  /// The sends and receives of a chunk, those of rows that stand in another one left out.
  package func messages(chunk: Int, of stream: StreamID) -> [MessageEdge]? {
    header(chunk: chunk, of: stream)?.messages?.dropping(
      rows: recording.streams[Int(stream.rawValue)].chunks[chunk].skipped
    )
  }

  /// What stands in front of a chunk, read anew.
  package func header(chunk: Int, of stream: StreamID) -> ChunkHeader? {
    do throws(TraceFileError) {
      return try recording.header(chunk, of: Int(stream.rawValue))
    } catch {
      return nil
    }
  }

  /// The state that a keyframe holds.
  package func state(decoding keyframe: [UInt8]) -> LifeState? {
    do throws(ChunkDamage) {
      return try LifeState(decoding: keyframe, names: &recording.names)
    } catch {
      return nil
    }
  }
}
