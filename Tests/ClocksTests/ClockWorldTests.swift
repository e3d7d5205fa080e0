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

  private func judgeAxis(_ world: ClockWorld, _ graph: ClockGraph, _ seed: UInt64) {
    var spans = [ClosedRange<Int64>?](repeating: nil, count: world.clocks.count)
    for moment in world.evidence.flatMap({ [$0.earlier, $0.later] }) {
      let span = spans[moment.clock] ?? moment.time...moment.time
      spans[moment.clock] = min(span.lowerBound, moment.time)...max(span.upperBound, moment.time)
    }
    let guesses = [Int64?](repeating: nil, count: spans.count)
    let axis = ClockAxis(graph, evidence: world.evidence, spans: spans, guesses: guesses)
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
}
