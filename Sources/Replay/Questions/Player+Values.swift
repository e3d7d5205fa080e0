// SPDX-License-Identifier: Apache-2.0
package import LifetraceQuery
package import LifetraceTimeline
import LifetraceTrace
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
    evaluator.system = limits(of: place.stream)
    let event = timeline.event(at: place)
    let stream = Int(place.stream.rawValue)
    let elsewhere = elsewhere(question)
    // The state before it is given up before that behind it is asked for, so that the keeper runs its own
    // on in place: what an app keeps may be megabytes.
    let old = value(before: event, at: place, stream, evaluator, elsewhere)
    evaluator.look(at: event, elsewhere: elsewhere.states(after: place), names)
    let after = state(of: place.stream, after: place.index + 1)
    return (old, evaluator.value(of: event, after: after, names))
  }

  private func value(
    before event: Event,
    at place: EventPlace,
    _ stream: Int,
    _ evaluator: Evaluator,
    _ elsewhere: Elsewhere
  ) -> Scalar {
    let left = place.index == 0 ? keeper.state(leftBefore: stream) : nil
    let before = left ?? state(of: place.stream, after: place.index)
    evaluator.look(at: event, before: before, names)
    evaluator.look(at: event, elsewhere: elsewhere.states(before: place), names)
    return evaluator.value(of: event, after: before, names)
  }

  func elsewhere(_ question: Question) -> Elsewhere {
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
    evaluator.system = limits(of: stream)
    let now = timeline.alignment.hostTime(time, of: stream)
    evaluator.look(at: now, elsewhere: elsewhere(question).states(at: here, time), names)
    return evaluator.value(at: now, in: state(of: stream), names)
  }
}
