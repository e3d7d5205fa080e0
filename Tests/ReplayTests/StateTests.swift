// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceReplay
import Support
import Testing
import LifetraceTimeline
import LifetraceTrace

/// The state at a place is the same however one got there.
@Suite struct StateTests {
  /// Every state of every stream by folding from the first event, without chunks or checkpoints.
  private func folded(_ world: SmallWorld) -> [[LifeState]] {
    var last: [LifeState] = []
    return world.writers.indices.map { number in
      var state = LifeState()
      if number == 1, let previous = last.first {
        state.beginIncarnation(after: previous, names: world.names)
      }
      var states = [state]
      for (sequence, event) in world.writers[number].events.enumerated() {
        var event = event
        event.sequence = UInt64(sequence)
        event.stream = StreamID(rawValue: UInt32(number))
        state.apply(event, names: world.names)
        states.append(state)
      }
      last.append(state)
      return states
    }
  }

  @Test("Stepping forward, back and seeking give equal states", arguments: 0..<12 as Range<UInt64>)
  func statesAreEqual(seed: UInt64) throws {
    let world = SmallWorld(seed: seed, events: 400)
    let expected = folded(world)
    let rows = [7, 100, 300, 10_000][Int(seed % 4)]
    let timeline = world.timeline(rows: rows, memory: .bytes(56_000))
    // With room for next to nothing all is made anew again and again.
    let room = StateKeeper.Room(chunks: 1, bases: 1, streams: 1)
    // As among more writers than there is room for.
    let crowded = StateKeeper.Room(chunks: 96, bases: 64, streams: .max, crowd: 0)
    let player = Player(timeline, states: [room, .wide, crowded][Int(seed % 3)])
    func check() {
      for stream in timeline.streams {
        let cursor = player.cursor(of: stream.id)
        let isEqual =
          player.state(of: stream.id) == expected[Int(stream.id.rawValue)][cursor]
        #expect(isEqual, "seed \(seed), event \(player.here.ordinal), stream \(stream.id)")
      }
    }
    check()
    for _ in 0..<timeline.count {
      #expect(try player.step(.forward) == 1)
      check()
    }
    #expect(try player.step(.forward) == 0)
    for _ in 0..<timeline.count {
      #expect(try player.step(.backward) == 1)
      check()
    }
    #expect(try player.step(.backward) == 0)
    var random = SeededRandom(seed: seed)
    for _ in 0..<60 {
      player.seek(toEvent: Int.random(in: 0...timeline.count, using: &random))
      check()
    }
  }

  @Test func questionsAreAboutTheAppThatLives() throws {
    var names = Names()
    let app = UInt64(names.intern("notes").rawValue)
    func writer(_ number: UInt64, _ role: ProcessRole, _ times: [Int64]) -> MemorySource.Writer {
      MemorySource.Writer(
        id: WriterID(high: 0, low: number),
        attributes: WriterAttributes(app: "app\(number)", role: role),
        events: times.map { Event(.mark, at: HostTime(rawValue: $0), identity: app) }
      )
    }
    let writers = [
      writer(0, .app, [1, 2]), writer(1, .app, [10, 20]), writer(2, .daemon, [3, 15, 30]),
    ]
    let player = Player(Timeline(MemorySource(writers, names: names)))
    // By way of the first app, or of nothing, the daemon's event is told about the app of its time.
    for way in [[1, 3], [3], [7, 3], [5, 7, 2, 3]] {
      for event in way { player.seek(toEvent: event) }
      #expect(player.focus.rawValue == 0, "\(way)")
    }
    for way in [[1, 5], [5], [7, 5], [3, 5]] {
      for event in way { player.seek(toEvent: event) }
      #expect(player.focus.rawValue == 1, "\(way)")
    }
  }

  @Test func undoAndRedoFollowTheWay() throws {
    let timeline = SmallWorld(seed: 1, events: 100).timeline(rows: 10)
    let player = Player(timeline)
    var way = [player.here]
    for number in [50, 10, 80, 80, 3] {
      player.seek(toEvent: number)
      if way.last != player.here { way.append(player.here) }
    }
    try player.step(.forward, count: 4)
    way.append(player.here)
    for position in way.dropLast().reversed() {
      #expect(player.undo())
      #expect(player.here == position)
    }
    #expect(!player.undo())
    for position in way.dropFirst() {
      #expect(player.redo())
      #expect(player.here == position)
    }
    #expect(!player.redo())
    #expect(player.undo())
    player.seek(toEvent: 1)
    #expect(!player.redo(), "a new way forgets the old one")
  }
}
