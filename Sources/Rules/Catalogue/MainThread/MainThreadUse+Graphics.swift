// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// The graphics hardware belongs to the app that is in front.
extension MainThreadUse {
  private static let uses: [Trigger] = [
    .workBegin(.gl), .event(.resourceAcquire), .event(.resourceUse),
  ]

  static let graphicsEarly = Rule(
    "MT06",
    "No OpenGL ES or Metal work is done before the app becomes active.",
    source: "iPhone Application Programming Guide, App States: do not set up OpenGL ES at launch; "
      + "use didBecomeActive",
    fix: "Set the context up in didBecomeActive.",
    Each(attention: uses, countsOnce: true) { event, context, _ in
      guard isGraphics(event) else { return nil }
      if context.state.appState == .unknown { return .unclear(context.unknownState) }
      // It is on its way to the screen for the first time.
      let isLaunching = context.state.stateBefore == .notRunning
      return context.state.appState == .inactive && isLaunching ? .broken() : .held
    } says: { scene in
      if scene.state.appState == .unknown {
        return Story(
          "\(graphics(scene)) may have been done at launch",
          [],
          [scene.witness("begin")]
        )
      }
      return Story(
        "\(graphics(scene)) was done while the app was launching",
        ["It slows the launch down, and the screen is not the app's yet."],
        [scene.stateWitness, scene.witness("begin")]
      )
    }
  )

  static let graphicsBehind = Rule(
    "MT07",
    "No OpenGL ES or Metal work is done in the background.",
    source: "App Programming Guide, Background Execution: OpenGL ES calls in the background cause "
      + "the app to be killed immediately",
    fix: "Stop drawing in willResignActive, and finish what is submitted (glFinish, "
      + "waitUntilScheduled) before didEnterBackground returns.",
    Recall<Void>(
      attention: uses + [.workEnd(.gl)] + Trigger.stateChanges,
      memory: (),
      countsOnce: true
    ) { _, event, context, names in
      if let change = context.change {
        guard change.suspends, let open = openGraphics(context) else { return nil }
        return .broken(unless: missingEnd(open, context))
      }
      guard isGraphics(event) || event.kind == .workEnd else { return nil }
      switch context.state.appState {
      case .unknown: return event.kind == .workEnd ? nil : .unclear(context.unknownState)
      case .background: break
      default: return .held
      }
      // Its end is where what was submitted is finished.
      if context.isOpen([.didEnterBackground], names) { return .held }
      if event.kind == .workEnd {
        guard let span = context.closing, span.time < context.state.stateSince else { return nil }
        // A runtime may change the state before it calls.
        let call = context.lastRun(of: .didEnterBackground)
        guard let call, call.begin >= context.state.stateSince else { return nil }
        return event.time > call.end ? .broken() : .held
      }
      // What another thread has drawn in time may be delivered late.
      if event.time < context.state.stateSince { return .held }
      if let call = context.lastRun(of: .didEnterBackground),
        call.begin >= context.state.stateSince, call.isAround(event)
      {
        return .held
      }
      let entering = context.unseen(.callback, since: context.state.stateSince)
      return .broken(unless: entering.map { "whether it entered just then is not known: \($0)" })
    } says: { scene, _ in
      let state = scene.state.appState
      if state == .unknown {
        return Story(
          "\(graphics(scene)) in a state that is not known",
          [],
          [scene.witness("begin")]
        )
      }
      if scene.context.change != nil, let open = openGraphics(scene.context) {
        return Story(
          "\(scene.title(open))\(scene.at(open.site)) was drawing when the app was suspended",
          ["It began \(scene.before(open))."],
          [scene.witness("begin", open), scene.witness("suspended")]
        )
      }
      let since = scene.since(scene.state.stateSince)
      return Story(
        "\(graphics(scene)) was done \(since) into the background",
        ["The system kills an app that draws there."],
        [scene.stateWitness, scene.witness(scene.event.kind == .workEnd ? "end" : "begin")],
        advice: scene.state.stateBefore == .notRunning
          ? "The app was launched in the background: draw, and set graphics up, when it becomes "
            + "active."
          : nil
      )
    }
  )

  private static func isGraphics(_ event: borrowing Event) -> Bool {
    switch event.kind {
    case .workBegin: Payload.WorkBegin(event).kind.value == .gl
    case .resourceAcquire: Payload.ResourceAcquire(event).class.value == .gl
    case .resourceUse: Payload.ResourceUse(event).class.value == .gl
    default: false
    }
  }

  private static func openGraphics(_ context: borrowing RuleContext) -> OpenSpan? {
    context.state.spans.values.first {
      $0.kind == .workBegin && $0.detail == UInt64(WorkKind.gl.rawValue)
    }
  }

  private static func missingEnd(
    _ span: OpenSpan,
    _ context: borrowing RuleContext
  ) -> Sentence? {
    context.doubt(.work, since: span.time).map { "its end may be missing: \($0)" }
  }

  private static func graphics(_ scene: Scene) -> Sentence {
    if scene.event.kind == .workEnd, let span = scene.context.closing {
      return "\(scene.title(span))\(scene.at(span.site))"
    }
    return "\(scene.eventTitle)\(scene.at(scene.event.site))"
  }
}
