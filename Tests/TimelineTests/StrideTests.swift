// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import Support
import Testing
@testable import LifetraceTimeline
import LifetraceTrace

/// Chunks of several strides, of which only what is asked for is decoded.
@Suite struct StrideTests {
  private var names = Names()
  private var writers: [MemorySource.Writer] = []

  init() {
    var random = SeededRandom(seed: 5)
    let drafts = (0..<4).map { UInt64(names.intern("draft-\($0)").rawValue) }
    for number in 0..<3 {
      var time: Int64 = 0
      var events: [Event] = []
      for _ in 0..<13_000 {
        // Now and then a suspension, and now and then a late event.
        time += random.once(in: 900) ? 9_000_000_000 : Int64(random.below(4_000))
        let stamp = random.once(in: 50) ? max(0, time - 3_000) : time
        events.append(
          Event(
            random.once(in: 3) ? .dataDirty : .mark,
            at: HostTime(rawValue: stamp),
            thread: ThreadID(rawValue: UInt32(1 + random.below(3))),
            identity: drafts[random.below(events.count < 9_000 ? 3 : 4)],
            arguments: (UInt64(random.below(90)), 7, 0, 0),
            argumentCount: 2
          )
        )
      }
      writers.append(
        MemorySource.Writer(
          id: WriterID(high: 8, low: UInt64(number)),
          attributes: WriterAttributes(app: "app\(number)"),
          events: events
        )
      )
    }
  }

  private var memory: MemorySource { MemorySource(writers, names: names, rows: 9_000) }

  private func isSame(_ left: Event, _ right: Event) -> Bool {
    left.sequence == right.sequence && left.time == right.time && left.kind == right.kind
      && left.identity == right.identity && left.stream == right.stream
      && left.arguments.0 == right.arguments.0 && left.thread == right.thread
  }

  @Test("Walks are those of events in memory", arguments: [nil, 40_000, 3_000_000])
  func walks(bytes: Int?) {
    let plain = Timeline(memory)
    let timeline = Timeline(EncodedSource(memory), memory: bytes.map { .bytes($0) })
    var (here, there) = (timeline.position(ordinal: 17_000), plain.position(ordinal: 17_000))
    for direction in [Direction.forward, .backward, .backward, .forward] {
      for _ in 0..<3_000 {
        let (one, other) =
          direction == .forward
          ? (timeline.stepForward(&here), plain.stepForward(&there))
          : (timeline.stepBackward(&here), plain.stepBackward(&there))
        guard let one, let other, one == other,
          isSame(timeline.event(at: one), plain.event(at: other))
        else {
          Issue.record("\(String(describing: one)) instead of \(String(describing: other))")
          return
        }
      }
    }
    for number in stride(from: 0, to: timeline.count, by: 997) {
      #expect(timeline.position(ordinal: number) == plain.position(ordinal: number))
    }
  }

  @Test("Runs are all events in order, whatever is kept", arguments: [nil, 40_000])
  func runs(bytes: Int?) {
    let plain = Timeline(memory)
    let timeline = Timeline(EncodedSource(memory), memory: bytes.map { .bytes($0) })
    var runs = EventRuns(of: timeline)
    var here = plain.start
    while let run = runs.next() {
      for index in run.indices {
        guard let place = plain.stepForward(&here),
          isSame(run.rows.events[index], plain.event(at: place))
        else {
          Issue.record("another event at \(here.ordinal)")
          return
        }
      }
    }
    #expect(here == plain.finish)
  }

  @Test("Searches find what a look at each event finds, both ways")
  func searches() throws {
    let source = EncodedSource(memory)
    let (timeline, plain) = (Timeline(source), Timeline(memory))
    var filter = EventFilter(kinds: KindSet([.dataDirty])) { event, _ in event[0] == 13 }
    for number in stride(from: 0, to: timeline.count, by: 2_003) {
      for direction in [Direction.forward, .backward] {
        let found = try timeline.find(filter, from: timeline.position(ordinal: number), direction)
        var here = plain.position(ordinal: number)
        var expected: EventPlace?
        while expected == nil,
          let place = direction == .forward ? plain.stepForward(&here) : plain.stepBackward(&here)
        {
          let event = plain.event(at: place)
          if event.kind == .dataDirty, event[0] == 13 { expected = place }
        }
        #expect(found == expected, "\(number)")
      }
    }
    // The last draft occurs in the second chunk of each stream only.
    filter = EventFilter { _, _ in true }
    filter.mentions = ["draft-3"]
    let first = try #require(try timeline.find(filter, from: timeline.start, .forward))
    #expect(first.index == 9_000)
    filter.mentions = ["draft-9"]
    #expect(try timeline.find(filter, from: timeline.start, .forward) == nil)
  }

  @Test("Chunks without their first events, which stand elsewhere")
  func skips() {
    let timeline = Timeline(EncodedSource(memory, skipped: 3_000))
    // Of 9,000 and 4,000 events.
    #expect(timeline.streams.map(\.count) == [7_000, 7_000, 7_000])
    var here = timeline.start
    var seen = [0, 0, 0]
    while let place = timeline.stepForward(&here) {
      let sequence = Int(timeline.event(at: place).sequence)
      let number = seen[Int(place.stream.rawValue)]
      #expect(sequence == (number < 6_000 ? 3_000 + number : 6_000 + number))
      seen[Int(place.stream.rawValue)] += 1
    }
    #expect(seen == [7_000, 7_000, 7_000])
    var passed = 0
    timeline.pass(100..<6_900, of: 1) { events, _ in
      passed += events.count
      return true
    }
    #expect(passed == 6_800)
  }

  @Test("Events that cannot be decoded are losses, and move nothing")
  func brokenRows() {
    let source = EncodedSource(memory)
    guard source.breakRows(of: 0, in: 1) else {
      Issue.record("no byte breaks rows alone")
      return
    }
    let (timeline, plain) = (Timeline(source), Timeline(memory))
    var (here, there) = (timeline.start, plain.start)
    var losses = 0
    while let place = timeline.stepForward(&here) {
      guard place == plain.stepForward(&there) else {
        Issue.record("another order at \(here.ordinal)")
        return
      }
      if timeline.event(at: place).kind == .loss { losses += 1 }
    }
    #expect(losses > 0 && losses <= 9_000)
    #expect(timeline.damage.count == 1)
    #expect(!timeline.canRead(0, of: 1))
    var isWhole = true
    timeline.pass(0..<9_000, of: 1) { events, _ in
      for index in events.indices where events[index].kind != .loss { isWhole = false }
      return true
    }
    #expect(isWhole, "once it is known, all of the chunk is lost")
  }
}
