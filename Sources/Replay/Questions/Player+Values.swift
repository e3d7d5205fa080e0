// SPDX-License-Identifier: Apache-2.0
package import LifetraceQuery
package import LifetraceTimeline
package import LifetraceTrace
import LifetraceLifecycle

extension Player {
  /// All events that a filter finds, from the start.
  package func hits(of filter: EventFilter) -> Hits {
    var filter = filter
    if filter.streams == nil { filter.streams = only }
    var reached = 0
    return Hits(
      of: filter,
      in: timeline,
      passed: { [self] count in
        reached += count
        progress(min(reached, timeline.count))
      },
      isInterrupted: isInterrupted
    )
  }

  /// The value of an expression after an event, and before it: at the start of a life, in the one before.
  package func values(of question: Question, at place: EventPlace) -> (
    before: Scalar, after: Scalar
  ) {
    let evaluator = Evaluator(question)
    let event = timeline.event(at: place)
    let stream = Int(place.stream.rawValue)
    let left = place.index == 0 ? keeper.state(leftBefore: stream) : nil
    let before = left ?? state(of: place.stream, after: place.index)
    let after = state(of: place.stream, after: place.index + 1)
    evaluator.look(at: event, before: before, names)
    let elsewhere = elsewhere(question)
    evaluator.look(at: event, elsewhere: elsewhere.states(before: place), names)
    let old = evaluator.value(of: event, after: before, names)
    evaluator.look(at: event, elsewhere: elsewhere.states(after: place), names)
    return (old, evaluator.value(of: event, after: after, names))
  }

  private func elsewhere(_ question: Question) -> Elsewhere {
    Elsewhere(question: question, timeline: timeline, keeper: keeper)
  }

  /// The value of an expression where the player stands.
  ///
  /// It is about the writer in focus; where it asks the event, about that of the event. Time goes on
  /// to the event on which it stands, whoever's that is.
  package func value(of question: Question) -> Scalar {
    if question.needsEvent, let place { return values(of: question, at: place).after }
    let stream = focus
    let evaluator = Evaluator(question)
    let now = timeline.alignment.hostTime(time, of: stream)
    evaluator.look(at: now, elsewhere: elsewhere(question).states(at: here, time), names)
    return evaluator.value(at: now, in: state(of: stream), names)
  }

  /// The first instant from here on at which a condition of the state holds.
  ///
  /// It lies at an event, or between two of them, where the condition moves with time. Nil where it
  /// does not hold any more in this recording.
  package func moment(of question: Question, in streams: Set<StreamID>)
    throws(SearchInterrupted) -> (time: TraceTime, place: EventPlace?)?
  {
    guard question.writers.isEmpty else { return try shared(question, in: streams) }
    var filter = EventFilter(kinds: question.touching) { _, _ in true }
    let evaluator = Evaluator(question)
    var best: (time: TraceTime, place: EventPlace?)?
    for stream in streams.sorted() {
      filter.streams = [stream]
      var position = here
      var from = state(of: stream)
      var start = timeline.alignment.hostTime(time, of: stream)
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

  /// The same of a condition that asks several writers: it is asked after each event of any of them.
  private func shared(_ question: Question, in streams: Set<StreamID>) throws(SearchInterrupted)
    -> (time: TraceTime, place: EventPlace?)?
  {
    var filter = EventFilter(kinds: question.touching) { _, _ in true }
    filter.streams = streams
    let evaluator = Evaluator(question)
    let elsewhere = elsewhere(question)
    let end = TraceTime(rawValue: timeline.duration)
    func truth(_ position: Position, _ time: TraceTime) -> (Truth, flip: Int64?) {
      let now = HostTime(rawValue: time.rawValue)
      evaluator.look(at: now, elsewhere: elsewhere.states(at: position, time), names)
      return evaluator.truth(at: now, in: LifeState(), names)
    }
    var position = here
    var start = time
    while true {
      let next = try find(filter, .forward, from: position)
      let until = next.map { timeline.time(of: timeline.event(at: $0)) } ?? end
      var at = start
      while let flip = truth(position, at).flip {
        at = TraceTime(rawValue: at.rawValue.addingSaturated(flip))
        guard at < until else { break }
        if truth(position, at).0 == .yes { return (at, nil) }
      }
      guard let next else { return nil }
      position = self.position(at: next)
      start = until
      if truth(position, start).0 == .yes { return (start, next) }
    }
  }

  private func cursor(of stream: StreamID, in position: Position) -> Int {
    position.cursors[Int(stream.rawValue)]
  }

  /// Until when a stream's state lasts behind its last event: a process that has ended does nothing.
  private func lastTime(of stream: StreamID, _ state: LifeState) -> HostTime {
    guard state.process.ending == nil else { return state.lastTime }
    return timeline.alignment.hostTime(TraceTime(rawValue: timeline.duration), of: stream)
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
