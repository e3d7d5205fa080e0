// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceQuery
import LifetraceTrace

/// A question put to the events of one stream, before they are folded.
///
/// Rules see an event in front of the state that it changes, and an expression asks the one behind it.
/// So a copy is folded, at those events alone whose own fields leave the answer open: what that costs
/// grows with what is open at the time.
///
/// `@unchecked Sendable`: copies share an evaluator until one of them asks, which then makes its own.
struct AskedEvent: @unchecked Sendable {
  /// What it says of an event.
  enum Answer {
    case no
    /// All that the event says fits, and the state does not.
    case near
    case yes
    case unknown
  }

  private let question: Question
  private var evaluator: Evaluator

  init(_ question: Question) {
    self.question = question
    evaluator = Evaluator(question)
  }

  /// Whether the condition holds at an event that is not folded yet, where the name that it was given
  /// stands for `given`.
  mutating func answer(
    _ event: borrowing Event,
    _ context: borrowing RuleContext,
    _ names: borrowing Names,
    given: Scalar = .unknown
  ) -> Answer {
    guard question.kinds.contains(event.kind) else { return .no }
    if !isKnownUniquelyReferenced(&evaluator) { evaluator = Evaluator(question) }
    evaluator.given = given
    guard question.needsState else { return Self.answer(evaluator.truth(of: event, names)) }
    evaluator.look(at: event, before: context.state, names)
    let own = evaluator.possible(at: event, names)
    guard own == .unknown else { return Self.answer(own) }
    var state = context.state
    state.apply(event, names: names)
    switch evaluator.truth(of: event, after: state, names) {
    case .no: return .near
    case .unknown: return .unknown
    case .yes: return question.asksAppState ? timed(event, context) : .yes
    }
  }

  /// What an expression of any type is at an event that is not folded yet.
  mutating func value(
    _ event: borrowing Event,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Scalar {
    if !isKnownUniquelyReferenced(&evaluator) { evaluator = Evaluator(question) }
    guard question.needsState else { return evaluator.value(of: event, names) }
    evaluator.look(at: event, before: context.state, names)
    var state = context.state
    state.apply(event, names: names)
    return evaluator.value(of: event, after: state, names)
  }

  /// An event in a state: what was preempted before the change is delivered late, with its old time.
  private func timed(_ event: borrowing Event, _ context: borrowing RuleContext) -> Answer {
    guard context.change == nil else { return .yes }
    let since = context.state.stateSince
    let length = event.time - since
    if length < 0 { return .no }
    let error = context.uncertainty(event.time, since, flags: event.flags)
    return error > 0 && length <= error ? .unknown : .yes
  }

  private static func answer(_ truth: Truth) -> Answer {
    switch truth {
    case .no: .no
    case .yes: .yes
    case .unknown: .unknown
    }
  }
}
