// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
package import LifetraceTrace

/// Many writers of one recording as one order of events.
///
///     let timeline = Timeline(source)
///     var here = timeline.position(ordinal: 1_000)
///     while let place = timeline.stepBackward(&here) {
///       print(timeline.event(at: place).kind)
///     }
///
/// Events are ordered by time, inside a stream by sequence (a late event stands
/// where it arrived), and never against what must have come first: a message is
/// received after it was sent, even where the times say otherwise. Writers that
/// stamp the same time follow each other in order of their start, and of their ids where that is one too:
/// it does not matter in which order files are handed in.
///
/// Nothing is decoded until it is looked at. Seeking reads the chunk index, and of the chunks that cover
/// the place the times; events are decoded in strides when they are asked for. What was decoded is kept
/// up to a limit (``Memory``). An unreadable chunk stands in the order as losses, so that event numbers do
/// not move. What is derived from chunk headers is made of ``streams`` alone, and what is decoded is known
/// by stream and chunk: a source whose streams grow at their ends needs nothing of it made anew.
package final class Timeline {
  /// Where the events come from.
  package let source: any EventSource
  /// The common axis of all clocks.
  package internal(set) var alignment: Alignment
  /// The streams, by number.
  package internal(set) var streams: [StreamIndex]
  /// How many readable events there are.
  package internal(set) var count: Int
  /// How often its events have come to stand in other chunks.
  package internal(set) var generation = 0
  /// Whether sends and receives were compared, or only their times.
  package internal(set) var isCausal = true
  /// The flows of messages that were received before they were sent by the one clock of both: they are
  /// wrong, and order nothing.
  package internal(set) var refusedMessages: [UInt64] = []
  /// Chunks that could not be decoded, in the order in which they were met.
  package internal(set) var damage: [DecodeProblem] = []

  /// Streams by their first time, an incarnation after the one it follows: their order when times are equal.
  package var startOrder: [Int] { byRank }
  var byRank: [Int]
  var rank: [Int]
  var knots = Knots()
  /// The order times at which chunks begin, and just behind their ends, sorted; nil where nobody has
  /// asked since they changed.
  var chunkTimesKept: [Int64]?
  /// About how many events lie before a chunk's begin or end, as far as it was asked for.
  var guesses: [Int64: Int] = [:]
  var merge = Merge()
  /// Compares moments of different clocks; nil until somebody asks.
  var clockOrder: ClockOrder?
  /// What the latest step went past, and where it led.
  var latestStep: (place: EventPlace, ordinal: Int, direction: Direction)?

  // Of chunks, by stream and chunk.
  var timesKept: Pool<UInt64, OrderTimes>
  /// Of those whose times had to go.
  var roughTimesKept: Pool<UInt64, RoughTimes>
  var rowsKept: Pool<WindowKey, EventRows>
  var payloadsKept: Pool<UInt64, SourceChunk>
  /// By stream: those looked at last, as long as they are kept.
  var currentTimes: [OrderTimes?]
  var currentRows: [EventRows?]
  var latestChunk: (key: UInt64, chunk: SourceChunk)?
  /// How many rows of a chunk are kept together.
  let windowRows: Int
  /// Chunks of which some event cannot be read; of which nothing can.
  var damagedChunks: Set<UInt64> = []
  var unreadable: Set<UInt64> = []
  var wasOpened: Set<UInt64> = []
  /// Memory to decode in, for each who does at the same time.
  var buffers: [StrideBuffer] = []

  /// Lays the streams of `source` over each other; without `memory` it keeps what fits the number of
  /// writers that live at the same time.
  ///
  /// `ordersMessages` is false for one who goes through each stream alone. Else, while it is made, 32 bytes
  /// are taken for each send or receive, but for a million of them at most.
  package init(
    _ source: any EventSource,
    memory: Memory? = nil,
    ordersMessages: Bool = true
  ) {
    self.source = source
    let sources = source.streams
    let alignment = Alignment(source)
    self.alignment = alignment
    let indexed = Self.indexed(sources, alignment)
    streams = indexed
    count = indexed.reduce(0) { $0 + $1.count }
    let writers = Self.writersAtOnce(indexed)
    let memory = memory ?? .fitting(writers: writers)
    windowRows = memory.windowRows(writers: writers)
    timesKept = Pool(bytesMax: memory.times)
    roughTimesKept = Pool(bytesMax: memory.roughTimes)
    rowsKept = Pool(bytesMax: memory.rows)
    payloadsKept = Pool(bytesMax: memory.payloads)
    currentTimes = Array(repeating: nil, count: indexed.count)
    currentRows = Array(repeating: nil, count: indexed.count)
    byRank = Self.startOrder(indexed)
    rank = Self.ranks(byRank)
    if ordersMessages { tieKnots(endsMax: memory.messages) }
  }

  static func indexed(_ sources: [SourceStream], _ alignment: Alignment) -> [StreamIndex] {
    sources.indices.map {
      StreamIndex(StreamID(rawValue: UInt32($0)), sources[$0], alignment.clocks[$0])
    }
  }

  /// By stream: its place in an order of streams.
  static func ranks(_ order: [Int]) -> [Int] {
    var rank = Array(repeating: 0, count: order.count)
    for (place, stream) in order.enumerated() { rank[stream] = place }
    return rank
  }

  /// What the ids in events stand for.
  package var names: Names { source.names }

  /// The last event's time.
  package var duration: Int64 { max(0, streams.compactMap(\.orderLast.last).max() ?? 0) }

  /// When an event happened, as its own clock said.
  package func time(of event: Event) -> TraceTime {
    alignment.traceTime(event.time, of: event.stream)
  }

  /// The event at a place; the place must exist.
  package func event(at place: EventPlace) -> Event {
    rows(of: Int(place.stream.rawValue), holding: place.index)[place.index]
  }

  /// Streams by first time and writer; an incarnation never before the one it follows.
  static func startOrder(_ streams: [StreamIndex]) -> [Int] {
    let known = Dictionary(
      streams.map { ($0.writer, Int($0.id.rawValue)) },
      uniquingKeysWith: { first, _ in first }
    )
    let previous = streams.map { stream in stream.attributes.previous.flatMap { known[$0] } }
    var generations = [Int?](repeating: nil, count: streams.count)
    func generation(_ stream: Int) -> Int {
      // Down to a known one; in a ring, which only a hostile file has, to where it closes.
      var path: [Int] = []
      var at: Int? = stream
      while let place = at, generations[place] == nil {
        path.append(place)
        generations[place] = 0
        at = previous[place]
      }
      var depth = at.flatMap { generations[$0] }.map { $0 + 1 } ?? 0
      for place in path.reversed() {
        generations[place] = depth
        depth += 1
      }
      return generations[stream] ?? 0
    }
    return streams.indices
      .map { (streams[$0].orderFirst.first ?? .max, generation($0), streams[$0].writer, $0) }
      .sorted { $0 < $1 }
      .map(\.3)
  }
}
