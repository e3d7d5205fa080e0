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
    let kinds = KindSet([one.kind, other.kind])
    if kinds == KindSet([.messageSend, .messageReceive]), one.identity == other.identity,
      one.identity != 0
    {
      return false
    }
    let recording = alignment.recording
    var order = clockOrder ?? ClockOrder(recording.graph)
    // Held once only, it is changed in place.
    clockOrder = nil
    defer { clockOrder = order }
    return order(
      recording.moment(one.time, of: one.stream),
      recording.moment(other.time, of: other.stream)
    ) == .cannotSay
  }

  /// The margin of an event's time on the axis, in nanoseconds to either side; nil where nothing bounds it on
  /// both sides, 0 on the clock that the axis is made of.
  package func margin(of event: Event) -> Int64? {
    guard !alignment.isReference(event.stream) else { return 0 }
    return alignment.interval(event.time, of: event.stream).width.map { $0 / 2 + $0 % 2 }
  }
}
