// SPDX-License-Identifier: Apache-2.0
public import LifetraceLifecycle
public import LifetraceTrace
public import LifetraceTraceFile

/// A trace file as a source: chunks are decoded when they are asked for.
public final class FileSource: EventSource {
  /// The file.
  public let reader: TraceReader
  /// By stream.
  public let streams: [SourceStream]

  /// What the reader has found so far; a file that grows needs a new source.
  public init(_ reader: TraceReader) {
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
  public var names: Names { reader.names }

  /// The events and the keyframe of a chunk.
  public func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem> {
    do throws(TraceFileError) {
      let decoded = try reader.decode(info(chunk, stream))
      return .success(SourceChunk(events: decoded.events, keyframe: decoded.keyframe))
    } catch {
      return .failure(DecodeProblem(error.description))
    }
  }

  /// The names in a chunk's header; nil where it cannot be read.
  public func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter? {
    do throws(TraceFileError) {
      return try reader.header(of: info(chunk, stream)).nameFilter
    } catch {
      return nil
    }
  }

  /// The state that a keyframe holds.
  public func state(decoding keyframe: [UInt8]) -> LifeState? {
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
