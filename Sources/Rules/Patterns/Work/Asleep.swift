// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Nothing of the app's own happens while it is in a state in which it cannot.
///
/// A stay in the state is an occasion, and its first breach is reported.
struct Asleep: Pattern {
  /// Describes an event that many nanoseconds into the state, right to ± `error`.
  let says: @Sendable (Scene, _ into: Int64, _ isSure: Bool) -> Story
  private(set) var isReported = false
  private(set) var isDoubtful = false

  var attention: [Trigger] { Trigger.stateChanges + [.everything(in: .suspended)] }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    if let change = context.change {
      if change.from == .suspended && !isReported && !isDoubtful { context.held() }
      (isReported, isDoubtful) = (false, false)
      return
    }
    guard context.state.appState == .suspended, event.observer == .own, !isReported,
      event.kind.family != .meta
    else { return }
    // An event that was preempted before the stop is delivered late, with its old time.
    let into = event.time - context.state.stateSince
    guard into > 0 else { return }
    let error = context.uncertainty(event.time, context.state.stateSince, flags: event.flags)
    let isSure = into > error
    if isSure { isReported = true } else { isDoubtful = true }
    let reason: Sentence =
      "the event is \(context.words(into)) behind the suspension, "
      + "and times are right to ± \(context.words(error))"
    context.say(isSure ? .broken() : .unclear(reason), event, names) { says($0, into, isSure) }
  }
}
