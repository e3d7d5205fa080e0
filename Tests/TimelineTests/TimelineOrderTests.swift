// SPDX-License-Identifier: Apache-2.0
import Support
import Testing
import LifetraceTimeline
import LifetraceTrace

/// The order of many writers, against what a brute-force sort would say.
@Suite struct TimelineOrderTests {
  private func walk(_ timeline: Timeline) -> [EventPlace] {
    var here = timeline.start
    var places: [EventPlace] = []
    while let place = timeline.stepForward(&here) { places.append(place) }
    return places
  }

  @Test(
    "Without late events the order is that of a sort by time",
    arguments: 0..<200 as Range<UInt64>
  )
  func sortsByTime(seed: UInt64) {
    let world = RandomWorld(seed: seed, disorder: 0)
    let timeline = Timeline(world.source(rows: 7), memory: .bytes(2_560))
    let times = walk(timeline).map { timeline.event(at: $0).time }
    #expect(times == times.sorted(), "seed \(seed)")
    #expect(times.count == world.writers.reduce(0) { $0 + $1.events.count }, "seed \(seed)")
  }

  @Test("No event comes before what must precede it", arguments: 0..<300 as Range<UInt64>)
  func keepsHappensBefore(seed: UInt64) {
    let world = RandomWorld(seed: seed, disorder: 30)
    let timeline = Timeline(world.source(rows: 5), memory: .bytes(2_560))
    var next = Array(repeating: 0, count: world.writers.count)
    var sent: Set<UInt64> = []
    for place in walk(timeline) {
      #expect(place.index == next[Int(place.stream.rawValue)], "stream order, seed \(seed)")
      next[Int(place.stream.rawValue)] += 1
      let event = timeline.event(at: place)
      if event.kind == .messageSend { sent.insert(event.identity) }
      if event.kind == .messageReceive {
        #expect(sent.contains(event.identity), "received before it was sent, seed \(seed)")
      }
    }
    #expect(next == world.writers.map(\.events.count), "seed \(seed)")
  }

  @Test("Hits are what steps would have found", arguments: 0..<300 as Range<UInt64>)
  func hitsAreInOrder(seed: UInt64) {
    let world = RandomWorld(seed: seed, disorder: seed.isMultiple(of: 3) ? 0 : 30)
    let timeline = Timeline(world.source(rows: 4), memory: .bytes(2_560))
    let all = walk(timeline)
    func hits(_ filter: EventFilter) -> [EventPlace] {
      var hits = Hits(of: filter, in: timeline)
      var places: [EventPlace] = []
      while let place = try? hits.next() { places.append(place) }
      return places
    }
    #expect(hits(EventFilter { _, _ in true }) == all, "seed \(seed)")
    var filter = EventFilter(kinds: KindSet([.messageReceive, .mark])) { _, _ in true }
    filter.streams = Set(
      timeline.streams.indices.dropFirst().map { StreamID(rawValue: UInt32($0)) }
    )
    let (from, to) = (TraceTime(rawValue: 20), TraceTime(rawValue: 70 + Int64(seed % 9)))
    filter.from = from
    filter.to = to
    let some = all.filter { place in
      let event = timeline.event(at: place)
      let time = timeline.time(of: event)
      return place.stream.rawValue > 0 && event.kind != .messageSend && time >= from && time <= to
    }
    #expect(hits(filter) == some, "seed \(seed)")
  }

  @Test(
    "Seeking, stepping back and looking up agree with walking",
    arguments: 0..<150 as Range<UInt64>
  )
  func seeksLikeSteps(seed: UInt64) {
    let world = RandomWorld(seed: seed, disorder: seed.isMultiple(of: 2) ? 0 : 25)
    let timeline = Timeline(world.source(rows: 6), memory: .bytes(3_200))
    var here = timeline.start
    var positions = [here]
    var places: [EventPlace] = []
    while let place = timeline.stepForward(&here) {
      places.append(place)
      positions.append(here)
    }
    #expect(here == timeline.finish, "seed \(seed)")
    for (number, place) in places.enumerated() {
      #expect(timeline.position(ordinal: number) == positions[number], "seed \(seed), \(number)")
      #expect(timeline.position(after: place) == positions[number + 1], "seed \(seed), \(number)")
      #expect(timeline.place(ofEvent: number + 1) == place, "seed \(seed), \(number)")
      let event = timeline.event(at: place)
      #expect(timeline.ordinal(of: event.stream, sequence: event.sequence) == number + 1)
    }
    for place in places.reversed() {
      #expect(timeline.stepBackward(&here) == place, "seed \(seed)")
      #expect(here == positions[here.ordinal], "seed \(seed)")
    }
    #expect(timeline.stepBackward(&here) == nil)
    // A time stands after everything that is not later.
    for (number, position) in positions.enumerated().dropFirst() {
      let found = timeline.position(at: timeline.time(of: timeline.event(at: places[number - 1])))
      #expect(positions.contains(found), "seed \(seed)")
      if !seed.isMultiple(of: 2) { continue }
      #expect(found >= position, "seed \(seed)")
    }
  }
}

/// Many writers, few of them at the same time.
@Suite struct ManyWriterTests {
  @Test("Steps agree with a sort by time", arguments: 0..<20 as Range<UInt64>)
  func stepsAgree(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var time: Int64 = 0
    let writers = (0..<60).map { number in
      // Some overlap their neighbours, some leave gaps.
      time = max(0, time + Int64.random(in: -15...25, using: &random))
      let events = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        time += Int64.random(in: 0...2, using: &random)
        return Event(.mark, at: HostTime(rawValue: time))
      }
      return MemorySource.Writer(
        id: WriterID(high: seed, low: UInt64(number)),
        attributes: WriterAttributes(app: "app\(number)"),
        events: events
      )
    }
    let timeline = Timeline(MemorySource(writers, names: Names(), rows: 4), memory: .bytes(10_240))
    var here = timeline.start
    var positions = [here]
    var times: [HostTime] = []
    while let place = timeline.stepForward(&here) {
      times.append(timeline.event(at: place).time)
      positions.append(here)
    }
    #expect(times == writers.flatMap(\.events).map(\.time).sorted(), "seed \(seed)")
    while timeline.stepBackward(&here) != nil {
      #expect(here == positions[here.ordinal], "seed \(seed)")
    }
    for _ in 0..<100 {
      let number = Int.random(in: 0...timeline.count, using: &random)
      var position = timeline.position(ordinal: number)
      #expect(position == positions[number], "seed \(seed)")
      timeline.stepBackward(&position)
      #expect(position == positions[max(0, number - 1)], "seed \(seed)")
    }
  }

  @Test("Messages of a host whose clock is far behind are lifted one by one, not each with all")
  func liftsManyMessages() {
    let count = 50_000
    var here = MemorySource.Writer(
      id: WriterID(high: 1, low: 0),
      attributes: WriterAttributes(app: "here"),
      events: []
    )
    var behind = here
    behind.id.low = 1
    for number in 0..<count {
      let (sent, received) = (Int64(number) + 1_000_000, Int64(number))
      let flow = UInt64(number)
      here.events.append(
        Event(.messageSend, at: HostTime(rawValue: sent), identity: flow)
      )
      behind.events.append(
        Event(.messageReceive, at: HostTime(rawValue: received), identity: flow)
      )
    }
    // To open it takes 1,250,000,000 steps where each lift walks to the end of its stream.
    let timeline = Timeline(MemorySource([behind, here], names: Names()))
    #expect(timeline.isCausal)
    var position = timeline.start
    for number in 0..<count {
      for kind in [EventKind.messageSend, .messageReceive] {
        let event = timeline.stepForward(&position).map(timeline.event(at:))
        guard event?.kind == kind, event?.identity == UInt64(number) else {
          Issue.record("message \(number): \(String(describing: event)) instead of \(kind)")
          return
        }
      }
    }
  }
}

/// A build as a recording: thousands of writers, each of which lives for a moment.
@Suite struct ManyWritersTests {
  @Test("Stepping over thousands of short streams asks none of them again and again")
  func stepsOverShortStreams() {
    let count = 20_000
    var writers: [MemorySource.Writer] = []
    for number in 0...count {
      var attributes = WriterAttributes(app: number == 0 ? "make" : "cc")
      attributes.previous = number > 1 ? WriterID(high: 7, low: UInt64(number - 1)) : nil
      // The first one lives from the start to the end.
      let times =
        number == 0 ? [0, Int64(count) * 10 + 9] : [Int64(number) * 10, Int64(number) * 10 + 3]
      writers.append(
        MemorySource.Writer(
          id: WriterID(high: 7, low: UInt64(number)),
          attributes: attributes,
          events: times.map { Event(.mark, at: HostTime(rawValue: $0)) }
        )
      )
    }
    let timeline = Timeline(MemorySource(writers, names: Names()))
    var here = timeline.start
    var found: [Int64] = []
    while let place = timeline.stepForward(&here) {
      found.append(timeline.event(at: place).time.rawValue)
    }
    #expect(found == writers.flatMap(\.events).map(\.time.rawValue).sorted())
    for time in found.reversed() {
      let place = timeline.stepBackward(&here)
      guard place.map({ timeline.event(at: $0).time.rawValue }) == time else {
        Issue.record("going back, \(time) is not found")
        return
      }
    }
  }
}
