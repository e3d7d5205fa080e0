// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Which messages may contradict the times of a recording, found in one look at the tables of its chunks.
///
/// A receive is in order where a send of its flow by another stream was met whose time is less: whatever
/// else was sent then, its first send is before it. All others are in doubt. As chunks are taken in order
/// of their times, a send and its receives are met close to each other, so that a table of fixed size, in
/// which a flow may take the place of another, leaves few in doubt.
struct MessageSweep {
  /// One end of a message, as far as it is compared.
  private struct Known {
    static let none = Known(flow: 0, time: 0, stream: .max)

    var flow: UInt64
    var time: Int64
    var stream: UInt32

    var isThere: Bool { stream != .max }

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
    let slots = UnsafeMutableBufferPointer<Slot>.allocate(capacity: 1 << bits)
    slots.initialize(repeating: Slot())
    defer { slots.deallocate() }
    var chunks: [(first: Int64, stream: Int, number: Int)] = []
    for (place, stream) in streams.enumerated() {
      for (number, chunk) in stream.chunks.enumerated() where chunk.kinds.hasMessages {
        chunks.append((stream.orderFirst[number], place, number))
      }
    }
    chunks.sort { $0 < $1 }
    for chunk in chunks {
      let number = streams[chunk.stream].sourceNumbers[chunk.number]
      let id = streams[chunk.stream].id
      guard let table = source.messages(chunk: number, of: id) else { return nil }
      // Once for all of the chunk: a look into its stream for each end takes longer than all the rest.
      let rule = MessageShares.Rule(of: streams[chunk.stream], chunk: chunk.number)
      for edge in table {
        let known = Known(flow: edge.flow, time: rule.time(of: edge), stream: UInt32(chunk.stream))
        meet(known, isSend: edge.isSend, in: slots, bits: bits)
      }
      guard doubtful.count <= endsMax / 4 else { return nil }
    }
    for slot in slots where slot.receive.isThere { doubtful.insert(slot.receive.flow) }
  }

  @inline(__always)
  private mutating func meet(
    _ end: Known,
    isSend: Bool,
    in slots: UnsafeMutableBufferPointer<Slot>,
    bits: Int
  ) {
    let place = MessageShares.hash(end.flow, bits: bits)
    guard isSend else {
      if slots[place].send.isSend(before: end) { return }
      if slots[place].receive.isThere { doubtful.insert(slots[place].receive.flow) }
      slots[place].receive = end
      return
    }
    let known = slots[place].send
    // Of one flow the first is of most use: it is before the most receives.
    if !known.isThere || known.flow != end.flow || end.time < known.time {
      slots[place].send = end
    }
    if end.isSend(before: slots[place].receive) { slots[place].receive = .none }
  }
}
