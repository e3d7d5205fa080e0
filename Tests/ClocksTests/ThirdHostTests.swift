// SPDX-License-Identifier: Apache-2.0
@testable import LifetraceClocks
import Support
import Testing

/// What a machine more changes about the others: nothing without messages to them; with messages bounds
/// get narrower, and what was proved stays.
@Suite struct ThirdHostTests {
  static let seeds = SeededRandom.seed..<SeededRandom.seed + 12

  @Test(arguments: seeds)
  func onlyNarrows(_ seed: UInt64) throws {
    let world = ClockWorld(seed: seed, hosts: 4, seconds: 120, hasLiar: false)
    let last = Set(world.clocks.indices.filter { world.clocks[$0].host == 3 })
    let without = world.evidence.filter { piece in
      !last.contains(piece.earlier.clock) && !last.contains(piece.later.clock)
    }
    let present = ClockGraph(clocks: world.rates, evidence: without)
    let absent = ClockGraph(
      clocks: Array(world.rates.prefix(try #require(last.min()))),
      evidence: without
    )
    let talking = ClockGraph(clocks: world.rates, evidence: world.evidence)
    let others = world.clocks.indices.filter { !last.contains($0) }
    let isSteady = talking.steps.isEmpty && present.steps.isEmpty
    for number in stride(from: 0, to: world.events.count, by: 7)
    where !last.contains(world.events[number].clock) {
      let event = world.events[number]
      let moment = Moment(event.clock, world.reading(of: event.clock, at: event.instant))
      for other in others where other != event.clock {
        let known = present.interval(of: moment, on: other)
        #expect(absent.interval(of: moment, on: other) == known, "seed \(seed)")
        guard isSteady else { continue }
        let narrow = talking.interval(of: moment, on: other)
        #expect((known.low ?? .min) <= (narrow.low ?? .min).plus(2), "seed \(seed)")
        #expect((known.high ?? .max) >= (narrow.high ?? .max).minus(2), "seed \(seed)")
        for apart in [-400e3, -20e3, 20e3, 400e3] {
          let there = Moment(other, world.reading(of: other, at: event.instant + apart))
          let (before, after) = (present.order(moment, there), talking.order(moment, there))
          #expect(before == .cannotSay || before == after, "seed \(seed): \(moment), \(there)")
        }
      }
    }
  }
}
