// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import Support
import Testing

/// What is proved about two or three clocks, and what is not.
@Suite struct ClockGraphTests {
  private let second: Int64 = 1_000_000_000

  /// Round trips of `way` nanoseconds each way between clock 0 and `other`, which is `ahead` at a time of 0.
  private func trips(
    _ times: some Sequence<Int64>,
    _ other: Int = 1,
    way: Int64 = 10_000,
    ahead: (Int64) -> Int64
  ) -> [Evidence] {
    times.flatMap { time -> [Evidence] in
      let arrived = time + way
      let back = arrived + way
      let there = Moment(other, arrived + ahead(arrived))
      return [
        Evidence(Moment(0, time), before: there, .message),
        Evidence(there, before: Moment(0, back), .message),
      ]
    }
  }

  private func graph(_ evidence: [Evidence], clocks: Int = 2) -> ClockGraph {
    ClockGraph(clocks: Array(repeating: .counter, count: clocks), evidence: evidence)
  }

  @Test("Messages one way leave the other side open")
  func oneSided() {
    let graph = graph([Evidence(Moment(0, 100), before: Moment(1, 5_100), .message)])
    let interval = graph.interval(of: Moment(0, 100), on: 1)
    #expect(interval.low == nil)
    #expect(interval.high.map { (5_100...5_102).contains($0) } == true)
    #expect(interval.width == nil)
    #expect(graph.interval(of: Moment(1, 5_100), on: 0).low.map { $0 <= 100 } == true)
    #expect(graph.order(Moment(0, 100), Moment(1, 9_000)) == .before)
    #expect(graph.order(Moment(0, 100), Moment(1, 4_000)) == .cannotSay)
  }

  @Test("The width is the round trip, and away from it what rates may make of the distance")
  func width() {
    let graph = graph(trips([0, 20 * second]) { _ in 3_600 * second })
    let at = graph.interval(of: Moment(0, 10_000), on: 1)
    #expect(at.width.map { (20_000...20_100).contains($0) } == true)
    // Ten seconds away from both, at 500 parts in a million either way.
    let between = graph.interval(of: Moment(0, 10 * second), on: 1)
    #expect(between.width.map { (10_000_000...10_100_000).contains($0) } == true)
    #expect(between.contains(10 * second + 3_600 * second))
  }

  @Test("A steady drift becomes a trend once it is supported, and no sooner")
  func trend() throws {
    func drift(_ time: Int64) -> Int64 { time / 5_000 }
    let short = graph(trips((0..<90).map { $0 * second }, ahead: drift))
    #expect(try #require(short.pairs.first).wander == 500e-6)
    let long = graph(trips((0..<400).map { $0 * second }, ahead: drift))
    let pair = try #require(long.pairs.first)
    #expect(abs(pair.trend - 200e-6) < 1e-6)
    #expect(pair.wander == 1e-6)
    let between = long.interval(of: Moment(0, 150 * second + second / 2), on: 1)
    #expect(between.contains(150 * second + second / 2 + drift(150 * second + second / 2)))
    #expect(between.width.map { $0 < 25_000 } == true)
    // A rate that moves by more than it may from stretch to stretch supports only what it does.
    let bent = graph(
      trips((0..<300).map { $0 * second }) { time in
        drift(time) + (time > 150 * second ? (time - 150 * second) / 50_000 : 0)
      }
    )
    #expect(try #require(bent.pairs.first).wander == 50e-6)
  }

  @Test("Width comes with the round trip: slow ones support no narrow rate")
  func slowTrips() throws {
    let graph = graph(trips((0..<300).map { $0 * second }, way: 20_000_000) { _ in 0 })
    #expect(try #require(graph.pairs.first).wander == 500e-6)
  }

  @Test("A step is found, bounded on both sides and never averaged")
  func step() throws {
    let hour = 3_600 * second
    let evidence = trips((0..<20).map { $0 * second }) { $0 > 10 * second ? hour : 0 }
    let graph = graph(evidence)
    // Two clocks: it may be either.
    #expect(graph.steps.map(\.clock) == [0, 1])
    #expect(graph.steps.map(\.others) == [[1], [0]])
    let step = try #require(graph.steps.first)
    // From the last round trip before it to the first whose both ways are surely behind it.
    #expect(step.from >= 9 * second && step.to <= 12 * second + 40_000)
    let before = graph.interval(of: Moment(0, 5 * second), on: 1)
    #expect(before.contains(5 * second))
    #expect(before.width.map { $0 < second / 100 } == true)
    let after = graph.interval(of: Moment(0, 15 * second), on: 1)
    #expect(after.contains(15 * second + hour))
    #expect(after.width.map { $0 < second / 100 } == true)
    #expect(graph.contradictions.isEmpty)
  }

  @Test("With a third clock it is known who stepped")
  func stepOfOne() {
    let hour = 3_600 * second
    let times = (0..<20).map { $0 * second }
    func ahead(_ time: Int64) -> Int64 { time > 10 * second ? hour : 0 }
    let evidence =
      trips(times, 1, ahead: ahead) + trips(times.map { $0 + second / 2 }, 2) { -ahead($0) }
    // Both part from clock 0 at the same time, the one ahead and the other behind.
    let graph = graph(evidence, clocks: 3)
    #expect(graph.steps.map(\.clock) == [0])
    #expect(graph.steps.map(\.others) == [[]])
  }

  @Test("A message that the others contradict is set aside by its number")
  func oddMessage() {
    var evidence = trips((0..<20).map { $0 * second }) { _ in 7 * second }
    evidence.insert(
      Evidence(Moment(0, 10 * second), before: Moment(1, 12 * second), .message, label: 99),
      at: 20
    )
    let graph = graph(evidence)
    #expect(graph.contradictions.pieces == [20])
    #expect(graph.steps.isEmpty)
    #expect(graph.interval(of: Moment(0, 10 * second), on: 1).contains(17 * second))
  }

  @Test("Three clocks that agree two by two and not all together: a pair is set aside")
  func loop() {
    let times = (0..<20).map { $0 * second }
    let evidence =
      trips(times, 1) { _ in 0 } + trips(times, 2) { _ in 0 }
      // Between 1 and 2, as if 2 were a second behind.
      + times.flatMap {
        [
          Evidence(Moment(1, $0), before: Moment(2, $0 + 10_000 - second), .message),
          Evidence(Moment(2, $0 + 10_000 - second), before: Moment(1, $0 + 20_000), .message),
        ]
      }
    let graph = graph(evidence, clocks: 3)
    #expect(graph.contradictions.pairs.count == 1)
    #expect(graph.contradictions.clocks.isEmpty)
    #expect(graph.pairs.count == 2)
  }

  @Test("Bounds are chained over clocks, and the tightest chain counts")
  func chain() {
    let evidence =
      trips([0, second], 1) { _ in 5 * second }
      + trips([second / 4], 2, way: 1_000) { _ in 9 * second }
    let graph = graph(evidence, clocks: 3)
    let interval = graph.interval(of: Moment(1, 5 * second + 10_000), on: 2)
    #expect(interval.contains(9 * second + 10_000))
    #expect(interval.width.map { $0 < 1_000_000 } == true)
    #expect(
      graph.order(Moment(1, 5 * second + 10_000), Moment(2, 9 * second + 2_000_000)) == .before
    )
    #expect(
      graph.order(Moment(2, 9 * second + 2_000_000), Moment(1, 5 * second + 10_000)) == .after
    )
    #expect(graph.order(Moment(1, 5 * second + 10_000), Moment(2, 9 * second)) == .cannotSay)
    let duration = graph.duration(
      from: Moment(1, 5 * second + 10_000),
      to: Moment(2, 10 * second)
    )
    #expect(duration.contains(second - 10_000))
  }

  @Test("A declared width counts as evidence of both sides")
  func declared() {
    let graph = graph(Evidence.same(Moment(0, second), Moment(1, 50 * second), within: second))
    let interval = graph.interval(of: Moment(0, second), on: 1)
    #expect(interval.contains(49 * second) && interval.contains(51 * second))
    #expect(interval.width.map { $0 <= 2 * second + 10 } == true)
  }

  @Test("Times at the ends of what there is neither trap nor lie")
  func hostile() {
    let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    var random = SeededRandom(seed: SeededRandom.seed)
    for _ in 0..<200 {
      let evidence = (0..<12).map { _ in
        Evidence(
          Moment(random.below(3), extremes[random.below(7)]),
          before: Moment(random.below(3), extremes[random.below(7)]),
          .message
        )
      }
      let graph = graph(evidence, clocks: 3)
      let axis = ClockAxis(
        graph,
        evidence: evidence,
        spans: [.min ... .max, nil, 0...0],
        guesses: [.max, .min, nil]
      )
      for time in extremes {
        _ = graph.interval(of: Moment(0, time), on: 1)
        _ = axis.maps[1].raw(axis.maps[1].axis(time))
      }
      for map in axis.maps {
        let stands = extremes.map { map.axis($0) }
        #expect(stands == stands.sorted(), "\(evidence)")
      }
    }
  }
}
