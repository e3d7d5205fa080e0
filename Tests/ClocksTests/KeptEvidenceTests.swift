// SPDX-License-Identifier: Apache-2.0
@testable import LifetraceClocks
import Support
import Testing

/// Evidence in bounded memory proves what all of it proves, to within what rates make of a grain.
@Suite struct KeptEvidenceTests {
  static let seeds = SeededRandom.seed..<SeededRandom.seed + 6

  @Test("Few pieces stay as they came")
  func few() {
    let world = ClockWorld(seed: SeededRandom.seed, hosts: 3, seconds: 60, hasLiar: false)
    var kept = KeptEvidence(piecesMax: world.evidence.count)
    for piece in world.evidence { kept.add(piece) }
    kept.finish()
    #expect(!kept.isThinned)
    #expect(kept.pieces.map(\.label) == world.evidence.map(\.label))
  }

  @Test("Of many the truth stays inside of what all allow", arguments: seeds)
  func many(_ seed: UInt64) {
    let world = ClockWorld(seed: seed, hosts: 8, seconds: 300, hasLiar: false)
    var kept = KeptEvidence(piecesMax: 600)
    for piece in world.evidence { kept.add(piece) }
    kept.finish()
    #expect(kept.isThinned && kept.pieces.count <= 600, "seed \(seed)")
    #expect(kept.pieces.reduce(0) { $0 + Int($1.count) } == world.evidence.count, "seed \(seed)")
    let whole = ClockGraph(clocks: world.rates, evidence: world.evidence)
    let graph = ClockGraph(clocks: world.rates, evidence: kept.pieces)
    // A clock that has stepped is in doubt for longer where less is known of it.
    let stepped = Set((whole.steps + graph.steps).map(\.clock))
    for event in world.events where !stepped.contains(event.clock) {
      let moment = Moment(event.clock, world.reading(of: event.clock, at: event.instant))
      let (bounds, all) = (graph.bounds(of: moment), whole.bounds(of: moment))
      for clock in world.clocks.indices where world.isAwake(clock, at: event.instant) {
        let interval = graph.interval(bounds, on: clock)
        let truth = world.reading(of: clock, at: event.instant)
        #expect(interval.contains(truth), "seed \(seed): \(moment) on \(clock)")
        guard stepped.isEmpty else { continue }
        let narrow = whole.interval(all, on: clock)
        let isInside =
          (interval.low ?? .min) <= (narrow.low ?? .min).plus(4)
          && (interval.high ?? .max) >= (narrow.high ?? .max).minus(4)
        #expect(isInside, "seed \(seed): \(moment) on \(clock): \(narrow) in \(interval)")
      }
    }
  }

  @Test("Times at the ends of what there is do not trap")
  func hostile() {
    let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    var random = SeededRandom(seed: SeededRandom.seed)
    var kept = KeptEvidence(piecesMax: 20)
    for _ in 0..<2_000 {
      let (one, other) = (extremes[random.below(7)], extremes[random.below(7)])
      kept.add(Evidence(Moment(random.below(3), one), before: Moment(3, other), .message))
    }
    #expect(kept.pieces.count <= 60)
    #expect(kept.pieces.reduce(0) { $0 + Int($1.count) } == 2_000)
  }
}
