// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import Support
import Testing

/// How wide bounds are at most: the least round trip nearby, and what rates make of the distance to it.
@Suite struct ClockWidthTests {
  /// A question and its answer, in nanoseconds: on clock 0 when it was sent and when answered, on clock 1
  /// when it came.
  private struct Trip {
    var sent: Int64
    var arrived: Int64
    var back: Int64

    /// Clock 1 answers at once.
    var evidence: [Evidence] {
      let there = Moment(1, arrived)
      return [
        Evidence(Moment(0, sent), before: there, .message),
        Evidence(there, before: Moment(0, back), .message),
      ]
    }
  }

  /// Trips at these times of clock 0, of which clock 1 is ahead by 5 s and goes wrong by `drift`.
  private func trips(
    at times: [Int64],
    drift: Double,
    _ random: inout SeededRandom,
    way: (inout SeededRandom) -> Int64
  ) -> [Trip] {
    times.map { sent in
      let arrived = sent + way(&random)
      let there = 5_000_000_000 + arrived + Int64(Double(arrived) * drift)
      return Trip(sent: sent, arrived: there, back: arrived + way(&random))
    }
  }

  private func graph(_ trips: [Trip]) -> ClockGraph {
    ClockGraph(clocks: [.counter, .counter], evidence: trips.flatMap(\.evidence))
  }

  @Test("At most the least round trip within ten seconds and twice 500 ppm of the distance to it")
  func formula() throws {
    for seed in SeededRandom.seed..<SeededRandom.seed + 40 {
      var random = SeededRandom(seed: seed)
      var time: Int64 = 0
      let times = (0..<20).map { _ in
        time += Int64(random.below(8_000_000_000)) + 1_000_000
        return time
      }
      let drift = (random.unit() - 0.5) * 400e-6
      let trips = trips(at: times, drift: drift, &random) { 20_000 + Int64($0.below(400_000)) }
      let graph = graph(trips)
      #expect(graph.pairs.first?.wander == 500e-6)
      for _ in 0..<200 {
        let asked = times[0] + Int64(random.below(Int(times[19] - times[0])))
        func distance(_ trip: Trip) -> Int64 { max(abs(asked - trip.sent), abs(trip.back - asked)) }
        let near = trips.filter { distance($0) <= 10_000_000_000 }
        let allowed = near.map { trip in
          Double(trip.back - trip.sent) + 2 * 500e-6 * Double(distance(trip))
        }
        let found = graph.interval(of: Moment(0, asked), on: 1)
        // Clock 1 counts what is said of clock 0 by its own rate, and rounds.
        let most = try #require(allowed.min()) * 1.001 + 4
        #expect(try Double(#require(found.width)) <= most, "seed \(seed) at \(asked)")
      }
    }
  }

  @Test("A hundred round trips a second for 300 s: nearly everywhere at most 1.2 of the least one")
  func loopback() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    let times = (0..<30_000).map { Int64($0) * 10_000_000 }
    // Seven microseconds each way, and rarely more than twice that.
    let trips = trips(at: times, drift: 31e-6, &random) { random in
      7_000 + Int64(700 * random.unit()) + (random.once(in: 10) ? Int64(random.below(20_000)) : 0)
    }
    let graph = graph(trips)
    let least = try #require(trips.map { $0.back - $0.sent }.min())
    var widths: [Int64] = []
    for _ in 0..<5_000 {
      let asked = Int64(random.below(300_000_000_000))
      widths.append(try #require(graph.interval(of: Moment(0, asked), on: 1).width))
    }
    widths.sort()
    #expect(5 * widths[4_950] <= 6 * least, "\(widths[4_950]) of \(least)")
  }

  @Test("Ten times as many messages as are kept: no wider for it, and all of them are counted")
  func thinned() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    let count = 10 * ThinnedEvidence.piecesMax / 2
    let times = (0..<count).map { Int64($0) * 10_000_000 }
    let trips = trips(at: times, drift: 31e-6, &random) { random in
      7_000 + Int64(700 * random.unit()) + (random.once(in: 10) ? Int64(random.below(20_000)) : 0)
    }
    var thinned = ThinnedEvidence(clocks: [.counter, .counter])
    for piece in trips.lazy.flatMap(\.evidence) {
      thinned.add(piece)
      if thinned.pieces.count > ThinnedEvidence.piecesMax { Issue.record("unbounded") }
    }
    let graph = ClockGraph(
      clocks: [.counter, .counter],
      evidence: thinned.pieces,
      gone: thinned.gone
    )
    #expect(graph.contradictions.isEmpty)
    #expect(try #require(graph.pairs.first).counts == (count, count))
    let least = try #require(trips.map { $0.back - $0.sent }.min())
    var widths: [Int64] = []
    for _ in 0..<5_000 {
      let trip = trips[random.below(trips.count)]
      let found = graph.interval(of: Moment(0, trip.sent), on: 1)
      let truth = 5_000_000_000 + trip.sent + Int64(Double(trip.sent) * 31e-6)
      #expect(found.contains(truth), "\(trip)")
      widths.append(try #require(found.width))
    }
    widths.sort()
    #expect(5 * widths[4_950] <= 6 * least, "\(widths[4_950]) of \(least)")
  }

  @Test(
    "A narrow rate takes eight trips and 100 s",
    arguments: [(7, 400.0, false), (8, 98.0, false), (8, 400.0, true), (40, 98.0, false)]
  )
  func support(trips count: Int, seconds: Double, isNarrow: Bool) throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    let apart = Int64(seconds * 1e9) / Int64(count - 1)
    let times = (0..<count).map { Int64($0) * apart }
    let trips = trips(at: times, drift: 20e-6, &random) { _ in 10_000 }
    let pair = try #require(graph(trips).pairs.first)
    #expect(isNarrow ? pair.wander <= 50e-6 : pair.wander == 500e-6, "\(pair)")
  }
}
