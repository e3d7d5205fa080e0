// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// A project's rule: something does not happen in some states of the app, while something goes on,
/// or not at all.
///
///     never: {event: work.begin analytics*, in: [background, suspended]}
///
/// Each such event is an occasion. In a state that is not known it is undecidable.
struct Never: Pattern {
  private let states: [AppState]
  private var deeds: Watcher
  private var during: Ongoing?

  init(_ event: EventSelector, in states: [AppState], during: EventSelector?) {
    self.states = states
    deeds = Watcher(event, 0)
    self.during = during.flatMap { Ongoing($0, 1) }
  }

  var attention: [Trigger] { deeds.selector.attention + (during?.attention ?? []) }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    judge(event, &context, names)
    during?.note(event, &context, names)
  }

  private mutating func judge(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let match = deeds.match(event, &context, names)
    if case .no = match { return }
    var finding = Finding.broken()
    let state = context.state.appState
    if !states.isEmpty {
      if state == .unknown {
        finding = .unclear(context.unknownState)
      } else if !states.contains(state) {
        if case .yes = match { context.held() }
        return
      } else {
        // What was preempted before the change is delivered late, with its old time.
        let into = event.time - context.state.stateSince
        let error = context.uncertainty(event.time, context.state.stateSince, flags: event.flags)
        if into < 0 { return }
        if error > 0, into <= error {
          finding = .unclear("times are right to ± \(context.words(error)) only")
        }
      }
    }
    switch during?.answer(context) {
    case .no:
      if case .yes = match { context.held() }
      return
    case .maybe(let reason): finding = .unclear(reason)
    case .yes, nil: break
    }
    let selector = deeds.selector
    if case .maybe = match {
      finding = .unclear("its begin is missing, and with it its name")
    }
    let isStated = !states.isEmpty
    context.say(finding, event, names) { scene in
      let deed = scene.title(OwnEvent(scene.event, scene.context, scene.names), selector)
      guard isStated else {
        return Story("\(deed) happened", [scene.context.ownRule], [scene.witness("here")])
      }
      let since: [Sentence] =
        state == .unknown
        ? [] : ["It had been \(state.word) for \(scene.since(scene.state.stateSince))."]
      return Story(
        state == .unknown
          ? "\(deed) happened in a state that is not known"
          : "\(deed) happened while the app was \(state.word)",
        [scene.context.ownRule] + since,
        (state == .unknown ? [] : [scene.stateWitness]) + [scene.witness("here")]
      )
    }
  }
}
