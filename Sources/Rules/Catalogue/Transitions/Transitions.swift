// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family ST: transitions and the order of callbacks.
enum Transitions {
  static let family = RuleFamily(
    "ST",
    "Transitions and the order of callbacks",
    [
      edges, activeTwice, resigned, entered, coldForeground, terminateAsleep, asleep,
      launchedBehind, launchOrder, urlOrder, noBackground, touches, rotation, mask, stuck,
    ]
  )

  static let edges = Rule(
    "ST01",
    "The app goes from state to state only as the system moves it.",
    source:
      "iPhone Application Programming Guide, App States; App Programming Guide, App Life Cycle",
    fix:
      "Suspect the recording first: the recorder, the importer or the simulator left a state out.",
    Each(attention: Trigger.stateChanges) { event, context, _ in
      guard let change = context.change, event.kind != .processStart else { return nil }
      if change.from != .unknown, let said = event.statedOrigin, said != .unknown,
        said != change.from
      {
        return .broken()
      }
      // An app that never said a state of its own is stopped like any process: that is no step.
      let isStop = event.kind == .suspend || event.kind == .resume
      if isStop, change.from == .notRunning { return nil }
      if change.from.canBecome(change.to) { return .held }
      guard event.isHearsay else { return .broken() }
      let isPath = change.from.expanded(to: change.to) != []
      return isPath ? .held : .unclear("a log may leave a step out")
    } says: { scene in
      let from = scene.state.appState.word
      let since = scene.state.stateSequence
      if let said = scene.event.statedOrigin, said != scene.state.appState, said != .unknown,
        scene.state.appState != .unknown
      {
        return Story(
          "the trace says the app left \(said.word), but it was \(from)",
          ["It had been \(from) since \(scene.event(since))."],
          [scene.witness("left \(said.word)")]
        )
      }
      let to = scene.context.change?.to.word ?? ""
      return Story(
        "the app went from \(from) to \(to) in one step",
        [],
        [
          scene.witness("was \(from)", since, scene.state.stateSince),
          scene.witness("became \(to)"),
        ]
      )
    }
  )

  static let activeTwice = Rule(
    "ST02",
    "didBecomeActive is never called twice without willResignActive in between.",
    source: "iPhone Application Programming Guide; App Programming Guide, App State Transitions",
    fix: "Suspect the recording, or code that calls the delegate itself.",
    Order(first: .didBecomeActive, between: .willResignActive, last: .didBecomeActive) {
      scene,
      active in
      Story(
        "\(name: "didBecomeActive") was called twice, and willResignActive not in between",
        [],
        [scene.witness("active", active), scene.witness("active again")]
      )
    }
  )

  static let resigned = Rule(
    "ST03",
    "didEnterBackground is called only after willResignActive, unless the app was launched into the background.",
    source: "App Programming Guide, Strategies for Handling App State Transitions",
    fix: "Suspect the recording, or code that calls the delegate itself.",
    Order(
      first: .didBecomeActive,
      between: .willResignActive,
      last: .didEnterBackground,
      shownBy: .active
    ) {
      scene,
      active in
      Story(
        "\(name: "didEnterBackground") was called, and willResignActive not before it",
        [],
        [scene.witness("active", active), scene.witness("background")]
      )
    }
  )

  static let terminateAsleep = Rule(
    "ST06",
    "willTerminate is never called while the app is suspended.",
    source: "iPhone Application Programming Guide; App Programming Guide, App Termination",
    fix: "Check when the suspension was observed; save before it, for nothing is called after it.",
    Each.never(.callbackBegin(.willTerminate), saysHowLong: true, "willTerminate") { _ in
      "\(name: "willTerminate") was called"
    }
  )

  static let asleep = Rule(
    "ST07",
    "No code of the app runs while it is suspended.",
    source: "iPhone Application Programming Guide, App States: suspended",
    fix: "Check the clocks and how the suspension was observed.",
    Asleep { scene, into, isSure in
      let what = scene.eventTitle
      return Story(
        isSure
          ? "\(what) ran \(scene.words(into)) after the app was suspended"
          : "\(what) may have run while the app was suspended",
        [],
        [scene.stateWitness, scene.witness(scene.event.kind.info?.name ?? "an event")]
      )
    }
  )

  static let touches = Rule(
    "ST12",
    "Touches reach the app only while it is active.",
    source: "iPhone Application Programming Guide, App States: inactive apps receive no events",
    fix: "Suspect the recording: the state or the touch is stamped wrong.",
    Each.never(
      .event(.touch),
      while: { $0 != .active },
      early: .nothing,
      saysHowLong: true,
      showsUnknown: true,
      "touch"
    ) { _ in "a touch was delivered" }
  )
}

extension Event {
  /// The state that a transition says it left.
  var statedOrigin: AppState? {
    kind == .transition ? Payload.Transition(self).from.value : nil
  }

  /// Whether it comes from a log, which may leave things out, or follows from others.
  var isHearsay: Bool {
    let isInferred = flags.contains(.inferred)
    return observer == .import || isInferred
  }
}
