// SPDX-License-Identifier: Apache-2.0
package import LifetraceQuery
package import LifetraceTimeline
package import LifetraceTrace
import LifetraceLifecycle

extension Player {
  /// All events that a filter finds, from the start; it ends early where a user interrupts it.
  ///
  /// Whoever walks them asks ``isInterrupted`` behind each.
  package func hits(of filter: EventFilter) -> Hits {
    var filter = filter
    if filter.streams == nil { filter.streams = only }
    let accepts = filter.accepts
    var looked = 0
    filter.accepts = { [self] event, names in
      looked += 1
      if looked & 0xfff == 0, isInterrupted() { return true }
      return accepts(event, names)
    }
    return Hits(of: filter, in: timeline)
  }

  /// The value of an expression after an event, and before it.
  package func values(of question: Question, at place: EventPlace) -> (
    before: Scalar, after: Scalar
  ) {
    let evaluator = Evaluator(question)
    let event = timeline.event(at: place)
    let before = state(of: place.stream, after: place.index)
    let after = state(of: place.stream, after: place.index + 1)
    evaluator.look(at: event, before: before, names)
    return (
      evaluator.value(of: event, after: before, names),
      evaluator.value(of: event, after: after, names)
    )
  }

  /// The value of an expression where the player stands.
  ///
  /// It is about the writer in focus; where it asks the event, about that of the event. Time goes on
  /// to the event on which it stands, whoever's that is.
  package func value(of question: Question) -> Scalar {
    if question.needsEvent, let place { return values(of: question, at: place).after }
    let stream = focus
    let evaluator = Evaluator(question)
    let now = hostTime(time, of: stream)
    return evaluator.value(at: now, in: state(of: stream), names)
  }

  /// The first instant from here on at which a condition of the state holds.
  ///
  /// It lies at an event, or between two of them, where the condition moves with time. Nil where it
  /// does not hold any more in this recording.
  package func moment(of question: Question, in streams: Set<StreamID>)
    throws(SearchInterrupted) -> (time: TraceTime, place: EventPlace?)?
  {
    var filter = EventFilter(kinds: question.touching) { _, _ in true }
    let evaluator = Evaluator(question)
    var best: (time: TraceTime, place: EventPlace?)?
    for stream in streams.sorted() {
      filter.streams = [stream]
      var position = here
      var from = state(of: stream)
      var start = hostTime(time, of: stream)
      while true {
        let next = try find(filter, .forward, from: position)
        let end = next.map { timeline.event(at: $0).time } ?? lastTime(of: stream, from)
        if cursor(of: stream, in: position) > 0,
          let time = crossing(evaluator, in: from, from: start, until: end)
        {
          let found = timeline.alignment.traceTime(time, of: stream)
          if best.map({ found < $0.time }) ?? true { best = (found, nil) }
          break
        }
        guard let next else { break }
        position = self.position(at: next)
        from = state(of: stream, after: next.index + 1)
        let event = timeline.event(at: next)
        start = event.time
        guard evaluator.truth(at: event.time, in: from, names).0 == .yes else { continue }
        let found = timeline.time(of: event)
        if best.map({ found < $0.time }) ?? true { best = (found, next) }
        break
      }
    }
    return best
  }

  /// A time of the recording on the clock of a stream.
  private func hostTime(_ time: TraceTime, of stream: StreamID) -> HostTime {
    let shift = timeline.alignment.shifts[Int(stream.rawValue)]
    let back = (0 as Int64).subtractingSaturated(shift)
    return HostTime(rawValue: time.rawValue).advanced(by: back)
  }

  private func cursor(of stream: StreamID, in position: Position) -> Int {
    position.cursors[Int(stream.rawValue)]
  }

  /// Until when a stream's state lasts behind its last event: a process that has ended does nothing.
  private func lastTime(of stream: StreamID, _ state: LifeState) -> HostTime {
    guard state.process.ending == nil else { return state.lastTime }
    return hostTime(TraceTime(rawValue: timeline.duration), of: stream)
  }

  /// When a condition becomes true between two events; nil where it does not.
  private func crossing(
    _ evaluator: Evaluator,
    in state: LifeState,
    from start: HostTime,
    until end: HostTime
  ) -> HostTime? {
    var time = start
    while true {
      guard let flip = evaluator.truth(at: time, in: state, names).flip else { return nil }
      time = time.advanced(by: flip)
      guard time < end else { return nil }
      if evaluator.truth(at: time, in: state, names).0 == .yes { return time }
    }
  }
}
