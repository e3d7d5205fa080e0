// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Turning the interface: asked first, then told before, while and after.
extension Transitions {
  /// A turn that is under way.
  private struct Turn: Sendable {
    enum Fault: Sendable {
      /// The view controller had said no.
      case refused
      /// The one before has not ended.
      case unended
      /// No willRotate came before.
      case unbegun
    }

    var refused: Order.Call?
    var begun: Order.Call?
    var fault: Fault?
  }

  static let rotation = Rule(
    "ST14",
    "A turn of the interface is asked for, begun, animated and ended, in this order.",
    source: "View Controller Programming Guide, Supporting Multiple Interface Orientations",
    severity: .warning,
    fix: "Suspect the recording, or a view controller that does not hand the calls on.",
    Recall(
      attention: [
        .callbackBegin(.shouldAutorotate), .callbackEnd(.shouldAutorotate),
        .callbackEnd(.supportedInterfaceOrientations), .callbackBegin(.willRotate),
        .callbackBegin(.willAnimateRotation), .callbackBegin(.didRotate), .event(.transition),
      ],
      memory: Turn()
    ) { turn, event, context, names in
      let call = Order.Call(sequence: event.sequence, time: event.time)
      turn.fault = nil
      switch context.callback {
      case .shouldAutorotate? where event.kind == .callbackBegin: turn.refused = nil
      case .shouldAutorotate?, .supportedInterfaceOrientations?:
        if context.saidNo(event, names) {
          turn.refused = call
        }
      case .willRotate?:
        defer { turn.begun = call }
        if let begun = turn.begun { return broken(&turn, .unended, since: begun, context) }
        if let refused = turn.refused { return broken(&turn, .refused, since: refused, context) }
      case .willAnimateRotation?:
        if turn.begun == nil { return broken(&turn, .unbegun, since: call, context) }
      case .didRotate?:
        guard turn.begun != nil else { return broken(&turn, .unbegun, since: call, context) }
        turn.begun = nil
        return .held
      default:
        guard let begun = turn.begun, context.change?.to == .background else { return nil }
        let finding = broken(&turn, .unended, since: begun, context)
        return finding
      }
      return nil
    } says: { scene, turn in
      var witnesses = [scene.witness("here")]
      let callback = scene.context.callback?.rawValue ?? ""
      switch turn.fault {
      case .refused?:
        if let refused = turn.refused { witnesses.append(scene.witness("said no", refused)) }
        return Story("the interface turned, though its view controller had said no", [], witnesses)
      case .unbegun?:
        return Story("\(name: callback) was called, and willRotate not before it", [], witnesses)
      default:
        return Story(
          "the interface began to turn, and didRotate was not called before \(end(scene))",
          [],
          witnesses
        )
      }
    }
  )

  private static func end(_ scene: Scene) -> Sentence {
    scene.context.callback == nil ? "the app left the screen" : "the next turn"
  }

  private static func broken(
    _ turn: inout Turn,
    _ fault: Turn.Fault,
    since call: Order.Call,
    _ context: borrowing RuleContext
  ) -> Finding {
    turn.fault = fault
    // A call of the turn may be missing wherever calls are.
    let doubt =
      fault == .unbegun ? context.doubt(.callback) : context.unseen(.callback, since: call.time)
    let hole = context.hole.map(\.text)
    return .broken(unless: (doubt ?? hole).map { "a call may be missing: \($0)" })
  }

  static let mask = Rule(
    "ST15",
    "The reasons to be inactive that a log names add up.",
    source: "the log of a device: Deactivation reason added, deactivation reasons before and after",
    severity: .info,
    fix: "Lines are missing from the log, or belong to another process.",
    Each(attention: [.event(.log), .event(.transition)], countsOnce: true) { event, _, names in
      if event.kind == .log {
        return names[Payload.Log(event).text].hasPrefix("inconsistent: reason") ? .broken() : nil
      }
      return names[Payload.Transition(event).cause].hasPrefix("deactivation reason") ? .held : nil
    } says: { scene in
      Story(
        "the log contradicts itself about why the app was inactive",
        ["It says: \(name: scene.names[Payload.Log(scene.event).text])."],
        [scene.witness("contradiction")]
      )
    }
  )
}
