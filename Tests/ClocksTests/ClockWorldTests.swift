// SPDX-License-Identifier: Apache-2.0
@testable import LifetraceClocks
import LifetracePlatform
import Support
import Testing

/// Worlds whose truth is known: it lies within the bounds at each event that is asked about.
///
/// LIFETRACE_TEST_SCALE=200 makes it 200 worlds of 64 machines, 600 of eight and 300 of four, and each event
/// is asked about then; always on each clock.
@Suite struct ClockWorldTests {
  private static let scale = environment("LIFETRACE_TEST_SCALE").flatMap { UInt64($0) } ?? 1
  /// The last of each are those in which a bound was wrong once, or somebody honest was set aside.
  static let seeds = Array(SeededRandom.seed..<SeededRandom.seed + 3 * scale) + [119, 183]
  static let largeSeeds = Array(SeededRandom.seed..<SeededRandom.seed + max(2, scale)) + [57, 62]
  static let pairSeeds = Array(1..<401) + [10_966, 16_050, 16_148] as [UInt64]
  /// The last of them are those of the first 300 whose bounds were wrong once.
  static let fewSeeds: [UInt64] =
    scale > 1 ? Array(1..<301) : Array(1..<21) + [21, 22, 30, 103, 183, 191, 206, 208, 209]

  @Test("Two machines: nothing tells who of them steps, truth is inside", arguments: pairSeeds)
  func pair(_ seed: UInt64) {
    let world = ClockWorld(seed: seed, hosts: 2, seconds: 120, hasLiar: false)
    let graph = ClockGraph(clocks: world.rates, evidence: world.evidence)
    #expect(graph.contradictions.clocks.isEmpty, "seed \(seed)")
    judgeTruth(world, graph, seed, asked: .max, liars: [])
  }

  @Test("Four machines, all honest or one not: truth is inside", arguments: fewSeeds)
  func few(_ seed: UInt64) {
    for hasLiar in [false, true] {
      let world = ClockWorld(seed: seed, hosts: 4, seconds: 300, hasLiar: hasLiar)
      let graph = ClockGraph(clocks: world.rates, evidence: world.evidence)
      let liars = world.clocks.indices.filter { world.clocks[$0].host == world.liar }
      #expect(graph.contradictions.clocks.map(\.clock).sorted() == liars, "seed \(seed)")
      judgeTruth(world, graph, seed, asked: .max, liars: liars)
    }
  }

  @Test("Eight machines: truth inside, the liar named, messages in order", arguments: seeds)
  func small(_ seed: UInt64) { judge(seed, hosts: 8, asked: Self.scale > 1 ? .max : 300) }

  @Test("Sixty-four machines", arguments: largeSeeds)
  func large(_ seed: UInt64) { judge(seed, hosts: 64, asked: Self.scale > 1 ? .max : 60) }

  /// Worlds of many messages, of which a fourth is kept, or less.
  @Test(
    "Many messages: of what is left the truth is inside, and the liar named",
    arguments: 1...UInt64(4 * scale)
  )
  func many(_ seed: UInt64) {
    let world = ClockWorld(
      seed: seed,
      hosts: 4,
      seconds: 120,
      hasLiar: seed % 2 == 0,
      askedPerTenSeconds: 100
    )
    var thinned = ThinnedEvidence(clocks: world.rates, piecesMax: 4_096)
    for piece in world.evidence { thinned.add(piece) }
    #expect(thinned.pieces.count < 4_096, "seed \(seed)")
    #expect(world.evidence.count > 4 * thinned.pieces.count, "seed \(seed)")
    let graph = ClockGraph(clocks: world.rates, evidence: thinned.pieces, gone: thinned.gone)
    let liars = world.clocks.indices.filter { world.clocks[$0].host == world.liar }
    #expect(graph.contradictions.clocks.map(\.clock).sorted() == liars, "seed \(seed)")
    judgeTruth(world, graph, seed, asked: 2_000, liars: liars)
  }

  private func judge(_ seed: UInt64, hosts: Int, asked: Int) {
    let world = ClockWorld(seed: seed, hosts: hosts, seconds: 300, hasLiar: seed % 2 == 0)
    let graph = ClockGraph(clocks: world.rates, evidence: world.evidence)
    let liars = world.clocks.indices.filter { world.clocks[$0].host == world.liar }
    #expect(graph.contradictions.clocks.map(\.clock).sorted() == liars, "seed \(seed)")
    let others = graph.contradictions.pairs.filter { pair in
      !liars.contains(pair.first) && !liars.contains(pair.second)
    }
    #expect(others.isEmpty, "seed \(seed): who does not lie is believed")
    judgeTruth(world, graph, seed, asked: asked, liars: liars)
    judgeAxis(world, graph, seed)
  }

  private func judgeTruth(
    _ world: ClockWorld,
    _ graph: ClockGraph,
    _ seed: UInt64,
    asked: Int,
    liars: [Int]
  ) {
    let stride = max(1, world.events.count / asked)
    for number in Swift.stride(from: 0, to: world.events.count, by: stride) {
      let event = world.events[number]
      guard !liars.contains(event.clock) else { continue }
      let moment = Moment(event.clock, world.reading(of: event.clock, at: event.instant))
      let bounds = graph.bounds(of: moment)
      for clock in world.clocks.indices
      where world.isAwake(clock, at: event.instant) && !liars.contains(clock) {
        let truth = world.reading(of: clock, at: event.instant)
        let interval =
          clock == event.clock
          ? ClockInterval(low: truth, high: truth) : graph.interval(bounds, on: clock)
        if !interval.contains(truth) {
          Issue.record("seed \(seed): \(moment) on \(clock) at \(event.instant)")
        }
      }
    }
  }

  @Test(
    "Where no clock steps each event stands within what is proved of it, and orders as they are proved"
  )
  func places() {
    var (judged, between) = (0, 0)
    for seed in UInt64(1)...60 {
      for hosts in [2, 4] {
        let world = ClockWorld(seed: seed, hosts: hosts, seconds: 120, hasLiar: false)
        let graph = ClockGraph(clocks: world.rates, evidence: world.evidence)
        guard graph.steps.isEmpty, graph.contradictions.pieces.isEmpty else { continue }
        judged += 1
        let axis = axis(world, graph)
        let events = world.events.map {
          Moment($0.clock, world.reading(of: $0.clock, at: $0.instant))
        }
        let places = events.map { axis.maps[$0.clock].axis($0.time) }
        for (event, place) in zip(events, places) {
          let interval = graph.interval(of: event, on: axis.references[event.clock])
          let isInside =
            place >= (interval.low ?? .min).minus(slack)
            && place <= (interval.high ?? .max).plus(slack)
          #expect(isInside, "seed \(seed): \(event) at \(place), within \(interval)")
        }
        for (one, other) in zip(events.indices, events.indices.dropFirst(3)) {
          guard graph.order(events[one], events[other]) == .before else { continue }
          between += events[one].clock == events[other].clock ? 0 : 1
          #expect(places[one] <= places[other].plus(slack), "seed \(seed): \(events[one])")
        }
      }
    }
    #expect(judged >= 20, "worlds without steps")
    #expect(between >= 1_000, "orders between clocks")
  }

  /// Bounds are rounded outward, and places rounded.
  private var slack: Int64 { 16 }

  private func judgeAxis(_ world: ClockWorld, _ graph: ClockGraph, _ seed: UInt64) {
    let axis = axis(world, graph)
    #expect(axis.isOrdered, "seed \(seed)")
    let known = Set(graph.pairs.map { [$0.clocks.0, $0.clocks.1] })
    let odd = Set(graph.contradictions.pieces)
    for (index, piece) in world.evidence.enumerated() where !odd.contains(index) {
      let (one, other) = (piece.earlier.clock, piece.later.clock)
      guard known.contains([min(one, other), max(one, other)]) else { continue }
      let sent = axis.maps[one].axis(piece.earlier.time)
      let received = axis.maps[other].axis(piece.later.time)
      #expect(sent <= received, "seed \(seed): message \(index)")
    }
    for map in axis.maps {
      for (knot, next) in zip(map.knots, map.knots.dropFirst()) {
        #expect(knot.raw < next.raw && knot.axis <= next.axis, "seed \(seed)")
      }
    }
  }

  private func axis(_ world: ClockWorld, _ graph: ClockGraph) -> ClockAxis {
    var spans = [ClosedRange<Int64>?](repeating: nil, count: world.clocks.count)
    for moment in world.evidence.flatMap({ [$0.earlier, $0.later] }) {
      let span = spans[moment.clock] ?? moment.time...moment.time
      spans[moment.clock] = min(span.lowerBound, moment.time)...max(span.upperBound, moment.time)
    }
    let guesses = [Int64?](repeating: nil, count: spans.count)
    return ClockAxis(graph, evidence: world.evidence, spans: spans, guesses: guesses)
  }
}
