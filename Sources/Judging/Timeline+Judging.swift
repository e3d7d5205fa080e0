// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTimeline
package import LifetraceTrace

extension Timeline: JudgedSource {
  /// The recording's writers, indexed by stream.
  package var writers: [(id: WriterID, attributes: WriterAttributes)] {
    streams.map { ($0.writer, $0.attributes) }
  }

  /// Those of the chunks with events.
  package func summaries(of stream: Int) -> [ChunkSummary] { streams[stream].chunks }

  /// One of the open chunks of the timeline, which may have been read before.
  package func open(_ chunk: Int, of stream: Int) -> OpenChunk? {
    let chunk = openChunk(chunk, of: stream)
    return chunk.isDamaged ? nil : chunk
  }

  /// The facts in the chunk's keyframe, if it has one.
  package func facts(in chunk: OpenChunk) -> LifeState? {
    chunk.keyframe.isEmpty ? nil : source.state(decoding: chunk.keyframe)
  }

  /// All events at once.
  package func scan(_ chunk: OpenChunk, _ body: (Span<Event>) -> Void) -> Bool {
    let events = chunk.events
    body(events.span)
    return true
  }
}
