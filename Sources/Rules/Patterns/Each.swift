// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Each event of some kinds is judged for itself.
///
///     Each(attention: [.event(.taskBegin)]) { event, _, _ in … } says: { scene in Story("…", …) }
struct Each: Pattern {
  let attention: [Trigger]
  /// Whether one occasion a stream is counted, of thousands.
  var countsOnce = false
  /// What is found; nil where the event is no occasion.
  let finds: Look<Finding?>
  let says: @Sendable (Scene) -> Story
  private(set) var hasHeld = false

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let finding = finds(event, context, names) else { return }
    if case .held = finding, countsOnce { return context.heldOnce(&hasHeld) }
    context.say(finding, event, names, says)
  }
}

extension Each {
  /// What must not happen while the app is in some states.
  ///
  ///     Each.never(.event(.touch), while: { $0 != .active }) { scene in … }
  ///
  /// In a state that is not known nobody can tell; the story is then told of that. What is stamped
  /// before the state began is `early`: it was delivered late, and is no breach.
  static func never(
    _ trigger: Trigger,
    while isForbidden: @escaping @Sendable (AppState) -> Bool = { $0 == .suspended },
    countsOnce: Bool = false,
    early: Early = .breach,
    says: @escaping @Sendable (Scene) -> Story
  ) -> Each {
    let finds: Look<Finding?> = { event, context, _ in
      let state = context.state.appState
      guard state == .unknown || isForbidden(state) else { return .held }
      let into = event.time - context.state.stateSince
      switch early {
      case .nothing where into < 0: return nil
      case .nothingAtOnce where state != .unknown && into <= 0: return nil
      case .heldAtOnce where state != .unknown && into <= 0: return .held
      default: return state == .unknown ? .unclear(context.unknownState) : .broken()
      }
    }
    return Each(attention: [trigger], countsOnce: countsOnce, finds: finds, says: says)
  }

  /// What an event means that was stamped before the state began.
  enum Early: Sendable {
    case breach
    case nothing
    /// Nothing, with the very time at which it began too.
    case nothingAtOnce
    /// That the rule was kept, with that time too.
    case heldAtOnce
  }
}
