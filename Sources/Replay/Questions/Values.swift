// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
package import LifetraceQuery
package import LifetraceTimeline
import LifetraceTrace

/// The values of one expression at many events.
///
///     let values = Values(of: question, player)
///     values.value(at: place)             // after the event
///     values.around(place)                // before it and after it
///
/// The names of the recording are learnt once, which for one event takes longer than its answer. In the
/// order of a stream each costs a step of its state; nothing where the expression asks for none.
package final class Values {
  /// What is asked.
  package let question: Question
  private let player: Player
  private let evaluator: Evaluator
  private let elsewhere: Elsewhere

  /// Asks `question` of events of the recording that `player` walks.
  package init(of question: Question, _ player: Player) {
    (self.question, self.player) = (question, player)
    evaluator = Evaluator(question)
    elsewhere = player.elsewhere(question)
  }

  /// The value after an event.
  package func value(at place: EventPlace) -> Scalar {
    let event = player.timeline.event(at: place)
    guard question.needsState else { return evaluator.value(of: event, player.names) }
    guard !evaluator.looksBefore else { return around(place).after }
    evaluator.system = player.limits(of: place.stream)
    return after(event, at: place)
  }

  /// The value before an event, at the start of a life in the one before, and the value after it.
  package func around(_ place: EventPlace) -> (before: Scalar, after: Scalar) {
    evaluator.system = player.limits(of: place.stream)
    let event = player.timeline.event(at: place)
    // The state before it is given up before that behind it is asked for, so that the keeper runs its own
    // on in place: what an app keeps may be megabytes.
    let old = before(event, at: place)
    return (old, after(event, at: place))
  }

  private func before(_ event: Event, at place: EventPlace) -> Scalar {
    let left = place.index == 0 ? player.keeper.state(leftBefore: Int(place.stream.rawValue)) : nil
    let before = left ?? player.state(of: place.stream, after: place.index)
    evaluator.look(at: event, before: before, player.names)
    evaluator.look(at: event, elsewhere: elsewhere.states(before: place), player.names)
    return evaluator.value(of: event, after: before, player.names)
  }

  private func after(_ event: Event, at place: EventPlace) -> Scalar {
    if !question.writers.isEmpty {
      evaluator.look(at: event, elsewhere: elsewhere.states(after: place), player.names)
    }
    let after = player.state(of: place.stream, after: place.index + 1)
    return evaluator.value(of: event, after: after, player.names)
  }
}
