// SPDX-License-Identifier: Apache-2.0
package import LifetraceTimeline
import LifetraceTrace

/// The way of a request over processes and machines: its messages, and the time between them.
///
///     let path = try player.path(ofFlow: flow)
///     path.hops.map(\.since)         // in which process it was meanwhile, or that it was on its way
///
/// A hop lasts from the one before it in its process; a receive from the first send of its message.
package struct RequestPath: Sendable {
  /// One end of one of its messages.
  package struct Hop: Sendable {
    /// The event.
    package let place: EventPlace
    /// What it lasts from; nil for the first of a process, and where no send is recorded.
    package let since: EventPlace?
    /// How long it took; nil without that.
    package let took: TimeBetween?
    /// Whether it was on its way between processes meanwhile.
    package let isOnTheWay: Bool
    /// Whether the same message was sent before.
    package let isAgain: Bool
  }

  /// Its id; nil for a message that says nothing of a trace: it is alone then.
  package let trace: RequestTrace?
  /// How many messages it is made of.
  package private(set) var messages = 0
  /// In order of the timeline.
  package private(set) var hops: [Hop] = []
  /// Of its messages those that nobody received, as far as it is recorded.
  package private(set) var unheard = 0
  /// Of its messages those whose send is not recorded.
  package private(set) var unsent = 0
  /// Messages that were not looked at.
  package private(set) var leftOut = 0

  /// More messages of one request are not followed.
  package static let messagesMax = 4_096

  init(_ flows: Set<UInt64>, of trace: RequestTrace?, leftOut: Int, _ player: Player)
    throws(SearchInterrupted)
  {
    self.trace = trace
    self.leftOut = leftOut
    messages = flows.count
    var firstSends: [UInt64: EventPlace] = [:]
    var heard: Set<UInt64> = []
    var lastOf: [StreamID: EventPlace] = [:]
    var found: [Hop] = []
    for end in try player.timeline.messages(of: flows, isInterrupted: player.isInterrupted) {
      let (place, isSend) = (end.place, end.isSend)
      let sent = firstSends[end.flow]
      if isSend, sent == nil { firstSends[end.flow] = place }
      if !isSend { heard.insert(end.flow) }
      // What a process sends itself is not on the way between processes.
      let isOnTheWay = !isSend && sent != nil
      let since = isOnTheWay ? sent : isSend ? lastOf[place.stream] : nil
      found.append(
        Hop(
          place: place,
          since: since,
          took: since.map { player.time(from: $0, to: place) },
          isOnTheWay: isOnTheWay,
          isAgain: isSend && sent != nil
        )
      )
      lastOf[place.stream] = place
    }
    hops = found
    unheard = firstSends.keys.count { !heard.contains($0) }
    unsent = heard.count { firstSends[$0] == nil }
  }
}

extension Player {
  /// The way of the request that the message of `flow` belongs to.
  ///
  /// Takes a look at what each message says of its trace, twice, and at the tables of all messages.
  package func path(ofFlow flow: UInt64) throws(SearchInterrupted) -> RequestPath {
    guard flow != 0, let trace = try trace(ofFlow: flow) else {
      return try RequestPath(flow == 0 ? [] : [flow], of: nil, leftOut: 0, self)
    }
    return try path(of: trace)
  }

  /// The way of the request with that trace id.
  package func path(of trace: RequestTrace) throws(SearchInterrupted) -> RequestPath {
    var flows: Set<UInt64> = []
    var leftOut = 0
    let filter = EventFilter(kinds: KindSet([.messageTrace])) { event, _ in
      let said = Payload.MessageTrace(event)
      return said.high == trace.high && said.low == trace.low
    }
    try eachHit(of: filter) { _, event in
      if flows.count < RequestPath.messagesMax {
        flows.insert(event.identity)
      } else if !flows.contains(event.identity) {
        leftOut += 1
      }
    }
    return try RequestPath(flows, of: trace, leftOut: leftOut, self)
  }
}
