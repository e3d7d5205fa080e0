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
  /// The finding; nil where the event is no occasion.
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
  /// What must not happen while the app is in some states; `deed` says what happened.
  ///
  ///     Each.never(.event(.touch), while: { $0 != .active }, "touch") { _ in "a touch was delivered" }
  ///
  /// Where the state is unknown, there is no verdict. An event stamped before the state began is
  /// `early`: it was delivered late, and is no breach. The event is a witness by `label`; the begin
  /// of the state is one where it is known, and on demand where it is not.
  static func never(
    _ trigger: Trigger,
    while isForbidden: @escaping @Sendable (AppState) -> Bool = { $0 == .suspended },
    countsOnce: Bool = false,
    early: Early = .breach,
    saysHowLong: Bool = false,
    showsUnknown: Bool = false,
    _ label: String,
    deed: @escaping @Sendable (Scene) -> Sentence
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
    return Each(attention: [trigger], countsOnce: countsOnce, finds: finds) { scene in
      let (state, witness) = (scene.state.appState, scene.witness(label))
      if state == .unknown {
        let shown = showsUnknown ? [scene.stateWitness, witness] : [witness]
        return Story("\(deed(scene)) in a state that is not known", [], shown)
      }
      let since = scene.since(scene.state.stateSince)
      return Story(
        "\(deed(scene)) while the app was \(state.word)",
        saysHowLong ? ["It had been \(state.word) for \(since)."] : [],
        [scene.stateWitness, witness]
      )
    }
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
