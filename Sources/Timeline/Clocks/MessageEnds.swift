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

  /// Those of `source`, whose streams have these clocks; only chunks with messages are decoded.
  init(_ source: any EventSource, clockOfStream: [Int]) {
    let kinds = KindSet([.messageSend, .messageReceive])
    let buffer = StrideBuffer()
    for (number, stream) in source.streams.enumerated() {
      let id = StreamID(rawValue: UInt32(number))
      for chunk in stream.chunks.indices where !stream.chunks[chunk].kinds.isDisjoint(with: kinds) {
        guard case .success(let content) = source.decode(chunk: chunk, of: id) else { continue }
        add(content, kinds, clockOfStream[number], buffer)
      }
    }
  }

  private mutating func add(
    _ chunk: SourceChunk,
    _ kinds: KindSet,
    _ clock: Int,
    _ buffer: StrideBuffer
  ) {
    for stride in 0..<chunk.strideCount where chunk.mayHold(kinds, in: stride) {
      var found: [(flow: UInt64, end: End)] = []
      // Damage is met again, and said, by whoever reads the events.
      try? chunk.withEvents(of: stride, in: buffer) { events in
        for place in events.indices {
          let event = events[place]
          guard event.kind == .messageSend || event.kind == .messageReceive else { continue }
          let moment = Moment(clock, event.time.rawValue)
          found.append((event.identity, End(moment: moment, isSend: event.kind == .messageSend)))
        }
      }
      for (flow, end) in found { ends[flow, default: []].append(end) }
    }
  }

  /// What they prove between different clocks, in order of flows.
  ///
  /// Of as many sends of a flow as receives, or more, the n-th receive was not before the n-th send,
  /// whichever were lost. Where there are more receives they are proved to be behind the first send only.
  /// Where two clocks have sent it is not known who sent what.
  var evidence: [Evidence] {
    var evidence: [Evidence] = []
    for flow in ends.keys.sorted() {
      guard let all = ends[flow] else { continue }
      let receivers = Set(all.filter { !$0.isSend }.map(\.moment.clock)).sorted()
      for receiver in receivers {
        let sends = all.filter { $0.isSend && $0.moment.clock != receiver }.map(\.moment)
          .sorted { $0.time < $1.time }
        guard let first = sends.first, sends.allSatisfy({ $0.clock == first.clock }) else {
          continue
        }
        let receives = all.filter { !$0.isSend && $0.moment.clock == receiver }.map(\.moment)
          .sorted { $0.time < $1.time }
        for (number, receive) in receives.enumerated() {
          let send = receives.count <= sends.count ? sends[number] : first
          evidence.append(Evidence(send, before: receive, .message, label: flow))
        }
      }
    }
    return evidence
  }
}
