// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import LifetraceTrace

/// The sends and receives of a recording, by flow: what its messages prove about its clocks.
///
/// Only those of a part of the flows are in memory at a time. Where there are many, the tables of messages
/// are gone through once for each part.
struct MessageEnds {
  /// A send or a receive, on its own clock: 24 bytes, as there may be a million.
  private struct End {
    var flow: UInt64
    var time: Int64
    var clock: Int32
    var isSend: Bool

    var moment: Moment { Moment(Int(clock), time) }
  }

  private let source: any EventSource
  private let clockOfStream: [Int]
  private let counters: CounterLines
  private let endsMax: Int

  /// More are not in memory at a time: 25 MB of them.
  static let endsMax = 1 << 20
  /// Parts that the flows are cut into at most: one flow may have all ends.
  private static let partsMax: UInt64 = 1 << 10

  /// Those of `source`, whose streams have these clocks; only chunks with messages and without a table of
  /// them are decoded.
  init(
    _ source: any EventSource,
    _ clockOfStream: [Int],
    _ counters: CounterLines,
    endsMax: Int = MessageEnds.endsMax
  ) {
    self.source = source
    self.clockOfStream = clockOfStream
    self.counters = counters
    self.endsMax = endsMax
  }

  /// Calls `body` with what they prove between different clocks: part by part, in order of flows, clocks
  /// and times.
  ///
  /// A flow is one message: it may be sent again, lost, and received twice or by many, so a receive is
  /// proved to be behind the first send only. Where two clocks have sent it is not known who sent what.
  func eachEvidence(_ body: (Evidence) -> Void) {
    var parts: UInt64 = 1
    var part: UInt64 = 0
    while part < parts {
      let ends = ends(of: part, &parts)
      var first = 0
      while first < ends.count {
        let flow = ends[first].flow
        var last = first + 1
        while last < ends.count, ends[last].flow == flow { last += 1 }
        prove(ends[first..<last], body)
        first = last
      }
      part += 1
    }
  }

  /// The ends of the flows of one part, by flow and in a flow by time; the first is cut as small as it has
  /// to be.
  private func ends(of part: UInt64, _ parts: inout UInt64) -> [End] {
    let buffer = StrideBuffer()
    var ends: [End] = []
    for (stream, facts) in source.streams.enumerated() {
      let (id, clock) = (StreamID(rawValue: UInt32(stream)), clockOfStream[stream])
      for chunk in facts.chunks.indices {
        for edge in source.messages(chunk: chunk, of: id, in: buffer)
        where Self.part(of: edge.flow, parts) == part {
          ends.append(
            End(
              flow: edge.flow,
              time: counters.counted(edge.time, of: stream),
              clock: Int32(clock),
              isSend: edge.isSend
            )
          )
        }
        while part == 0, ends.count > endsMax, parts < Self.partsMax {
          parts *= 2
          ends.removeAll { Self.part(of: $0.flow, parts) != part }
        }
      }
    }
    ends.sort { ($0.flow, $0.time) < ($1.flow, $1.time) }
    return ends
  }

  /// Flows are counted by some and drawn by others: by the high bits of a product both spread.
  private static func part(of flow: UInt64, _ parts: UInt64) -> UInt64 {
    ((flow &* 0x9e37_79b9_7f4a_7c15) >> 32) & (parts - 1)
  }

  private func prove(_ all: ArraySlice<End>, _ body: (Evidence) -> Void) {
    let receivers = Set(all.lazy.filter { !$0.isSend }.map(\.clock)).sorted()
    for receiver in receivers {
      let sends = all.lazy.filter { $0.isSend && $0.clock != receiver }
      guard let first = sends.first, sends.allSatisfy({ $0.clock == first.clock }) else {
        continue
      }
      for receive in all where !receive.isSend && receive.clock == receiver {
        body(Evidence(first.moment, before: receive.moment, .message, label: first.flow))
      }
    }
  }
}
