// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import Support
import Testing

/// Moments that lie close together are ordered as each by itself.
@Suite struct ClockOrderTests {
  static let seeds = SeededRandom.seed..<SeededRandom.seed + 4

  @Test(arguments: seeds)
  func isThatOfTheGraph(_ seed: UInt64) {
    let world = ClockWorld(seed: seed, hosts: 6, seconds: 60, hasLiar: seed % 2 == 0)
    let graph = ClockGraph(clocks: world.rates, evidence: world.evidence)
    var order = ClockOrder(graph)
    var random = SeededRandom(seed: seed)
    var found: Set<MomentOrder> = []
    for event in world.events.prefix(400) {
      for step in 0..<10 {
        // A few in each stretch of the first clock, about when the other showed it.
        let instant = event.instant + Double(step) * 40e3
        let other = random.below(world.clocks.count)
        let one = Moment(event.clock, world.reading(of: event.clock, at: instant))
        let apart = (random.unit() - 0.5) * 4e6
        let there = Moment(other, world.reading(of: other, at: instant + apart))
        let expected = graph.order(one, there)
        #expect(order(one, there) == expected, "seed \(seed): \(one) and \(there)")
        found.insert(expected)
      }
    }
    #expect(found.count == 3)
  }
}
