// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// No message of several machines stands before its send: not in order, and not in printed times.
///
/// LIFETRACE_TEST_SCALE=200 makes it a million messages, more than are kept as evidence or held at a time.
@Suite struct ManyMessagesTests {
  private static let scale = environment("LIFETRACE_TEST_SCALE").flatMap { Int($0) } ?? 1
  private static let hosts = 4

  /// Machines that are seconds and hundreds of parts in a million apart, and as many messages between them,
  /// twenty times as long one way as the other.
  private static func writers(messages: Int, seed: UInt64) -> [MemorySource.Writer] {
    var random = SeededRandom(seed: seed)
    let clocks = (0..<hosts).map { _ in
      (ahead: Int64(random.below(1 << 40)), rate: 1 + (random.unit() - 0.5) * 400e-6)
    }
    var events: [[Event]] = Array(repeating: [], count: hosts)
    var arriving: [(time: Int64, to: Int, flow: UInt64)] = []
    func add(_ kind: EventKind, _ host: Int, _ time: Int64, _ flow: UInt64) {
      let own = clocks[host].ahead + Int64(Double(time) * clocks[host].rate)
      events[host].append(Event(kind, at: HostTime(rawValue: own), identity: flow))
    }
    var time: Int64 = 0
    for flow in 1...UInt64(messages) {
      time += Int64(random.below(400_000))
      let from = random.below(hosts)
      let to = (from + 1 + random.below(hosts - 1)) % hosts
      arriving.sort { $0.time < $1.time }
      while let next = arriving.first, next.time <= time {
        arriving.removeFirst()
        add(.messageReceive, next.to, next.time, next.flow)
      }
      add(.messageSend, from, time, flow)
      let way: Int64 = from < to ? 20_000 : 400_000
      arriving.append((time + way + Int64(random.below(20_000)), to, flow))
    }
    for next in arriving.sorted(by: { $0.time < $1.time }) {
      add(.messageReceive, next.to, next.time, next.flow)
    }
    return events.enumerated().map { host, events in
      var attributes = WriterAttributes(app: "app\(host)")
      (attributes.host, attributes.boot) = ("host \(host)", "boot \(host)")
      let id = WriterID(high: 1, low: UInt64(host))
      return MemorySource.Writer(id: id, attributes: attributes, events: events)
    }
  }

  @Test func noneIsPrintedBeforeItsSend() {
    let (seed, messages) = (SeededRandom.seed, 5_000 * Self.scale)
    let writers = Self.writers(messages: messages, seed: seed)
    let timeline = Timeline(MemorySource(writers, names: Names()))
    #expect(timeline.isCausal && timeline.alignment.isOrdered, "seed \(seed)")
    var sent: [UInt64: TraceTime] = [:]
    var (received, early) = (0, 0)
    var here = timeline.start
    while let place = timeline.stepForward(&here) {
      let event = timeline.event(at: place)
      let time = timeline.time(of: event)
      if event.kind == .messageSend {
        sent[event.identity] = time
      } else {
        received += 1
        if sent[event.identity].map({ $0 > time }) ?? true { early += 1 }
      }
    }
    #expect(received == messages && early == 0, "seed \(seed): \(early) of \(received)")
  }

  /// The order of the others, and their times against each other, are the same.
  @Test func aHostWithoutMessagesChangesNothingAmongTheOthers() {
    let seed = SeededRandom.seed
    let writers = Self.writers(messages: 400, seed: seed)
    var attributes = WriterAttributes(app: "alone")
    (attributes.host, attributes.boot) = ("alone", "boot alone")
    let alone = MemorySource.Writer(
      id: WriterID(high: 0, low: 9),
      attributes: attributes,
      events: (0..<100).map { Event(.mark, at: HostTime(rawValue: $0 * 1_000_000)) }
    )
    func lines(_ writers: [MemorySource.Writer]) -> [[UInt64]] {
      let timeline = Timeline(MemorySource(writers, names: Names()))
      var lines: [[UInt64]] = []
      var here = timeline.start
      var first: TraceTime?
      while let place = timeline.stepForward(&here) {
        let event = timeline.event(at: place)
        let writer = timeline.streams[Int(place.stream.rawValue)].writer
        guard writer.high == 1 else { continue }
        let time = timeline.time(of: event)
        first = first ?? time
        let since = UInt64(bitPattern: first.map { time - $0 } ?? 0)
        lines.append([writer.low, UInt64(place.index), since])
      }
      return lines
    }
    #expect(lines(writers + [alone]) == lines(writers), "seed \(seed)")
    #expect(lines([alone] + writers) == lines(writers), "seed \(seed)")
  }
}
