// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
import LifetraceWords

/// The messages of all writers of a recording, as far as a rule that looks at one of them asks:
/// where each was sent and received, and when that was by another clock.
///
///     messages.firstSend(of: flow)             // before all receives; nil where that is not known
///     messages.isUnheard(flow)                 // nobody has received it
///
/// Made by who has all streams at hand, before the rules look at the first. An end takes 40 bytes.
package struct RecordedMessages: Sendable {
  /// A send or a receive.
  package struct End: Sendable {
    /// Which message.
    package var flow: UInt64
    /// The stream, and the number of the event in it.
    package var stream: StreamID
    package var sequence: UInt64
    /// When, on the clock of its stream.
    package var time: HostTime
    /// Sent; else received.
    package var isSend: Bool

    /// The event with that number.
    package init(
      flow: UInt64,
      stream: StreamID,
      sequence: UInt64,
      time: HostTime,
      isSend: Bool
    ) {
      (self.flow, self.stream, self.sequence) = (flow, stream, sequence)
      (self.time, self.isSend) = (time, isSend)
    }
  }

  /// An answer to a request, as it left.
  package struct Reply: Sendable {
    /// The flow of the request.
    package var request: UInt64
    /// The first time that it was sent.
    package var send: End

    /// `send` answers the message of flow `request`.
    package init(to request: UInt64, _ send: End) { (self.request, self.send) = (request, send) }
  }

  /// More sends and receives than this are not looked at: rules about messages say so.
  package static let endsMax = 1 << 20

  /// By flow; the sends of one before its receives, those of one clock in order of their times.
  private let ends: [End]
  /// In order of their requests.
  private let replies: [Reply]
  /// By flow: the request that it answers.
  private let requestOfReply: [UInt64: UInt64]
  /// By stream: how much of it the recording holds.
  package let streams: [RecordedStream]
  /// Compares the clocks of streams.
  package let clocks: any ComparedClocks
  /// Whether there are more than ``endsMax``, of which none is looked at.
  package let areTooMany: Bool

  /// `ends` in any order.
  package init(
    _ ends: [End],
    replies: [Reply],
    streams: [RecordedStream],
    clocks: any ComparedClocks
  ) {
    areTooMany = ends.count > Self.endsMax
    self.ends =
      areTooMany
      ? []
      : ends.sorted { one, other in
        guard one.flow == other.flow else { return one.flow < other.flow }
        guard one.isSend == other.isSend else { return one.isSend }
        let (clock, its) = (clocks.clock(of: one.stream), clocks.clock(of: other.stream))
        guard clock == its else { return clock < its }
        return (one.time, one.stream, one.sequence) < (other.time, other.stream, other.sequence)
      }
    self.replies = replies.sorted { $0.request < $1.request }
    requestOfReply = Dictionary(
      replies.map { ($0.send.flow, $0.request) },
      uniquingKeysWith: { first, _ in first }
    )
    self.streams = streams
    self.clocks = clocks
  }

  /// All ends of a message, its sends first; none for the flow 0, which ties nothing.
  package func ends(of flow: UInt64) -> ArraySlice<End> {
    guard flow != 0 else { return [] }
    let first = ends.partitioningIndex { $0.flow >= flow }
    return ends[first...].prefix { $0.flow == flow }
  }

  /// The send that is before all others of the message; nil where none is recorded, or two clocks have sent it.
  package func firstSend(of flow: UInt64) -> End? {
    let sends = ends(of: flow).prefix(while: \.isSend)
    guard let first = sends.first, let last = sends.last,
      clocks.clock(of: first.stream) == clocks.clock(of: last.stream)
    else { return nil }
    return first
  }

  /// Whether the recording has no receive of the message.
  package func isUnheard(_ flow: UInt64) -> Bool { ends(of: flow).last?.isSend ?? true }

  /// The flow of the request that the message of `flow` answers; nil where nothing says so.
  package func request(answeredBy flow: UInt64) -> UInt64? { requestOfReply[flow] }

  /// The answers to the message of `flow` that left for who has sent it, received or not.
  package func replies(to flow: UInt64) -> ArraySlice<Reply> {
    let first = replies.partitioningIndex { $0.request >= flow }
    return replies[first...].prefix { $0.request == flow }
  }

  /// Who is meant by a peer's name: the app, else the process, else the host; without `own`.
  package func streams(of peer: String, but own: StreamID) -> [RecordedStream] {
    let others = streams.filter { $0.id != own }
    for path in [\RecordedStream.app, \.process, \.host] {
      let found = others.filter { !peer.isEmpty && $0[keyPath: path] == peer }
      if !found.isEmpty { return found }
    }
    return []
  }

  /// An end as `goto` takes it: `server#1:17`.
  func words(_ end: End) -> Sentence {
    let label = streams[Int(end.stream.rawValue)].label
    return "\(event: EventName(writer: label, sequence: end.sequence), of: end.stream)"
  }
}

extension RecordedMessages.End {
  func witness(_ label: String) -> Witness {
    Witness(label: label, stream: stream, sequence: sequence, time: time)
  }
}

extension RandomAccessCollection where Index == Int {
  /// The first index at which `isSecond` holds, in a collection sorted so that it holds from there on.
  func partitioningIndex(_ isSecond: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
