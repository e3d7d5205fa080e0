// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceQuery
import LifetraceTrace
import LifetraceWords

/// A project's rule: something does not happen, from one event to another or at all.
///
///     never: work.begin && name =~ `analytics*` && state in [background, suspended]
///
/// Each event that fits but for the state is an occasion. In a state that is not known it is undecidable.
struct Never: Pattern {
  private var deeds: Watcher
  private var stretch: Stretch

  init(_ event: EventSelector, _ bounds: OwnRule.Bounds) {
    deeds = Watcher(event, 0)
    stretch = Stretch(bounds, 1)
  }

  var attention: [Trigger] { deeds.selector.attention + stretch.attention }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    judge(event, &context, names)
    stretch.note(event, &context, names)
  }

  private mutating func judge(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    var finding = Finding.broken()
    switch deeds.match(event, &context, names) {
    case .no: return
    case .near: return context.held()
    case .yes: break
    case .unknown: finding = .unclear(deeds.doubt(event, context))
    }
    switch stretch.answer(context) {
    case .no: return context.held()
    case .maybe(let reason): finding = .unclear(reason)
    case .yes: break
    }
    let selector = deeds.selector
    let isStated = selector.question.asksAppState && context.change == nil
    context.say(finding, event, names) { scene in
      let deed = scene.title(OwnEvent(scene.event, scene.context, scene.names), selector)
      let state = scene.state.appState
      guard isStated else {
        return Story("\(deed) happened", [scene.context.ownRule], [scene.witness("here")])
      }
      guard state != .unknown else {
        return Story(
          "\(deed) happened in a state that is not known",
          [scene.context.ownRule],
          [scene.witness("here")]
        )
      }
      return Story(
        "\(deed) happened while the app was \(state.word)",
        [
          scene.context.ownRule,
          "It had been \(state.word) for \(scene.since(scene.state.stateSince)).",
        ],
        [scene.stateWitness, scene.witness("here")]
      )
    }
  }
}
