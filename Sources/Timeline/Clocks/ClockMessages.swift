// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import LifetraceTrace

/// What the messages of a recording prove about its clocks, a share of the flows in memory at a time.
struct ClockMessages {
  /// Sends and receives that are in memory at a time, 32 bytes each.
  static let endsMax = 1 << 20

  private let shares: MessageShares
  /// By stream, in order of their writers.
  private let clocks: [Int]

  /// Those of `source`, whose streams have these clocks; only chunks with messages and without a table of
  /// them are decoded.
  init(
    _ source: any EventSource,
    _ clockOfStream: [Int],
    _ counters: CounterLines,
    endsMax: Int = Self.endsMax
  ) {
    let buffer = StrideBuffer()
    let streams = source.streams
    // Files come in any order, and what is kept of many messages must not depend on it.
    let byWriter = streams.indices.sorted { streams[$0].writer < streams[$1].writer }
    clocks = byWriter.map { clockOfStream[$0] }
    shares = MessageShares(endsMax: endsMax) { body in
      for (place, stream) in byWriter.enumerated() {
        let id = StreamID(rawValue: UInt32(stream))
        for chunk in streams[stream].chunks.indices {
          for edge in source.messages(chunk: chunk, of: id, in: buffer) {
            body(
              MessageShares.End(
                flow: edge.flow,
                time: counters.counted(edge.time, of: stream),
                index: edge.row,
                stream: UInt32(place),
                isSend: edge.isSend
              )
            )
          }
        }
      }
    }
  }

  /// What they prove between different clocks, the same in the same order each time.
  ///
  /// A flow is one message: it may be sent again, lost, and received twice or by many, so a receive is
  /// proved to be behind the first send only. Where two clocks have sent it is not known who sent what.
  func eachPiece(_ body: (Evidence) -> Void) {
    shares.eachFlow { flow in
      let receives = flow.firstIndex { !$0.isSend } ?? flow.endIndex
      // By clock, its first send; of three or more clocks no receiver knows which.
      var senders: [Moment] = []
      for send in flow[..<receives] where senders.count < 3 {
        let clock = clocks[Int(send.stream)]
        if !senders.contains(where: { $0.clock == clock }) {
          senders.append(Moment(clock, send.time))
        }
      }
      guard (1...2).contains(senders.count) else { return }
      for receive in flow[receives...] {
        let receiver = Moment(clocks[Int(receive.stream)], receive.time)
        let others = senders.filter { $0.clock != receiver.clock }
        guard others.count == 1, let send = others.first else { continue }
        body(Evidence(send, before: receiver, .message, label: receive.flow))
      }
    }
  }
}
