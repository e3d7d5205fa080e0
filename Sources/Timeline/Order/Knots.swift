// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Receives that stand at the same order time as their sends.
///
/// Inside such a group of equal times the order by writer could put a receive
/// first, so there the merge waits for the send.
struct Knots {
  /// The send that an event waits for.
  typealias Group = [EventPlace: EventPlace]

  private var groups: [Int64: Group] = [:]

  var isEmpty: Bool { groups.isEmpty }

  @inline(__always)
  func group(at time: Int64) -> Group? { groups.isEmpty ? nil : groups[time] }

  mutating func insert(_ receive: EventPlace, waitsFor send: EventPlace, at time: Int64) {
    groups[time, default: [:]][receive] = send
  }
}

extension Timeline {
  /// Finds the messages whose times contradict them, and lifts their receivers.
  ///
  /// Where the order was settled while it was recorded, and shown, nothing is lifted. In memory are at
  /// most `endsMax` ends of messages, and the messages whose times contradict them or are equal.
  func tieKnots(endsMax: Int) {
    let kinds: [EventKind] = [.messageSend, .messageReceive]
    // By writer: of sends at one time the first is found, whatever the order of files.
    let involved = streams.sorted { $0.writer < $1.writer }.filter { stream in
      stream.chunks.contains { chunk in kinds.contains { chunk.kinds.contains($0) } }
    }
    let receivers = involved.filter { stream in
      stream.chunks.contains { $0.kinds.contains(.messageReceive) }
    }
    guard involved.count > 1, !receivers.isEmpty else { return }
    guard !source.settles else { return isCausal = false }
    withBuffer { buffer in
      let messages = MessageShares(of: involved, in: source, buffer, endsMax: endsMax)
      let found = MessageLifts(messages, streams: involved.count)
      isCausal = found.isSettled
      for (place, lifts) in found.lifts.enumerated() where !lifts.isEmpty {
        let stream = Int(involved[place].id.rawValue)
        streams[stream].lifts = lifts
        streams[stream].measure()
      }
      for (send, receive) in found.equal {
        knots.insert(
          EventPlace(stream: involved[Int(receive.stream)].id, index: receive.index),
          waitsFor: EventPlace(stream: involved[Int(send.stream)].id, index: send.index),
          at: found.time(of: send)
        )
      }
      if found.lifts.contains(where: { !$0.isEmpty }) { closeTimes() }
    }
  }
}
