// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
package import LifetraceQuery
package import LifetraceTimeline
package import LifetraceTrace

extension Player {
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
      evaluator.system = limits(of: stream)
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
        // Given up first, so that the keeper runs its own on in place.
        from = LifeState()
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
    // All on one system, at the pace of the writer in focus.
    evaluator.system = limits(of: focus)
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

  /// The last instant before here at which a condition of the state held: right before the event that ended
  /// that, or between two events, where it moves with time.
  ///
  /// Nil where it held nowhere. Of several writers it is asked after each event of any of them.
  package func lastMoment(of question: Question, in streams: Set<StreamID>)
    throws(SearchInterrupted) -> (time: TraceTime, end: EventPlace?)?
  {
    guard question.writers.isEmpty else {
      let asking = Asking(question, self, of: streams)
      return try find(asking.filter, .backward).map {
        let time = timeline.time(of: timeline.event(at: $0))
        var behind = position(at: $0)
        return (time, timeline.stepForward(&behind))
      }
    }
    var filter = EventFilter(kinds: question.touching) { _, _ in true }
    let evaluator = Evaluator(question)
    var best: (time: TraceTime, end: EventPlace?)?
    for stream in streams {
      filter.streams = [stream]
      evaluator.system = limits(of: stream)
      var position = here
      var end = timeline.alignment.hostTime(time, of: stream)
      var ender: EventPlace?
      while let place = try find(filter, .backward, from: position) {
        let event = timeline.event(at: place)
        let state = state(of: stream, after: place.index + 1)
        if let last = lastHold(evaluator, in: state, from: event.time, until: end) {
          let found = timeline.alignment.traceTime(last, of: stream)
          if best.map({ found > $0.time }) ?? true { best = (found, last == end ? ender : nil) }
          break
        }
        position = self.position(at: place)
        timeline.stepBackward(&position)
        (end, ender) = (event.time, place)
      }
    }
    return best
  }

  /// Until when a condition holds last between two events; `end` where it is true up to there, nil where it
  /// is at no time.
  private func lastHold(
    _ evaluator: Evaluator,
    in state: LifeState,
    from start: HostTime,
    until end: HostTime
  ) -> HostTime? {
    var time = start
    var last: HostTime?
    while true {
      let (truth, flip) = evaluator.truth(at: time, in: state, names)
      let next = flip.map { time.advanced(by: $0) }
      if truth == .yes { last = next.map { min($0.advanced(by: -1), end) } ?? end }
      guard let next, next < end else { return last }
      time = next
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
