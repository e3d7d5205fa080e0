// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTimeline
package import LifetraceTrace

extension Timeline: JudgedSource {
  /// By stream.
  package var writers: [(id: WriterID, attributes: WriterAttributes)] {
    streams.map { ($0.writer, $0.attributes) }
  }

  /// Also of the chunks without events: they may say that some were lost.
  package func summaries(of stream: Int) -> [ChunkSummary] { source.streams[stream].chunks }

  /// Through the open chunks of the timeline, which may have been read before.
  package func open(_ chunk: Int, of stream: Int) -> SourceChunk? {
    let index = streams[stream]
    guard let number = index.number(ofSource: chunk) else {
      return try? source.decode(chunk: chunk, of: index.id).get()
    }
    let open = openChunk(number, of: stream)
    return open.isDamaged ? nil : SourceChunk(events: open.events, keyframe: open.keyframe)
  }

  /// The chunk's keyframe.
  package func facts(in chunk: SourceChunk) -> LifeState? {
    chunk.keyframe.isEmpty ? nil : source.state(decoding: chunk.keyframe)
  }

  /// All events at once.
  package func scan(_ chunk: SourceChunk, _ body: (Span<Event>) -> Void) -> Bool {
    body(chunk.events.span)
    return true
  }
}
