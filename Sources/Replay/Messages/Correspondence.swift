// SPDX-License-Identifier: Apache-2.0
package import LifetraceTimeline
import LifetraceTrace

/// All that is recorded of one message: each time that it was sent, and each that it arrived.
///
///     let message = try player.correspondence(of: place)
///     message?.firstSend        // before all of its receives
///
/// A retry is sent again under the same flow, and a flow may arrive at several, or at one twice. Which
/// send a receive belongs to is not known then; the first is before all of them.
package struct Correspondence: Sendable {
  /// The number that its ends share.
  package let flow: UInt64
  /// Each in order of the timeline.
  package internal(set) var sends: [EventPlace] = []
  /// Each in order of the timeline.
  package internal(set) var receives: [EventPlace] = []

  /// The send that is before all receives.
  package var firstSend: EventPlace? { sends.first }
}

/// The trace that a message says it belongs to.
package struct RequestTrace: Hashable, Sendable {
  /// The first half of its id.
  package let high: UInt64
  /// The second half.
  package let low: UInt64

  /// The trace with that id.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension Player {
  /// The flow of the message that the event at `place` is about, if it is about one.
  package func flow(of place: EventPlace) -> UInt64? {
    let event = timeline.event(at: place)
    switch event.kind {
    case .messageSend, .messageReceive, .messageTrace: return event.identity
    default: return nil
    }
  }

  /// The ends of the message of a flow.
  ///
  /// Takes a look at the table of messages of each chunk, and decodes nothing where there is one.
  package func correspondence(of flow: UInt64) throws(SearchInterrupted) -> Correspondence {
    var message = Correspondence(flow: flow)
    // A peer that was not recorded and gave no context: such receives have nothing to do with each other.
    guard flow != 0 else { return message }
    for end in try timeline.messages(of: [flow], isInterrupted: isInterrupted) {
      if end.isSend { message.sends.append(end.place) } else { message.receives.append(end.place) }
    }
    return message
  }

  /// The trace of a flow, and the flow that led to it; nil where the message says nothing of that.
  func trace(ofFlow flow: UInt64) throws(SearchInterrupted) -> RequestTrace? {
    let filter = EventFilter(kinds: KindSet([.messageTrace])) { event, _ in event.identity == flow }
    let found = try timeline.find(
      filter,
      from: timeline.start,
      .forward,
      isInterrupted: isInterrupted
    )
    return found.map { place in
      let said = Payload.MessageTrace(timeline.event(at: place))
      return RequestTrace(high: said.high, low: said.low)
    }
  }

  /// The flow that led to the message of `flow`, as its sender says; nil for none.
  func parent(ofFlow flow: UInt64) throws(SearchInterrupted) -> UInt64? {
    let filter = EventFilter(kinds: KindSet([.messageTrace])) { event, _ in
      event.identity == flow && Payload.MessageTrace(event).parent != 0
    }
    let found = try timeline.find(
      filter,
      from: timeline.start,
      .forward,
      isInterrupted: isInterrupted
    )
    return found.map { Payload.MessageTrace(timeline.event(at: $0)).parent }
  }

  /// The messages that were sent in the course of that of `flow`, as their senders say; in order, and no more
  /// than ``RequestPath/messagesMax``.
  func flows(inCourseOf flow: UInt64) throws(SearchInterrupted) -> [UInt64] {
    guard flow != 0 else { return [] }
    var flows: [UInt64] = []
    let filter = EventFilter(kinds: KindSet([.messageTrace])) { event, _ in
      Payload.MessageTrace(event).parent == flow
    }
    try eachHit(of: filter) { _, event in
      if flows.count < RequestPath.messagesMax { flows.append(event.identity) }
    }
    return flows
  }

  /// Calls `body` for all events that a filter finds, in order, whatever streams one looks at.
  func eachHit(of filter: EventFilter, _ body: (EventPlace, Event) -> Void)
    throws(SearchInterrupted)
  {
    var hits = Hits(of: filter, in: timeline, isInterrupted: isInterrupted)
    while let place = try hits.next() { body(place, timeline.event(at: place)) }
  }
}
