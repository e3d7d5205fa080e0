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
    Values(of: question, self).around(place)
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
