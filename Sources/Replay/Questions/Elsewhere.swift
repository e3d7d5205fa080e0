// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceQuery
import LifetraceTimeline
import LifetraceTrace

/// The states of the writers that a question names, at one place of the order of all events.
///
///     elsewhere.states(after: place)      // one for each of question.writers
final class Elsewhere {
  private let question: Question
  private let timeline: Timeline
  private let keeper: StateKeeper
  /// By writer: the state given last, as the others stand still while one goes on.
  private var latest: [(stream: Int, count: Int, state: LifeState)?]

  init(question: Question, timeline: Timeline, keeper: StateKeeper) {
    self.question = question
    self.timeline = timeline
    self.keeper = keeper
    latest = Array(repeating: nil, count: question.writers.count)
  }

  /// A state, and the time on the clock of its writer; nil for one that has not started.
  typealias States = [(state: LifeState, now: HostTime)?]

  /// Those just after an event, that of its own writer with it.
  func states(after place: EventPlace) -> States {
    let time = timeline.time(of: timeline.event(at: place))
    return states(at: time) { timeline.cursor(of: $0, after: place) }
  }

  /// Those just before an event.
  func states(before place: EventPlace) -> States {
    let time = timeline.time(of: timeline.event(at: place))
    return states(at: time) {
      let isOwn = $0 == Int(place.stream.rawValue)
      return isOwn ? place.index : timeline.cursor(of: $0, after: place)
    }
  }

  /// Those at a position, at a time at which nothing else has happened yet.
  func states(at position: Position, _ time: TraceTime) -> States {
    states(at: time) { position.cursors[$0] }
  }

  private func states(at time: TraceTime, _ cursor: (Int) -> Int) -> States {
    question.writers.indices.map { writer in
      for stream in question.writers[writer].streams.reversed() {
        let count = cursor(stream)
        guard count > 0 else { continue }
        let now = timeline.alignment.hostTime(time, of: timeline.streams[stream].id)
        return (state(writer, stream, count), now)
      }
      return nil
    }
  }

  private func state(_ writer: Int, _ stream: Int, _ count: Int) -> LifeState {
    if let known = latest[writer], known.stream == stream, known.count == count {
      return known.state
    }
    // Given up first, so that the keeper runs its own on in place.
    latest[writer] = nil
    let state = keeper.state(of: stream, after: count)
    latest[writer] = (stream, count, state)
    return state
  }
}
