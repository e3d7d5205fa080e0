// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import LifetraceTrace

/// The sends and receives of a recording, by flow: what its messages prove about its clocks.
struct MessageEnds {
  /// A send or a receive, on its own clock: 24 bytes, as there may be millions.
  private struct End {
    var flow: UInt64
    var time: Int64
    var clock: Int32
    var isSend: Bool

    var moment: Moment { Moment(Int(clock), time) }
  }

  /// By flow; in a flow by time.
  private var ends: [End] = []

  /// Those of `source`, whose streams have these clocks; only chunks with messages and without a table of
  /// them are decoded.
  init(_ source: any EventSource, _ clockOfStream: [Int], _ counters: CounterLines) {
    let buffer = StrideBuffer()
    for (stream, facts) in source.streams.enumerated() {
      let (id, clock) = (StreamID(rawValue: UInt32(stream)), clockOfStream[stream])
      for chunk in facts.chunks.indices {
        for edge in source.messages(chunk: chunk, of: id, in: buffer) {
          ends.append(
            End(
              flow: edge.flow,
              time: counters.counted(edge.time, of: stream),
              clock: Int32(clock),
              isSend: edge.isSend
            )
          )
        }
      }
    }
    ends.sort { ($0.flow, $0.time) < ($1.flow, $1.time) }
  }

  /// What they prove between different clocks, in order of flows, clocks and times.
  ///
  /// A flow is one message: it may be sent again, lost, and received twice or by many, so a receive is
  /// proved to be behind the first send only. Where two clocks have sent it is not known who sent what.
  var evidence: [Evidence] {
    var evidence: [Evidence] = []
    var first = 0
    while first < ends.count {
      let flow = ends[first].flow
      var last = first + 1
      while last < ends.count, ends[last].flow == flow { last += 1 }
      add(ends[first..<last], to: &evidence)
      first = last
    }
    return evidence
  }

  private func add(_ all: ArraySlice<End>, to evidence: inout [Evidence]) {
    let receivers = Set(all.lazy.filter { !$0.isSend }.map(\.clock)).sorted()
    for receiver in receivers {
      let sends = all.lazy.filter { $0.isSend && $0.clock != receiver }
      guard let first = sends.first, sends.allSatisfy({ $0.clock == first.clock }) else {
        continue
      }
      for receive in all where !receive.isSend && receive.clock == receiver {
        evidence.append(
          Evidence(first.moment, before: receive.moment, .message, label: first.flow)
        )
      }
    }
  }
}
