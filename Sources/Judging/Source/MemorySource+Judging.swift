// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceRules
package import LifetraceTimeline
package import LifetraceTrace

extension MemorySource: JudgedSource {
  /// The recording's writers, indexed by stream.
  package var writers: [(id: WriterID, attributes: WriterAttributes)] {
    streams.map { ($0.writer, $0.attributes) }
  }

  /// All that its events name.
  package var messages: RecordedMessages? { recordedMessages {} }

  /// What its chunks say, where two apps have files.
  package var sharedData: SharedData? { sharedData {} }

  /// The stretches of events without a gap.
  package func summaries(of stream: Int) -> [ChunkSummary] { streams[stream].chunks }

  /// The events, not copied.
  package func open(_ chunk: Int, of stream: Int) -> ArraySlice<Event>? {
    events(chunk: chunk, of: StreamID(rawValue: UInt32(stream)))
  }

  /// Nil: chunks in memory carry no facts.
  package func facts(in chunk: ArraySlice<Event>) -> LifeState? { nil }

  /// All events at once.
  package func scan(_ chunk: ArraySlice<Event>, _ body: (Span<Event>) -> Bool) -> Bool {
    _ = body(chunk.span)
    return true
  }
}
