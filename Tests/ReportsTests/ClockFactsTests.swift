// SPDX-License-Identifier: Apache-2.0
import LifetraceReports
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// What `clocks` prints of machines that talk to each other.
@Suite struct ClockFactsTests {
  private static let second: Int64 = 1_000_000_000

  /// Machines whose clocks show `shown` at a time, and who have a round trip with each other each second.
  private static func source(
    _ hosts: [String],
    seconds: Int64,
    shown: (_ host: Int, _ time: Int64) -> Int64
  ) -> MemorySource {
    var events = hosts.map { _ in [Event]() }
    var flow: UInt64 = 0
    func message(_ from: Int, _ sent: Int64, _ to: Int, _ received: Int64) {
      flow += 1
      let (sent, received) = (shown(from, sent), shown(to, received))
      events[from].append(Event(.messageSend, at: HostTime(rawValue: sent), identity: flow))
      events[to].append(Event(.messageReceive, at: HostTime(rawValue: received), identity: flow))
    }
    for number in 0..<seconds {
      for (one, other) in [(0, 1), (0, 2), (1, 2)] where other < hosts.count {
        let time = number * second + Int64(one + other) * 100_000_000
        message(one, time, other, time + 20_000)
        message(other, time + 30_000, one, time + 50_000)
      }
    }
    let writers = hosts.indices.map { host in
      var attributes = WriterAttributes(app: "app-\(hosts[host])")
      attributes.host = hosts[host]
      let ordered = events[host].sorted { $0.time < $1.time }
      return MemorySource.Writer(
        id: WriterID(high: 1, low: UInt64(host)),
        attributes: attributes,
        events: ordered
      )
    }
    return MemorySource(writers, names: Names())
  }

  private static func difference(_ facts: ClockFacts, _ name: String) -> String? {
    let text = facts.text.joined(separator: "\n") + "\n"
    return Golden.difference(text, "Traces/clocks/\(name).txt")
  }

  @Test func twoMachines() {
    let source = Self.source(["phone", "server"], seconds: 20) { host, time in
      host == 0 ? time : time + 3_600 * Self.second
    }
    let facts = ClockFacts(source)
    #expect(!facts.isDoubtful)
    #expect(Self.difference(facts, "two-machines") == nil)
  }

  /// What a picture of several machines says below its axis.
  @Test func theAxisSaysHowWellItsClocksLieOnIt() {
    func sentence(_ source: MemorySource) -> String? { Timeline(source).alignment.axisSentence }
    let two = Self.source(["phone", "server"], seconds: 20) { host, time in
      host == 0 ? time : time + 3_600 * Self.second
    }
    #expect(sentence(two) == "Its 2 clocks are put on that of phone: server to within ±606 µs.")
    let alone = Self.source(["phone"], seconds: 2) { _, time in time }
    #expect(sentence(alone) == nil)
    let strangers = Self.source(["phone", "server"], seconds: 0) { _, time in time }
    #expect(sentence(strangers)?.contains("as nothing compares their times") == true)
  }

  @Test("Of two clocks either may have stepped: it is not said that both have")
  func eitherOfTwoIsSetForward() {
    let source = Self.source(["phone", "server"], seconds: 20) { host, time in
      host == 1 && time > 10 * Self.second + Self.second / 2 ? time + 60 * Self.second : time
    }
    let steps = ClockFacts(source).text.filter { $0.contains("stepped") }
    #expect(steps.count == 2)
    #expect(steps.first?.hasPrefix("  phone, or server in its place, stepped ") == true)
    #expect(steps.last?.hasPrefix("  server, or phone in its place, stepped ") == true)
  }

  @Test func oneOfThreeIsSetForward() {
    let source = Self.source(["phone", "server", "watch"], seconds: 20) { host, time in
      host == 1 && time > 10 * Self.second + Self.second / 2 ? time + 60 * Self.second : time
    }
    let facts = ClockFacts(source)
    #expect(!facts.isDoubtful)
    #expect(Self.difference(facts, "set-forward") == nil)
  }

  @Test func aMachineThatStampsAtRandomIsNamed() {
    var random = SeededRandom(seed: SeededRandom.seed)
    let source = Self.source(["phone", "server", "watch"], seconds: 20) { host, time in
      host == 2 ? time + Int64(random.below(5)) * Self.second : time
    }
    let facts = ClockFacts(source)
    #expect(facts.isDoubtful)
    #expect(
      facts.text.contains(
        "  the clock of watch is set aside: 2 of 2 clocks that it has messages with contradict it"
      ),
      "\(facts.text)"
    )
  }

  @Test func oneClockIsCompared() {
    let source = Self.source(["phone"], seconds: 1) { $1 }
    #expect(
      ClockFacts(source).text == ["one clock, that of phone: its times are compared as they are"]
    )
  }
}
