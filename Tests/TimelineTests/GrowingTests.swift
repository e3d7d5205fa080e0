// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import Support
import LifetraceTimeline
import LifetraceTrace
import Testing

/// A timeline whose source grows says of what there is the same as one that was made of all of it.
struct GrowingTests {
  /// A source of which only the chunks of the first rounds are there yet.
  final class GrowingSource: EventSource {
    private let whole: MemorySource
    /// By stream: how many chunks there are.
    var chunks: [Int]

    init(_ whole: MemorySource) {
      self.whole = whole
      chunks = whole.streams.map { _ in 0 }
    }

    var names: Names { whole.names }
    let settles = true
    var streams: [SourceStream] {
      let known = (chunks.lastIndex { $0 > 0 } ?? -1) + 1
      return whole.streams.prefix(known).enumerated().map { number, stream in
        var stream = stream
        stream.chunks.removeLast(stream.chunks.count - chunks[number])
        return stream
      }
    }

    func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem> {
      whole.decode(chunk: chunk, of: stream)
    }
    func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter? { nil }
    func state(decoding keyframe: [UInt8]) -> LifeState? { nil }
  }

  /// In each round some of the writers emit, and no event of a round is before one of an earlier one.
  private static func world(
    _ random: inout SeededRandom
  ) -> (source: MemorySource, rounds: [[Int]]) {
    let streams = Int.random(in: 1...6, using: &random)
    var writers = (0..<streams).map {
      MemorySource.Writer(
        id: WriterID(high: 7, low: UInt64($0)),
        attributes: WriterAttributes(app: "app\($0)"),
        events: []
      )
    }
    var counts: [[Int]] = []
    for round in 0..<Int.random(in: 1...8, using: &random) {
      // Writers join one after the other, as the streams of a file are numbered.
      for stream in 0..<min(streams, round * 2 + 1) {
        var times = (0..<Int.random(in: 0...12, using: &random)).map { _ in
          Int64(round * 20) + Int64.random(in: 0..<10, using: &random)
        }
        times.sort()
        let isNew = writers[stream].events.isEmpty
        if isNew, times.isEmpty { times = [Int64(round * 20)] }
        // No event is earlier: else the axis would begin anew with it.
        if round == 0, stream == 0 { times.insert(0, at: 0) }
        for time in times {
          writers[stream].events.append(Event(.mark, at: HostTime(rawValue: time)))
        }
        // A late one, which stands where its stream is.
        if !isNew, !times.isEmpty, Bool.random(using: &random) {
          writers[stream].events.append(Event(.mark, at: HostTime(rawValue: 0)))
        }
      }
      counts.append(writers.map(\.events.count))
    }
    // A chunk holds one event: so chunks are never cut by a round.
    return (MemorySource(writers, names: Names(), rows: 1), counts)
  }

  @Test(arguments: 0..<200) func whatIsThereStandsWhereItWillStand(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (source, rounds) = Self.world(&random)
    let whole = Timeline(source)
    let growing = GrowingSource(source)
    growing.chunks = rounds[0]
    let timeline = Timeline(growing)
    var here = timeline.position(ordinal: Int.random(in: 0...timeline.count, using: &random))
    for (number, round) in rounds.enumerated() {
      growing.chunks = round
      let before = (events: timeline.count, streams: timeline.streams.count)
      let growth = timeline.grow()
      let expected: Timeline.Growth =
        timeline.count == before.events
        ? .none : timeline.streams.count == before.streams ? .events : .streams
      #expect(growth == expected, "seed \(seed) round \(number)")
      here = timeline.widened(here)
      #expect(timeline.position(ordinal: here.ordinal) == here)
      #expect(timeline.count == round.reduce(0, +))
      for event in 1...max(1, timeline.count) {
        let place = timeline.place(ofEvent: event)
        #expect(place == whole.place(ofEvent: event), "seed \(seed) round \(number) #\(event)")
      }
      // And step by step, both ways, from somewhere.
      var there = timeline.position(ordinal: Int.random(in: 0...timeline.count, using: &random))
      while let place = timeline.stepForward(&there) {
        #expect(place == whole.place(ofEvent: there.ordinal))
      }
      #expect(there == timeline.finish)
    }
  }

  @Test func otherChunksOfTheSameEventsAreNoticed() {
    let writer = MemorySource.Writer(
      id: WriterID(high: 1, low: 1),
      attributes: WriterAttributes(app: "notes"),
      events: (0..<40).map { Event(.mark, at: HostTime(rawValue: $0)) }
    )
    final class Rewritten: EventSource {
      var inner: MemorySource
      init(_ inner: MemorySource) { self.inner = inner }
      var names: Names { inner.names }
      var streams: [SourceStream] { inner.streams }
      func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem> {
        inner.decode(chunk: chunk, of: stream)
      }
      func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter? { nil }
      func state(decoding keyframe: [UInt8]) -> LifeState? { nil }
    }
    let source = Rewritten(MemorySource([writer], names: Names(), rows: 4))
    let timeline = Timeline(source)
    var here = timeline.position(ordinal: 17)
    #expect(timeline.eventBefore(here)?.index == 16)
    source.inner = MemorySource([writer], names: Names(), rows: 30)
    #expect(timeline.grow() == .chunks)
    #expect(timeline.generation == 1)
    here = timeline.widened(here)
    #expect(timeline.event(at: timeline.eventBefore(here)!).time.rawValue == 16)
    #expect(timeline.grow() == .none)
  }
}
