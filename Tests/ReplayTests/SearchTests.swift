// SPDX-License-Identifier: Apache-2.0
import LifetraceQuery
import LifetraceReplay
import Support
import Testing
import LifetraceTimeline
import LifetraceTrace

/// Searches skip chunks, and still find what a look at every event would find.
@Suite struct SearchTests {
  @Test("Finding by kind agrees with stepping", arguments: 0..<20 as Range<UInt64>)
  func findsLikeSteps(seed: UInt64) throws {
    let world = SmallWorld(seed: seed, events: 120)
    let timeline = world.timeline(rows: 9, memory: .bytes(9_600))
    let places = (1...timeline.count).compactMap { timeline.place(ofEvent: $0) }
    for kinds in [[EventKind.suspend], [.dataDirty, .dataDurable], [.purge]] {
      let filter = EventFilter(kinds: KindSet(kinds)) { _, _ in true }
      let hits = places.indices.filter { kinds.contains(timeline.event(at: places[$0]).kind) }
      for ordinal in 0...timeline.count {
        let position = timeline.position(ordinal: ordinal)
        let after = hits.first { $0 >= ordinal }.map { places[$0] }
        let before = hits.last { $0 < ordinal }.map { places[$0] }
        #expect(try timeline.find(filter, from: position, .forward) == after, "seed \(seed)")
        #expect(try timeline.find(filter, from: position, .backward) == before, "seed \(seed)")
      }
    }
  }

  @Test func findsAGap() throws {
    var world = SmallWorld(seed: 3, events: 60)
    for index in 8..<world.writers[2].events.count {
      world.writers[2].events[index].sequence += 8
    }
    let timeline = world.timeline(rows: 8)
    var filter = EventFilter(kinds: KindSet([])) { _, _ in true }
    filter.findsGaps = true
    let place = try #require(try timeline.find(filter, from: timeline.start, .forward))
    #expect(place == EventPlace(stream: StreamID(rawValue: 2), index: 8))
    #expect(timeline.event(at: place).sequence == 16)
    #expect(timeline.ordinal(of: place.stream, sequence: 10) == nil)
    #expect(timeline.ordinal(of: place.stream, sequence: 16) == timeline.number(of: place))
  }

  @Test func anInterruptionMovesNothing() throws {
    let timeline = SmallWorld(seed: 5, events: 300).timeline(rows: 5)
    let player = Player(timeline)
    player.seek(toEvent: 20)
    player.isInterrupted = { true }
    let filter = EventFilter(kinds: KindSet([.purge])) { _, _ in true }
    #expect(throws: SearchInterrupted.self) { try player.find(filter, .forward) }
    #expect(player.here.ordinal == 20)
  }

  @Test(
    "A long way is stopped on the way, and begins where it began",
    arguments: [Direction.forward, .backward]
  )
  func stepsStop(direction: Direction) throws {
    let player = Player(SmallWorld(seed: 5, events: 400).timeline(rows: 50))
    player.seek(toEvent: 200)
    var asked = 0
    player.isInterrupted = {
      asked += 1
      return asked == 2
    }
    var heard: [Int] = []
    #expect(throws: SearchInterrupted.self) {
      try player.step(direction, count: 190) { heard.append($0) }
    }
    #expect(heard == [63, 127])
    #expect(player.here.ordinal == 200)
    player.isInterrupted = { false }
    #expect(try player.step(direction, count: 190) == 190)
  }

  @Test func wordsNameKinds() throws {
    #expect(KindWord.find("save")?.kinds.contains(.dataFlushing) == true)
    #expect(KindWord.find("callbacks")?.kinds.contains(.callbackBegin) == true)
    #expect(KindWord.find("data.dirty")?.kinds == KindSet([.dataDirty]))
    #expect(KindWord.find("memory")?.kinds == KindSet([.memorySample]))
    #expect(KindWord.find("viol")?.isViolation == true)
    #expect(KindWord.find("turn.") != nil)
    #expect(KindWord.find("nonsense") == nil)
    #expect(KindWord.find("t") == nil, "task, turn, touch, test")
  }
}
