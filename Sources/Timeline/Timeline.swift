// SPDX-License-Identifier: Apache-2.0
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
/// stamp the same time follow each other in order of their start.
///
/// Nothing is decoded until it is looked at. Seeking reads the chunk index and
/// decodes the chunks that cover the place; open chunks are kept up to a limit,
/// the least recently used go first. An unreadable chunk stands in the order as
/// losses, so that event numbers do not move.
package final class Timeline {
  /// Open chunks are closed when together they hold more events than this (80 bytes each).
  package static let openEventsMax = 1 << 20
  /// Above this many events, messages are ordered by their times alone.
  package static let causalEventsMax = 1_000_000
  /// After this many rounds of moving receives behind their sends, the rest keep their times.
  static let causalPassesMax = 100

  /// Where the events come from.
  package let source: any EventSource
  /// The common axis of all clocks.
  package let alignment: Alignment
  /// The streams, by number.
  package internal(set) var streams: [StreamIndex]
  /// How many readable events there are.
  package let count: Int
  /// Whether sends and receives were compared, or only their times.
  package internal(set) var isCausal = true
  /// Chunks that could not be decoded, in the order in which they were met.
  package private(set) var damage: [DecodeProblem] = []

  /// Streams by their first time, an incarnation after the one it follows: their order when times are equal.
  package var startOrder: [Int] { byRank }
  let byRank: [Int]
  let rank: [Int]
  var knots = Knots()
  /// The order times at which chunks begin, and just behind their ends, sorted.
  var chunkTimes: [Int64] = []
  /// About how many events lie before a chunk's begin or end, as far as it was asked for.
  var guesses: [Int64: Int] = [:]
  var neighbourhood = Neighbourhood()
  private var current: [OpenChunk?]
  private var open: [UInt64: OpenChunk] = [:]
  private var wasOpened: Set<UInt64> = []
  private var openEvents = 0
  private var uses = 0
  private let openEventsMax: Int

  /// Lays the streams of `source` over each other.
  package init(
    _ source: any EventSource,
    openEventsMax: Int = Timeline.openEventsMax,
    causalEventsMax: Int = Timeline.causalEventsMax
  ) {
    self.source = source
    self.openEventsMax = openEventsMax
    let sources = source.streams
    let alignment = Alignment(sources)
    self.alignment = alignment
    let indexed = sources.indices.map {
      StreamIndex(StreamID(rawValue: UInt32($0)), sources[$0], shift: alignment.shifts[$0])
    }
    streams = indexed
    count = indexed.reduce(0) { $0 + $1.count }
    current = Array(repeating: nil, count: indexed.count)
    byRank = Self.startOrder(indexed)
    var rank = Array(repeating: 0, count: indexed.count)
    for (place, stream) in byRank.enumerated() { rank[stream] = place }
    self.rank = rank
    tieKnots(eventsMax: causalEventsMax)
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
    let chunk = openChunk(of: Int(place.stream.rawValue), holding: place.index)
    return chunk.events[place.index - chunk.firstIndex]
  }

  /// The open chunk that holds the event with this index of this stream.
  @inline(__always)
  package func openChunk(of stream: Int, holding index: Int) -> OpenChunk {
    if let chunk = current[stream], chunk.indices.contains(index) { return chunk }
    return openChunk(streams[stream].chunk(holding: index), of: stream)
  }

  /// The chunk, decoded now or before.
  package func openChunk(_ number: Int, of stream: Int) -> OpenChunk {
    uses += 1
    let key = UInt64(stream) << 32 | UInt64(number)
    if let known = open[key] {
      known.lastUse = uses
      current[stream] = known
      return known
    }
    let index = streams[stream]
    let chunk = OpenChunk(
      stream: index.id,
      number: number,
      firstIndex: index.firstIndices[number],
      content: content(of: index, chunk: number),
      shift: index.shift,
      floor: index.floor(number),
      lifts: index.lifts(of: number)
    )
    chunk.lastUse = uses
    makeRoom(for: chunk.events.count)
    open[key] = chunk
    wasOpened.insert(key)
    openEvents += chunk.events.count
    current[stream] = chunk
    return chunk
  }

  /// Whether the chunk was decoded at some time, so that all its names are known.
  func wasOpened(_ number: Int, of stream: Int) -> Bool {
    wasOpened.contains(UInt64(stream) << 32 | UInt64(number))
  }

  func closeAll() {
    open.removeAll()
    openEvents = 0
    for stream in current.indices { current[stream] = nil }
  }

  /// Closes those that were not looked at for longest, many at once: looking for one costs as much.
  private func makeRoom(for events: Int) {
    guard openEvents + events > openEventsMax else { return }
    for (key, chunk) in open.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
      guard openEvents + events > openEventsMax - openEventsMax / 8 else { break }
      open[key] = nil
      openEvents -= chunk.events.count
      let stream = Int(chunk.stream.rawValue)
      if current[stream] === chunk { current[stream] = nil }
    }
  }

  /// Exactly as many events as the header promised, whatever the payload holds.
  private func content(of stream: StreamIndex, chunk: Int) -> SourceChunk {
    let summary = stream.chunks[chunk]
    switch source.decode(chunk: stream.sourceNumbers[chunk], of: stream.id) {
    case .success(var content) where content.events.count == summary.eventCount:
      for index in content.events.indices { content.events[index].stream = stream.id }
      return content
    case .success(let content):
      damage.append(
        DecodeProblem(
          "a chunk holds \(content.events.count) events, its header says \(summary.eventCount)"
        )
      )
    case .failure(let problem):
      damage.append(problem)
    }
    let losses = (0..<summary.eventCount).map { offset in
      Event(
        Payload.Loss(family: .unknown, count: 1),
        at: summary.firstTime,
        observer: .inferred,
        flags: .inferred,
        sequence: summary.firstSequence &+ UInt64(offset),
        stream: stream.id
      )
    }
    return SourceChunk(events: losses, keyframe: [], isDamaged: true)
  }

  /// Streams by first time; an incarnation never before the one it follows.
  private static func startOrder(_ streams: [StreamIndex]) -> [Int] {
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
      .map { (streams[$0].orderFirst.first ?? .max, generation($0), $0) }
      .sorted { $0 < $1 }
      .map(\.2)
  }
}
