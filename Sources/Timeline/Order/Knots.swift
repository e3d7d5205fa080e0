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
    // By writer: of sends at one time the first is found, whatever the order of files.
    let involved = streams.sorted { $0.writer < $1.writer }.filter { stream in
      stream.chunks.contains { $0.kinds.hasMessages }
    }
    let receivers = involved.filter { stream in
      stream.chunks.contains { $0.kinds.contains(.messageReceive) }
    }
    guard involved.count > 1, !receivers.isEmpty else { return }
    guard !source.settles else { return isCausal = false }
    withBuffer { buffer in
      let messages =
        doubtfulMessages(of: involved, buffer, endsMax: endsMax)
        ?? MessageShares(of: involved, in: source, buffer, endsMax: endsMax)
      // Whose host is not known may well be of another one.
      let clocks = involved.map { stream -> Int? in
        let clock = alignment.recording.clockOfStream[Int(stream.id.rawValue)]
        return alignment.recording.clocks[clock].hosts.isEmpty ? nil : clock
      }
      let found = MessageLifts(messages, clocks: clocks)
      isCausal = found.isSettled
      refusedMessages = found.refused.sorted()
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

  /// The messages that are not received behind their sends at first sight, where none of them is received
  /// before; else nil: what is lifted then may lift any other.
  ///
  /// Only of a recording that may have more than `endsMax` ends: of less, all are looked at as fast.
  private func doubtfulMessages(
    of involved: [StreamIndex],
    _ buffer: StrideBuffer,
    endsMax: Int
  ) -> MessageShares? {
    let chunks = involved.lazy.flatMap(\.chunks).filter { $0.kinds.hasMessages }
    let events = chunks.reduce(0) { $0 + $1.eventCount }
    guard events > endsMax,
      let sweep = MessageSweep(of: involved, in: source, endsMax: endsMax)
    else { return nil }
    let streams = sweep.doubtful.isEmpty ? [] : involved
    let messages = MessageShares(
      of: streams,
      in: source,
      buffer,
      endsMax: endsMax,
      flows: sweep.doubtful
    )
    var isContradicted = false
    messages.eachPair { send, receive in
      if receive.time < send.time { isContradicted = true }
    }
    return isContradicted ? nil : messages
  }
}
