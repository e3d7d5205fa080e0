// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Which messages may contradict the times of a recording, found in one look at the tables of its chunks.
///
/// A receive is in order where a send of its flow by another stream was met whose time is less: whatever
/// else was sent then, its first send is before it. All others are in doubt. As chunks are taken in order
/// of their times, a send and its receives are met close to each other, so that a table of fixed size, in
/// which a flow may take the place of another, leaves few in doubt.
struct MessageSweep {
  private typealias End = MessageShares.End

  /// One end of a message, as far as it is compared.
  private struct Known {
    static let none = Known(flow: 0, time: 0, stream: .max)

    var flow: UInt64
    var time: Int64
    var stream: UInt32

    var isThere: Bool { stream != .max }

    init(_ end: End) { self.init(flow: end.flow, time: end.time, stream: end.stream) }

    private init(flow: UInt64, time: Int64, stream: UInt32) {
      self.flow = flow
      self.time = time
      self.stream = stream
    }

    func isSend(before receive: Known) -> Bool {
      isThere && flow == receive.flow && stream != receive.stream && time < receive.time
    }
  }

  /// What is known of flows of one hash; side by side, as both are looked at.
  private struct Slot {
    var send = Known.none
    /// One that waits for its send.
    var receive = Known.none
  }

  /// Flows of receives that were not seen to be in order; all others of the recording are.
  private(set) var doubtful: Set<UInt64> = []

  /// Looks at the chunks of `streams`, in 3 bytes of memory for each of `endsMax`, beside those in doubt.
  ///
  /// Nil where a chunk has no table, so that it would have to be decoded, or more are in doubt than a
  /// quarter of `endsMax`.
  init?(of streams: [StreamIndex], in source: any EventSource, endsMax: Int) {
    // Few enough for a cache of the processor: with more of them it waits for memory at each end.
    let wanted = max(2, endsMax / 16)
    let bits = Int.bitWidth - 1 - wanted.leadingZeroBitCount
    var slots = [Slot](repeating: Slot(), count: 1 << bits)
    var chunks: [(first: Int64, stream: Int, number: Int)] = []
    for (place, stream) in streams.enumerated() {
      for (number, chunk) in stream.chunks.enumerated() where chunk.kinds.hasMessages {
        chunks.append((stream.orderFirst[number], place, number))
      }
    }
    chunks.sort { $0 < $1 }
    for chunk in chunks {
      let stream = streams[chunk.stream]
      let number = stream.sourceNumbers[chunk.number]
      guard let table = source.messages(chunk: number, of: stream.id) else { return nil }
      for edge in table {
        let end = End(edge, in: chunk.number, of: stream, at: chunk.stream)
        let known = Known(end)
        let place = MessageShares.hash(end.flow, bits: bits)
        let slot = slots[place]
        if end.isSend {
          // Of one flow the first is of most use: it is before the most receives.
          if !slot.send.isThere || slot.send.flow != known.flow || known.time < slot.send.time {
            slots[place].send = known
          }
          if known.isSend(before: slot.receive) { slots[place].receive = .none }
        } else if !slot.send.isSend(before: known) {
          if slot.receive.isThere { doubtful.insert(slot.receive.flow) }
          slots[place].receive = known
        }
      }
      guard doubtful.count <= endsMax / 4 else { return nil }
    }
    for slot in slots where slot.receive.isThere { doubtful.insert(slot.receive.flow) }
  }
}
