// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace

/// Events in memory as a source: stories, simulators and tests.
///
/// Cut into chunks as a file would be, so that everything behind it takes the same way.
package final class MemorySource: EventSource, Sendable {
  /// What the ids in the events stand for.
  package let names: Names
  /// The recording's streams, by number.
  package let streams: [SourceStream]
  private let events: [[Event]]

  /// One writer and its events in sequence order; sequence numbers are given here.
  package struct Writer {
    /// The id of the writer.
    package var id: WriterID
    /// What is known of the writer.
    package var attributes: WriterAttributes
    /// The events, in order of sequence numbers.
    package var events: [Event]

    /// Makes a writer.
    package init(id: WriterID, attributes: WriterAttributes, events: [Event]) {
      self.id = id
      self.attributes = attributes
      self.events = events
    }
  }

  /// The events of `writers`, at most `rows` to a chunk.
  ///
  /// Sequence numbers that rise are kept, gaps included; else the events are numbered from 0.
  package init(_ writers: [Writer], names: Names, rows: Int = Chunk.rowsMax) {
    self.names = names
    var streams: [SourceStream] = []
    var all: [[Event]] = []
    for (number, writer) in writers.enumerated() {
      var events = writer.events
      let isNumbered = zip(events, events.dropFirst()).allSatisfy { $0.sequence < $1.sequence }
      for index in events.indices {
        if !isNumbered { events[index].sequence = UInt64(index) }
        events[index].stream = StreamID(rawValue: UInt32(number))
      }
      let chunks = Self.cuts(events, rows: max(1, rows)).map { Self.summary(events[$0]) }
      streams.append(
        SourceStream(writer: writer.id, attributes: writer.attributes, chunks: chunks)
      )
      all.append(events)
    }
    self.streams = streams
    events = all
  }

  /// Chunks hold at most `rows` events, whose numbers follow each other.
  private static func cuts(_ events: [Event], rows: Int) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var first = 0
    for index in events.indices {
      let isLast = index + 1 == events.count
      if isLast || index + 1 - first == rows
        || events[index + 1].sequence != events[index].sequence &+ 1
      {
        ranges.append(first..<index + 1)
        first = index + 1
      }
    }
    return ranges
  }

  /// The events of a chunk, in place.
  package func events(chunk: Int, of stream: StreamID) -> ArraySlice<Event> {
    let header = streams[Int(stream.rawValue)].chunks[chunk]
    let all = events[Int(stream.rawValue)]
    let first = all.partitioningIndex { $0.sequence >= header.firstSequence }
    return all[first..<first + header.eventCount]
  }

  /// The events of a chunk, without a keyframe: the fold starts at the stream's first event.
  package func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem> {
    .success(SourceChunk(events(chunk: chunk, of: stream)))
  }

  /// Nil: chunks in memory carry no keyframes.
  package func state(decoding keyframe: [UInt8]) -> LifeState? { nil }

  /// Nil: looking at the events is as fast as at a filter.
  package func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter? { nil }

  private static func summary(_ events: ArraySlice<Event>) -> ChunkSummary {
    let times = events.map(\.time)
    let first = events.first?.sequence ?? 0
    return ChunkSummary(
      firstSequence: first,
      eventCount: events.count,
      firstTime: times.min() ?? HostTime(rawValue: 0),
      lastTime: times.max() ?? HostTime(rawValue: 0),
      kinds: KindSet(events.map(\.kind)),
      keyframe: events.startIndex == 0 ? .full : .continued(from: first)
    )
  }
}
