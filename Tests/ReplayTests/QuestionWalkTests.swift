// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

@testable import LifetraceQuery
@testable import LifetraceReplay

/// Compiled questions answer what a naive walk answers, in both directions.
@Suite struct QuestionWalkTests {
  /// How many recordings, of ten questions each; LIFETRACE_TEST_SCALE=85 makes it 10,200 pairs.
  static let seeds =
    0..<12 * (getenv("LIFETRACE_TEST_SCALE").flatMap { UInt64(String(cString: $0)) } ?? 1)

  @Test(arguments: seeds)
  func findsWhatANaiveWalkFinds(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let world = SmallWorld(seed: seed, events: 90)
    // In one chunk what is asked of tables is kept up from its first event to its last.
    let rows = seed.isMultiple(of: 3) ? 90 : 7
    let player = Player(world.timeline(rows: rows, memory: .bytes(5_000)))
    let timeline = player.timeline
    let schema = Schema.of(timeline)
    let places = (1...timeline.count).compactMap { timeline.place(ofEvent: $0) }
    for _ in 0..<10 {
      let text = RandomQuestion(&random, others: true).text
      let question = try Question(condition: text, schema: schema)
      let asking = Asking(question, player)
      let syntax = try Parser.parse(text)
      let truths = places.map { NaiveAnswer(player, $0).truth(syntax) }
      for (place, truth) in zip(places, truths) {
        let event = timeline.event(at: place)
        let isSkipped = !question.kinds.contains(event.kind)
        let answer = isSkipped ? .no : asking.truth(of: event)
        let wanted = truth.map { Truth($0) } ?? .unknown
        #expect(answer == wanted, "seed \(seed), \(text), \(event.kind) \(place)")
      }
      let hits = places.indices.filter { truths[$0] == true }
      for ordinal in stride(from: 0, through: timeline.count, by: 3) {
        let position = timeline.position(ordinal: ordinal)
        let after = hits.first { $0 >= ordinal }.map { places[$0] }
        let before = hits.last { $0 < ordinal }.map { places[$0] }
        #expect(
          try timeline.find(asking.filter, from: position, .forward) == after,
          "seed \(seed), \(text)"
        )
        #expect(
          try timeline.find(asking.filter, from: position, .backward) == before,
          "seed \(seed), \(text)"
        )
      }
    }
  }

  /// What an expression says of an event that is in both recordings is not the opposite in one that
  /// lacks others.
  @Test(arguments: seeds)
  func aDamagedCopyNeverContradictsTheWhole(seed: UInt64) throws {
    var random = SeededRandom(seed: seed &+ 1_000)
    var world = LawfulWorld(seed: seed, events: 150)
    let whole = Player(world.timeline)
    var gone: Set<Int> = []
    while gone.count < 25 { gone.insert(Int.random(in: 1..<world.events.count, using: &random)) }
    world.events = world.events.indices.filter { !gone.contains($0) }.map { world.events[$0] }
    let damaged = Player(world.timeline)
    var decided = 0
    for _ in 0..<20 {
      let question = try Question(condition: RandomQuestion(&random).text)
      let (one, other) = (Asking(question, whole), Asking(question, damaged))
      for event in world.events {
        let (right, seen) = (one.truth(of: event), other.truth(of: event))
        guard seen != .unknown else { continue }
        decided += 1
        #expect(seen == right, "seed \(seed), \(question.text), \(event.sequence) \(event.kind)")
      }
    }
    #expect(decided > 100)
  }

  /// The kinds that are derived for a path are all that ever change its value.
  @Test(arguments: seeds)
  func nothingElseEverChangesAValue(seed: UInt64) throws {
    let world = SmallWorld(seed: seed, events: 200)
    let names = world.names
    let texts =
      StateFact.all.map(\.name)
      + StateTable.all.flatMap { table in
        ["count \(table.word)"]
          + table.fields.filter { $0.slope == 0 }.map {
            "\(table.singular)(\"draft.txt\").\($0.name)"
          }
      }
    for text in texts {
      let question = try Question(text)
      let evaluator = Evaluator(question)
      #expect(question.needsState && !question.needsEvent, "\(text)")
      for writer in world.writers {
        var state = LifeState()
        var last: Scalar?
        for event in writer.events {
          state.apply(event, names: names)
          let value = evaluator.value(of: event, after: state, names)
          if let last, !question.touching.contains(event.kind) {
            #expect(value == last, "seed \(seed): \(text) changed at \(event.kind)")
          }
          last = value
        }
      }
    }
  }
}
