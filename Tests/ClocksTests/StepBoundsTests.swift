// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import Testing

/// Small worlds in which a bound once did not hold the truth: each is what is left of a random one.
@Suite struct StepBoundsTests {
  /// Clocks as functions of true milliseconds, and who sent what to whom when.
  private struct World {
    var clocks: [(Int) -> Int]
    var messages: [(from: Int, sent: Int, to: Int, received: Int)] = []

    /// A question at each of some times and its answer a millisecond later.
    mutating func trips(_ one: Int, _ other: Int, at times: some Sequence<Int>) {
      for time in times {
        messages.append((one, time, other, time + 1))
        messages.append((other, time + 2, one, time + 3))
      }
    }

    func moment(_ clock: Int, _ instant: Int) -> Moment {
      Moment(clock, Int64(clocks[clock](instant)) * 1_000_000)
    }

    var graph: ClockGraph {
      let evidence = messages.map {
        Evidence(moment($0.from, $0.sent), before: moment($0.to, $0.received), .message)
      }
      return ClockGraph(clocks: clocks.map { _ in .counter }, evidence: evidence)
    }

    /// At each send and receive each clock shows what it is said to.
    func judge(_ location: SourceLocation = #_sourceLocation) {
      let graph = graph
      let events =
        messages.map { ($0.from, $0.sent) } + messages.map { ($0.to, $0.received) }
      for (clock, instant) in events {
        for other in clocks.indices where other != clock {
          let found = graph.interval(of: moment(clock, instant), on: other)
          #expect(
            found.contains(moment(other, instant).time),
            "\(clock) at \(instant) ms on \(other): \(found)",
            sourceLocation: location
          )
        }
      }
    }
  }

  private static func ahead(from start: Int) -> (Int) -> Int {
    { $0 >= start ? $0 + 3_600_000 : $0 }
  }

  private static func asleep(_ from: Int, _ to: Int) -> (Int) -> Int {
    { $0 - max(0, min($0, to) - from) }
  }

  @Test("A message one way between two steps says nothing about which of them was first")
  func oneWay() {
    var world = World(clocks: [Self.ahead(from: 65_000), Self.asleep(40_000, 64_000)])
    world.trips(0, 1, at: stride(from: 0, to: 40_000, by: 10_000))
    world.messages.append((1, 64_500, 0, 64_501))
    world.trips(0, 1, at: stride(from: 75_000, to: 130_000, by: 10_000))
    world.judge()
  }

  @Test("Both are set forward by as much: what is sent in between looks like one wrong message")
  func asMuch() {
    var world = World(clocks: [Self.ahead(from: 41_000), Self.ahead(from: 46_000)])
    world.trips(0, 1, at: stride(from: 0, to: 130_000, by: 10_000))
    world.messages.append((0, 43_000, 1, 43_001))
    world.judge()
    // Before and behind, where it is asked again, nothing is lost.
    let graph = world.graph
    for instant in [30_001, 60_001] {
      let found = graph.interval(of: world.moment(0, instant), on: 1)
      #expect(found.width.map { $0 < 4_000_000 } == true, "\(found)")
    }
  }

  @Test("Two of three are set forward by as much: the third one looks as if it had gone back")
  func twoOfThree() {
    var world = World(clocks: [Self.ahead(from: 58_000), Self.ahead(from: 61_000), { $0 }])
    world.trips(0, 1, at: stride(from: 7_000, to: 130_000, by: 10_000))
    world.trips(0, 2, at: stride(from: 2_000, to: 130_000, by: 10_000))
    world.trips(1, 2, at: stride(from: 4_000, to: 130_000, by: 10_000))
    world.messages.append((0, 59_000, 2, 59_001))
    world.judge()
  }

  @Test("A step behind a sleep, and a third machine that begins between them")
  func stepBehindSleep() {
    var world = World(clocks: [Self.asleep(137_000, 165_000), Self.ahead(from: 159_000), { $0 }])
    world.trips(0, 1, at: stride(from: 1_000, to: 137_000, by: 10_000))
    world.trips(0, 1, at: stride(from: 166_000, to: 300_000, by: 10_000))
    world.trips(1, 2, at: stride(from: 143_000, to: 300_000, by: 10_000))
    world.trips(0, 2, at: stride(from: 167_000, to: 300_000, by: 10_000))
    world.judge()
  }

  @Test("In doubt a clock is only trusted not to run back")
  func doubt() throws {
    var world = World(clocks: [{ $0 }, Self.ahead(from: 60_500)])
    world.trips(0, 1, at: stride(from: 0, to: 130_000, by: 10_000))
    let found = world.graph.interval(of: world.moment(0, 65_000), on: 1)
    #expect(try #require(found.low) <= 60_002_000_000)
    #expect(try #require(found.high) >= 3_670_000_000_000)
    #expect(try #require(found.width) < 3_621_000_000_000, "\(found)")
  }
}
