// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceRules
package import LifetraceTimeline
package import LifetraceTrace

extension Timeline: JudgedSource {
  /// The recording's writers, indexed by stream.
  package var writers: [(id: WriterID, attributes: WriterAttributes)] {
    streams.map { ($0.writer, $0.attributes) }
  }

  /// Those of its source.
  package var messages: RecordedMessages? { source.recordedMessages {} }

  /// What its chunks say, where two apps have files.
  package var sharedData: SharedData? { source.sharedData {} }

  /// Tells a checker of the messages between processes, and of the files that they may share, where its
  /// rules ask for them: what a ``Judge`` would do when it begins.
  ///
  /// - Throws: ``SearchInterrupted`` when `isInterrupted` says so between two chunks.
  package func tellMessages(
    to checker: inout Checker,
    isInterrupted: () -> Bool
  ) throws(SearchInterrupted) {
    func ask() throws(SearchInterrupted) {
      if isInterrupted() { throw SearchInterrupted() }
    }
    if checker.asksForMessages { checker.take(try source.recordedMessages(ask: ask)) }
    if checker.asksForSharedData { checker.take(try source.sharedData(ask: ask)) }
  }

  /// Those of the chunks with events.
  package func summaries(of stream: Int) -> [ChunkSummary] { streams[stream].chunks }

  /// One of the chunks of a timeline.
  package struct JudgedChunk {
    let number: Int
    let stream: Int
  }

  /// A chunk of the timeline, which may have been read before.
  package func open(_ chunk: Int, of stream: Int) -> JudgedChunk? {
    canRead(chunk, of: stream) ? JudgedChunk(number: chunk, stream: stream) : nil
  }

  /// The facts in the chunk's keyframe, if it has one.
  package func facts(in chunk: JudgedChunk) -> LifeState? {
    let keyframe = keyframe(chunk.number, of: chunk.stream)
    return keyframe.isEmpty ? nil : source.state(decoding: keyframe)
  }

  /// Stride by stride, as long as they can be decoded.
  package func scan(_ chunk: JudgedChunk, _ body: (Span<Event>) -> Bool) -> Bool {
    let stream = streams[chunk.stream]
    let range = stream.firstIndices[chunk.number]..<stream.firstIndices[chunk.number + 1]
    var isWhole = true
    pass(range, of: chunk.stream) { events, _ in
      isWhole = canRead(chunk.number, of: chunk.stream)
      return isWhole && body(events)
    }
    return isWhole
  }
}
