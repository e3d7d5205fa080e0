// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// A project's rule: at each of some events something holds, from one event to another or always.
///
///     always: {event: purge, holds: all data where unsaved == 0}
///
/// Each such event is an occasion. Where missing events leave open what holds, it is undecidable.
struct Always: Pattern {
  private var occasions: Watcher
  private let condition: EventSelector
  private var asked: AskedEvent
  private var stretch: Stretch

  init(_ event: EventSelector, holds condition: EventSelector, _ bounds: OwnRule.Bounds) {
    occasions = Watcher(event, 0)
    self.condition = condition
    asked = AskedEvent(condition.question)
    stretch = Stretch(bounds, 1)
  }

  var attention: [Trigger] { occasions.selector.attention + stretch.attention }

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
    var doubt: Sentence?
    switch occasions.match(event, &context, names) {
    case .no, .near: return
    case .yes: break
    case .unknown: doubt = occasions.doubt(event, context)
    }
    switch stretch.answer(context) {
    case .no: return
    case .maybe(let reason): doubt = reason
    case .yes: break
    }
    switch asked.answer(event, context, names) {
    case .yes: return doubt == nil ? context.held() : ()
    case .no, .near: break
    case .unknown: doubt = Watcher(condition, 0).doubt(event, context)
    }
    let (selector, wanted) = (occasions.selector, condition.text)
    context.say(.broken(unless: doubt), event, names) { scene in
      let met = scene.title(OwnEvent(scene.event, scene.context, scene.names), selector)
      return Story(
        "\(wanted) does not hold at \(met)",
        [scene.context.ownRule],
        [scene.witness("here")]
      )
    }
  }
}
