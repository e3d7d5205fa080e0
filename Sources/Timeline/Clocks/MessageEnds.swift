// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import LifetraceTrace

/// The sends and receives of a recording, by flow: what its messages prove about its clocks.
struct MessageEnds {
  /// A send or a receive, on its own clock.
  struct End {
    var moment: Moment
    var isSend: Bool
  }

  private(set) var ends: [UInt64: [End]] = [:]

  /// Those of `source`, whose streams have these clocks; only chunks with messages and without a table of
  /// them are decoded.
  init(_ source: any EventSource, _ clockOfStream: [Int], _ counters: CounterLines) {
    let buffer = StrideBuffer()
    for (stream, facts) in source.streams.enumerated() {
      let (id, clock) = (StreamID(rawValue: UInt32(stream)), clockOfStream[stream])
      for chunk in facts.chunks.indices {
        for edge in source.messages(chunk: chunk, of: id, in: buffer) {
          let moment = Moment(clock, counters.counted(edge.time, of: stream))
          ends[edge.flow, default: []].append(End(moment: moment, isSend: edge.isSend))
        }
      }
    }
  }

  /// What they prove between different clocks, in order of flows, clocks and times.
  ///
  /// A flow is one message: it may be sent again, lost, and received twice or by many, so a receive is
  /// proved to be behind the first send only. Where two clocks have sent it is not known who sent what.
  var evidence: [Evidence] {
    var evidence: [Evidence] = []
    for flow in ends.keys.sorted() {
      guard let all = ends[flow] else { continue }
      let receivers = Set(all.filter { !$0.isSend }.map(\.moment.clock)).sorted()
      for receiver in receivers {
        let sends = all.filter { $0.isSend && $0.moment.clock != receiver }.map(\.moment)
        guard let first = sends.min(by: { $0.time < $1.time }),
          sends.allSatisfy({ $0.clock == first.clock })
        else {
          continue
        }
        let receives = all.filter { !$0.isSend && $0.moment.clock == receiver }.map(\.moment)
        for receive in receives.sorted(by: { $0.time < $1.time }) {
          evidence.append(Evidence(first, before: receive, .message, label: flow))
        }
      }
    }
    return evidence
  }
}
