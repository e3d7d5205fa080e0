// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace
package import LifetraceTraceFile

/// A trace file as a source: chunks are decoded when they are asked for.
package final class FileSource: EventSource {
  /// The reader of the file.
  package let reader: TraceReader
  /// The recording's streams, by number.
  package private(set) var streams: [SourceStream] = []
  /// Whether its order was settled while it was recorded.
  package lazy var settles = reader.settles
  /// Whether only what is settled is shown, as long as the file is being written.
  private let isFollowing: Bool

  /// What the reader has found so far; `isFollowing` of a file that grows, see ``look()``.
  package init(_ reader: TraceReader, isFollowing: Bool = false) {
    self.reader = reader
    self.isFollowing = isFollowing
    take()
  }

  private func take() {
    // Behind its end nothing comes, though its writer may not have left yet.
    let isLive = reader.isBeingWritten && !reader.hasEnd
    let limit = isFollowing && isLive ? reader.settledBytes : .max
    streams = reader.streams.map { stream in
      let shown = stream.chunks.prefix { $0.endOffset <= limit }
      return SourceStream(
        writer: stream.writer,
        attributes: stream.attributes,
        chunks: shown.map(\.summary)
      )
    }
    // A stream of which nothing is settled yet has no number that others could have had.
    while let last = streams.last, last.chunks.isEmpty { streams.removeLast() }
  }

  /// Takes in what was written since the last look, as far as it is settled; what has become of the file.
  ///
  /// Costs a few system calls where nothing was.
  package func look() throws(TraceFileError) -> TraceReader.Sighting {
    let sighting = try reader.look()
    if sighting != .same, sighting != .another { take() }
    return sighting
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
    header(chunk: chunk, of: stream)?.nameFilter
  }

  /// The sends and receives of a chunk, those of rows that stand in another one left out.
  package func messages(chunk: Int, of stream: StreamID) -> [MessageEdge]? {
    header(chunk: chunk, of: stream)?.messages?.dropping(rows: info(chunk, stream).skipped)
  }

  /// What stands in front of a chunk, read anew.
  package func header(chunk: Int, of stream: StreamID) -> ChunkHeader? {
    do throws(TraceFileError) {
      return try reader.header(of: info(chunk, stream))
    } catch {
      return nil
    }
  }

  /// Those that its indexes list; nil too where names read otherwise, as they found no room.
  package var strings: [String]? { reader.names.hasDropped ? nil : reader.strings }

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
