// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
package import LifetraceTrace

extension Timeline {
  /// Whether two events of different machines could as well have been the other way round: nothing that is
  /// recorded proves which was first.
  ///
  /// On one clock it takes no time, else a look at the messages between the two; where those leave it open,
  /// at each pair of clocks, less often for events that lie close together.
  package func areConcurrent(_ one: Event, _ other: Event) -> Bool {
    let clocks = alignment.recording.clockOfStream
    guard clocks[Int(one.stream.rawValue)] != clocks[Int(other.stream.rawValue)] else {
      return false
    }
    let recording = alignment.recording
    let moments = [one, other].map { recording.moment($0.time, of: $0.stream) }
    if let (send, receive) = ends(of: one, other) {
      // Of a flow that was sent again only the first send is proved: a bound is whole nanoseconds, rounded.
      // Where evidence was let go its own may not be among what is left.
      if recording.isThinned { return false }
      let latest = recording.graph.interval(of: moments[send], on: moments[receive].clock).high
      if let latest, latest <= moments[receive].time.addingReportingOverflow(4).partialValue {
        return false
      }
    }
    var order = clockOrder ?? ClockOrder(recording.graph)
    // Held once only, it is changed in place.
    clockOrder = nil
    defer { clockOrder = order }
    return order(moments[0], moments[1]) == .cannotSay
  }

  /// Which of the two is the send and which the receive of one message.
  private func ends(of one: Event, _ other: Event) -> (send: Int, receive: Int)? {
    guard one.identity == other.identity, one.identity != 0 else { return nil }
    switch (one.kind, other.kind) {
    case (.messageSend, .messageReceive): return (0, 1)
    case (.messageReceive, .messageSend): return (1, 0)
    default: return nil
    }
  }

  /// The margin of an event's time on the axis, in nanoseconds to either side; nil where nothing bounds it on
  /// both sides, 0 on the clock that the axis is made of.
  package func margin(of event: Event) -> Int64? {
    guard !alignment.isReference(event.stream) else { return 0 }
    return alignment.interval(event.time, of: event.stream).width.map { $0 / 2 + $0 % 2 }
  }
}
