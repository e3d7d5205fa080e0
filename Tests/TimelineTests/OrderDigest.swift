// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import Support
import LifetraceTimeline
import LifetraceTrace

/// Everything that a timeline says of a small world, in one number: the order forward and backward, each
/// position, and what is found from it.
struct OrderDigest {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ number: Int) {
    value = (value ^ UInt64(truncatingIfNeeded: number)) &* 0x100_0000_01b3
  }

  mutating func add(_ place: EventPlace?) {
    add(Int(place?.stream.rawValue ?? .max))
    add(place?.index ?? -1)
  }

  mutating func add(_ position: Position) {
    add(position.ordinal)
    for cursor in position.cursors { add(cursor) }
  }

  mutating func add(_ timeline: Timeline) {
    var here = timeline.start
    var places: [EventPlace] = []
    while let place = timeline.stepForward(&here) {
      places.append(place)
      let event = timeline.event(at: place)
      add(place)
      add(Int(event.kind.rawValue))
      add(Int(truncatingIfNeeded: timeline.time(of: event).rawValue))
      add(Int(truncatingIfNeeded: timeline.orderTime(of: place)))
      add(timeline.eventBefore(here))
      add(timeline.eventAfter(here))
    }
    while let place = timeline.stepBackward(&here) {
      add(place)
      add(here)
      add(timeline.eventBefore(here))
      add(timeline.eventAfter(here))
    }
    for number in stride(from: 0, through: timeline.count, by: 7) {
      let position = timeline.position(ordinal: number)
      add(position)
      guard number < places.count else { continue }
      let place = places[number]
      add(timeline.number(of: place))
      add(timeline.position(at: TraceTime(rawValue: timeline.orderTime(of: place))))
      for direction in [Direction.forward, .backward] {
        var filter = EventFilter(kinds: KindSet([.messageReceive, .loss])) { _, _ in true }
        add(try? timeline.find(filter, from: position, direction))
        filter.kinds = nil
        filter.accepts = { event, _ in event.time.rawValue % 11 == 3 }
        add(try? timeline.find(filter, from: position, direction))
      }
    }
    add(timeline.isCausal ? 1 : 0)
    add(Set(timeline.damage.map(\.description)).count)
  }

  /// A world of that kind: late events, messages that contradict the times, clocks of several hosts, chunks
  /// that cannot be read.
  static func source(seed: UInt64) -> any EventSource {
    var random = SeededRandom(seed: seed &+ 1_000)
    var world = RandomWorld(seed: seed, disorder: Int(seed % 3) * 20)
    if seed % 4 == 1 {
      for writer in world.writers.indices {
        world.writers[writer].attributes.host = "host\(random.below(3))"
        world.writers[writer].attributes.realOffset = Int64(random.below(3)) * 500
      }
    }
    let memory = world.source(rows: 1 + random.below(9))
    return seed % 5 == 2 ? BrokenSource(memory, each: 2 + random.below(4)) : memory
  }
}

/// A source some of whose chunks cannot be read.
final class BrokenSource: EventSource {
  private let inner: MemorySource
  private let each: Int

  /// One chunk in `each` is broken.
  init(_ inner: MemorySource, each: Int) {
    self.inner = inner
    self.each = each
  }

  var names: Names { inner.names }
  var streams: [SourceStream] { inner.streams }
  func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem> {
    (chunk + Int(stream.rawValue)) % each == 0
      ? .failure(DecodeProblem("chunk \(chunk): broken")) : inner.decode(chunk: chunk, of: stream)
  }
  func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter? { nil }
  func state(decoding keyframe: [UInt8]) -> LifeState? { nil }
}
