// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetracePlatform
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// Limits between machines: over, within, or undecidable, and never the wrong one.
///
/// A reply that left in time and never came is no kept one.
///
/// LIFETRACE_TEST_SCALE=200 makes it 10,000 worlds.
@Suite struct MachineSweepTests {
  private static let scale = environment("LIFETRACE_TEST_SCALE").flatMap { UInt64($0) } ?? 1
  static let seeds = SeededRandom.seed..<SeededRandom.seed + 50 * scale

  private static let budget: Int64 = 2_000_000_000

  /// A phone that asks a server, and ends before it has heard: when the reply was sent is known by
  /// the messages around it alone.
  private struct World {
    let source: MemorySource
    /// Nanoseconds from the deadline on, by the phone's clock, at which the reply was truly sent.
    let late: Int64

    init(seed: UInt64, late: Int64) {
      var random = SeededRandom(seed: seed)
      self.late = late
      let ahead = Int64(random.below(1 << 50))
      let rate = 1 + (random.unit() - 0.5) * 300e-6
      let asked: Int64 = 6_000_000_000
      let sent = asked + MachineSweepTests.budget + late
      var names = Names()
      let (phone, server) = (names.intern("phone"), names.intern("server"))
      var events: [[(time: Int64, event: Event)]] = [[], []]
      func add(_ here: Int, _ time: Int64, _ payload: some EventPayload) {
        let own = here == 0 ? time : ahead + Int64(Double(time) * rate)
        events[here].append((time, Event(payload, at: HostTime(rawValue: own))))
      }
      func message(_ from: Int, _ time: Int64, _ flow: UInt64) -> Int64 {
        let peer = [server, phone]
        let to = peer[from]
        add(from, time, Payload.MessageSend(flow: flow, peer: to, bytes: 1, hlc: 0, count: 1))
        let arrived = time + 20_000 + Int64(random.below(400_000))
        add(
          1 - from,
          arrived,
          Payload.MessageReceive(flow: flow, peer: peer[1 - from], bytes: 1, hlc: 0, count: 1)
        )
        return arrived
      }
      // Round trips before and behind, none near the reply.
      var flow: UInt64 = 100
      for trip in 0..<10 {
        for start in [Int64(0), 9_000_000_000] {
          let time = start + Int64(trip) * 400_000_000 + Int64(random.below(1_000_000))
          let there = message(0, time, flow)
          _ = message(1, there + 1_000, flow + 1)
          flow += 2
        }
      }
      let budget = MachineSweepTests.budget
      add(0, asked, Payload.DeadlineOpen(id: 1, what: .empty, budget: budget, clock: .wall))
      _ = message(0, asked, 1)
      add(1, sent, Payload.MessageTrace(flow: 2, high: 7, low: 8, parent: 1))
      add(1, sent, Payload.MessageSend(flow: 2, peer: phone, bytes: 1, hlc: 0, count: 1))
      let writers = ["phone", "server"].enumerated().map { number, app in
        var attributes = WriterAttributes(app: app)
        (attributes.boot, attributes.host) = ("boot of \(app)", app)
        attributes.clock = .monotonic
        return MemorySource.Writer(
          id: WriterID(high: 1, low: UInt64(number)),
          attributes: attributes,
          events: events[number].sorted { $0.time < $1.time }.map(\.event)
        )
      }
      source = MemorySource(writers, names: names)
    }

    /// What MS02 says of when the reply left: late, in time, or nil for neither; and why it does not say
    /// more.
    var verdict: (isLate: Bool?, reason: String) {
      let checker = Judgement(rules: (try? RuleSelection("MS02")) ?? .all).checker(of: source)
      let counts = checker.counts.filter { $0.rule == "MS02" }
      if counts.contains(where: { $0.violated > 0 }) { return (true, "") }
      for verdict in checker.finish() {
        guard case .undecidable(let reason) = verdict.outcome else { continue }
        return ("\(reason)".contains("whether it came in time") ? false : nil, "\(reason)")
      }
      return (nil, counts.contains { $0.held > 0 } ? "kept" : "")
    }

    /// From the earliest to the latest time at which the reply was sent, by the phone's clock.
    var width: Int64 {
      let clocks = RecordingClocks(source)
      let (phone, server) = (StreamID(rawValue: 0), StreamID(rawValue: 1))
      let reply = source.events(chunk: 0, of: server).first {
        $0.kind == .messageSend && $0.identity == 2
      }
      return reply.flatMap { clocks.interval($0.time, of: server, on: phone).width } ?? 0
    }
  }

  @Test("Over three widths it goes from sent in time to undecidable to over", arguments: seeds)
  func sweep(_ seed: UInt64) {
    let width = World(seed: seed, late: 0).width
    #expect(width > 0 && width < 100_000_000, "seed \(seed)")
    var undecided = 0
    var last = -1
    for step in -12...12 {
      let late = width * Int64(step) / 4
      let world = World(seed: seed, late: late)
      let (isLate, reason) = world.verdict
      // Truth contradicts no verdict.
      if let isLate { #expect(isLate == (late > 0), "seed \(seed), \(late) ns late") }
      if isLate == nil {
        undecided += 1
        #expect(reason.contains("undecidable by "), "seed \(seed), \(late) ns late: \(reason)")
      }
      if abs(step) > 4 { #expect(isLate != nil, "seed \(seed), \(late) ns late") }
      let order = isLate.map { $0 ? 2 : 0 } ?? 1
      #expect(order >= last, "seed \(seed), \(late) ns late")
      last = order
    }
    #expect(undecided > 0, "seed \(seed)")
  }
}
