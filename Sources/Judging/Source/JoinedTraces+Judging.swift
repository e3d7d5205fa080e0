// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceRules
import LifetraceTimeline
package import LifetraceTrace
package import LifetraceTraceFile

extension JoinedTraces: JudgedSource {
  /// The recording's writers, indexed by stream.
  package var writers: [(id: WriterID, attributes: WriterAttributes)] {
    streams.map { ($0.writer, $0.attributes) }
  }

  /// Those that tables in the headers of chunks name; chunks without one are decoded.
  package var messages: RecordedMessages? { JoinedSource(self).recordedMessages {} }

  /// What its chunks say, where two apps have files.
  package var sharedData: SharedData? { JoinedSource(self).sharedData {} }

  /// What the chunk headers say.
  package func summaries(of stream: Int) -> [ChunkSummary] {
    streams[stream].chunks.map(\.summary)
  }

  /// Decompressed, its rows not decoded yet.
  package func open(_ chunk: Int, of stream: Int) -> JoinedChunk? {
    try? self.chunk(chunk, of: stream)
  }

  /// The facts in the chunk's keyframe, if it has one.
  package func facts(in chunk: JoinedChunk) -> LifeState? {
    try? LifeState(decoding: chunk.payload.keyframe, names: &chunk.reader.names)
  }

  /// Stride by stride, always in the same memory.
  package func scan(_ chunk: JoinedChunk, _ body: (Span<Event>) -> Bool) -> Bool {
    var goesOn = true
    do throws(TraceFileError) {
      try chunk.reader.scan(chunk.info, chunk.payload, in: buffer) { events in
        if goesOn { goesOn = body(events) }
      }
      return true
    } catch {
      return false
    }
  }
}
