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
    /// An earlier send of the flow may be among events of its stream that are missing.
    var mayBeAgain: Bool

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
  ///
  /// Of a clock by which some flow was sent more than once, a send behind missing events may be such a one,
  /// whose first is missing: it proves nothing. Where none ever was it is taken that none is.
  func eachEvidence(_ body: (Evidence) -> Void) {
    let resending = hasMissing ? resendingClocks() : []
    eachFlow { prove($0, resending, body) }
  }

  /// The clocks by which a flow was sent more than once.
  private func resendingClocks() -> Set<Int32> {
    var clocks: Set<Int32> = []
    eachFlow { ends in
      var sent: Set<Int32> = []
      for end in ends where end.isSend && !sent.insert(end.clock).inserted {
        clocks.insert(end.clock)
      }
    }
    return clocks
  }

  /// Whether events of some stream are missing that may be sends.
  private var hasMissing: Bool {
    source.streams.contains { stream in
      var next: UInt64 = 0
      return stream.chunks.contains { Self.isBehindMissing($0, &next) }
    }
  }

  /// Whether sends may be missing right in front of a chunk, in whose stream `next` was to come; moves that on.
  private static func isBehindMissing(_ chunk: ChunkSummary, _ next: inout UInt64) -> Bool {
    defer { next = chunk.endSequence }
    return chunk.firstSequence > next
      || chunk.losses.contains { $0.family == .message || $0.family == .unknown }
  }

  /// Calls `body` with the ends of each flow, by time.
  private func eachFlow(_ body: (ArraySlice<End>) -> Void) {
    var parts: UInt64 = 1
    var part: UInt64 = 0
    while part < parts {
      let ends = ends(of: part, &parts)
      var first = 0
      while first < ends.count {
        let flow = ends[first].flow
        var last = first + 1
        while last < ends.count, ends[last].flow == flow { last += 1 }
        body(ends[first..<last])
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
      var (mayBeAgain, next) = (false, UInt64(0))
      for chunk in facts.chunks.indices {
        if Self.isBehindMissing(facts.chunks[chunk], &next) { mayBeAgain = true }
        for edge in source.messages(chunk: chunk, of: id, in: buffer)
        where Self.part(of: edge.flow, parts) == part {
          ends.append(
            End(
              flow: edge.flow,
              time: counters.counted(edge.time, of: stream),
              clock: Int32(clock),
              isSend: edge.isSend,
              mayBeAgain: mayBeAgain
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

  private func prove(
    _ all: ArraySlice<End>,
    _ resending: Set<Int32>,
    _ body: (Evidence) -> Void
  ) {
    let receivers = Set(all.lazy.filter { !$0.isSend }.map(\.clock)).sorted()
    for receiver in receivers {
      let sends = all.lazy.filter { $0.isSend && $0.clock != receiver }
      guard let first = sends.first, sends.allSatisfy({ $0.clock == first.clock }),
        !(first.mayBeAgain && resending.contains(first.clock))
      else { continue }
      for receive in all where !receive.isSend && receive.clock == receiver {
        body(Evidence(first.moment, before: receive.moment, .message, label: first.flow))
      }
    }
  }
}
