// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import LifetraceTrace
import Testing

@testable import LifetraceTimeline

/// What messages order and bound where flows are wrong, are sent again, or are many.
@Suite struct WrongFlowTests {
  /// A writer on a host; sends have positive times, receives negative ones, in milliseconds.
  private func writer(
    _ number: Int,
    on host: String,
    _ ends: [(flow: UInt64, time: Int64)]
  ) -> MemorySource.Writer {
    var attributes = WriterAttributes(app: "app\(number)")
    attributes.pid = UInt32(number)
    attributes.host = host
    return MemorySource.Writer(
      id: WriterID(high: 1, low: UInt64(number)),
      attributes: attributes,
      events: ends.map {
        Event(
          $0.time > 0 ? .messageSend : .messageReceive,
          at: HostTime(rawValue: abs($0.time) * 1_000_000),
          identity: $0.flow
        )
      }
    )
  }

  /// By flow: at which place of the order its events are, sends first.
  private func places(_ timeline: Timeline) -> [UInt64: (sends: [Int], receives: [Int])] {
    var here = timeline.start
    var found: [UInt64: (sends: [Int], receives: [Int])] = [:]
    var number = 0
    while let place = timeline.stepForward(&here) {
      let event = timeline.event(at: place)
      if event.kind == .messageSend {
        found[event.identity, default: ([], [])].sends.append(number)
      } else {
        found[event.identity, default: ([], [])].receives.append(number)
      }
      number += 1
    }
    return found
  }

  @Test("A flow that one clock received before it was sent orders nothing, and is told")
  func wrong() {
    // Of flow 9 the receive is nine seconds before the send of another process of the same machine.
    let timeline = Timeline(
      MemorySource(
        [
          writer(1, on: "o", [(9, -1_000), (1, 2_000)]),
          writer(2, on: "o", [(2, -3_010), (9, 10_000)]),
          writer(3, on: "n", [(1, -2_010), (2, 3_000), (3, 5_000)]),
          writer(4, on: "n", [(3, -5_010), (4, 6_000)]),
          writer(5, on: "m", [(4, -6_010)]),
        ],
        names: Names(),
        rows: 4
      )
    )
    #expect(timeline.refusedMessages == [9])
    #expect(timeline.isCausal)
    let places = places(timeline)
    for flow in UInt64(1)...4 {
      #expect(places[flow]?.sends.first ?? .max < places[flow]?.receives.first ?? .min, "\(flow)")
    }
  }

  @Test("Of a message that is sent again only what its first send proves is proved")
  func again() {
    let timeline = Timeline(
      MemorySource(
        [
          writer(1, on: "a", [(1, 1_000), (2, -1_201), (9, 2_000), (9, 2_055)]),
          writer(2, on: "b", [(1, -1_100), (2, 1_101), (9, -2_020)]),
        ],
        names: Names(),
        rows: 4
      )
    )
    func event(_ stream: UInt32, _ index: Int) -> Event {
      timeline.event(at: EventPlace(stream: StreamID(rawValue: stream), index: index))
    }
    let received = event(1, 2)
    #expect(!timeline.areConcurrent(event(0, 2), received))
    #expect(timeline.areConcurrent(event(0, 3), received))
    #expect(timeline.areConcurrent(received, event(0, 3)))
  }

  @Test("Evidence is the same whether all flows are in memory at once or a part of them")
  func parts() {
    let flows = UInt64(1)...500
    let source = MemorySource(
      [
        writer(1, on: "a", flows.map { ($0 &* 0x9e37_79b9, Int64($0) * 10) }),
        writer(2, on: "b", flows.map { ($0 &* 0x9e37_79b9, -Int64($0) * 10 - 3) }),
        writer(3, on: "c", flows.map { ($0 &* 0x9e37_79b9, -Int64($0) * 10 - 5) }),
      ],
      names: Names(),
      rows: 64
    )
    func evidence(endsMax: Int) -> [Evidence] {
      var found: [Evidence] = []
      let counters = CounterLines(source, clockOfStream: [0, 1, 2])
      MessageEnds(source, [0, 1, 2], counters, endsMax: endsMax).eachEvidence { found.append($0) }
      return found.sorted { ($0.label, $0.later.clock) < ($1.label, $1.later.clock) }
    }
    let whole = evidence(endsMax: .max)
    #expect(whole.count == 1_000)
    for endsMax in [1, 7, 100] {
      let parts = evidence(endsMax: endsMax)
      #expect(parts.map(\.label) == whole.map(\.label))
      #expect(parts.map(\.earlier) == whole.map(\.earlier))
      #expect(parts.map(\.later) == whole.map(\.later))
    }
  }
}
