// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTrace
import Testing

/// A log whose clock somebody vouches for, beside a machine that was recorded.
@Suite struct DeclaredClockTests {
  private static let second: Int64 = 1_000_000_000

  /// A log of a phone over a minute of 1970, and a server whose counter was at 0 when that began.
  private func clocks(within width: Int64?, imported: Bool = true) -> RecordingClocks {
    var names = Names()
    let what = names.intern(ClockDeclaration.name)
    var phone = WriterAttributes(app: "notes")
    (phone.clock, phone.evidence) = (.real, imported ? .log : .child)
    var server = WriterAttributes(app: "server")
    (server.clock, server.boot, server.realOffset) = (.monotonic, "b", 100 * Self.second)
    func events(_ from: Int64) -> [Event] {
      [from, from + 60 * Self.second].map { Event(.mark, at: HostTime(rawValue: $0)) }
    }
    var log = events(100 * Self.second)
    if let width {
      log.insert(Event(Payload.Device(what: what, number: width), at: log[0].time), at: 1)
    }
    let writers = [(phone, log), (server, events(0))].enumerated().map { number, writer in
      MemorySource.Writer(
        id: WriterID(high: 0, low: UInt64(number)),
        attributes: writer.0,
        events: writer.1
      )
    }
    return RecordingClocks(MemorySource(writers, names: names))
  }

  private func bounds(_ clocks: RecordingClocks, _ time: Int64) -> (low: Int64?, high: Int64?) {
    let (phone, server) = (StreamID(rawValue: 0), StreamID(rawValue: 1))
    let found = clocks.interval(HostTime(rawValue: time), of: server, on: phone)
    return (found.low, found.high)
  }

  @Test("What it declares is evidence, and no more than that")
  func declared() throws {
    for time in [0, 7, 30, 60].map({ $0 * Self.second }) {
      let (low, high) = bounds(clocks(within: Self.second), time)
      let truth = 100 * Self.second + time
      // Five seconds from the nearest piece of it rates add 6 ms.
      #expect((truth - 1_012_000_000...truth - 1_000_000_000).contains(try #require(low)))
      #expect((truth + 1_000_000_000...truth + 1_012_000_000).contains(try #require(high)))
    }
  }

  @Test("Real time that nobody vouches for proves nothing")
  func undeclared() {
    for clocks in [clocks(within: nil), clocks(within: Self.second, imported: false)] {
      let (low, high) = bounds(clocks, 0)
      #expect(low == nil && high == nil)
      #expect(clocks.evidence.isEmpty)
    }
  }

  @Test("No messages are made of it")
  func noMessages() {
    let clocks = clocks(within: Self.second)
    let (phone, server) = (StreamID(rawValue: 0), StreamID(rawValue: 1))
    #expect(clocks.messages(server, phone, near: HostTime(rawValue: 0)) == nil)
    #expect(clocks.flowsSetAside.isEmpty)
  }
}
