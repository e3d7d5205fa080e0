// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family PR: what belongs together, on the way out and on the way in.
enum Pairs {
  static let family = RuleFamily(
    "PR",
    "Pairs of callbacks",
    [undone, partner, behind, Sessions.split, Sessions.inferred, asleep, Sessions.closed]
  )

  private static let guide =
    "App Programming Guide, Strategies for Handling App State Transitions: willEnterForeground "
    + "undoes didEnterBackground, didBecomeActive undoes willResignActive"

  /// Things that an app sets up for the time in which it is not active.
  private static let acquired: [ResourceClass] = [
    .timer, .view, .alert, .lock, .query, .media, .gl,
  ]
  /// Things that it stops for that time.
  ///
  /// A game stays paused until the user goes on; a cache and a
  /// file come back when they are needed; timers are another rule's.
  private static let released: [ResourceClass] = [.query, .view]

  static let undone = Rule(
    "PR01",
    "What the app changes on its way out is changed back when it is active again.",
    source: guide,
    severity: .warning,
    fix: "Undo in didBecomeActive what willResignActive does, and in willEnterForeground what "
      + "didEnterBackground does.",
    restsOnAllWork: true,
    thresholds: ["undo"],
    Undo(
      judgesLeft: true,
      judges: { change, _ in (change.isAcquire ? acquired : released).contains(change.kind) },
      // It may be begun anew when somebody asks.
      grade: { !$0.isAcquire && $0.kind == .query ? .info : nil }
    ) { scene, change, _, isSure in left(scene, change, isSure) }
  )

  static let partner = Rule(
    "PR02",
    "What the app does on its way out is undone in the partner callback.",
    source: guide,
    fix: "Undo willResignActive in didBecomeActive, which follows an interruption too, and "
      + "didEnterBackground in willEnterForeground.",
    restsOnAllWork: true,
    thresholds: ["undo"],
    Both(crossed, Both(delayed, halted))
  )

  private static let crossed = Undo(
    judgesLeft: false,
    looksOutside: true,
    judges: { change, _ in
      guard change.isInCallback else { return change.kind == .socket }
      let classes = change.isAcquire ? acquired : released + [.timer, .socket]
      return classes.contains(change.kind)
    },
    // The other way round nothing is lost: didBecomeActive always follows. A connection may be made
    // anew by whoever needs it, too.
    grade: { $0.callback != .willResignActive ? .info : $0.kind == .socket ? .warning : .error }
  ) { scene, change, way, isSure in
    guard case .crossed(let callback) = way else { return left(scene, change, isSure) }
    let verb = change.isAcquire ? "released" : "acquired"
    let name: Sentence = "\(name: scene.names[change.key.name])"
    let moment = change.isInCallback ? "in \(change.callback.rawValue)" : "for an interruption"
    let witnesses = [
      scene.witness("\(done(change)) \(moment)", change),
      scene.witness("\(verb) in \(callback.rawValue)"),
    ]
    let details: [Sentence] =
      change.callback == .willResignActive
      ? [
        "After an interruption that is over, a call for instance, only didBecomeActive is called: "
          + "there it stays \(done(change))."
      ]
      : ["It is undone later than it was done: after the app is on the screen again."]
    return Story(
      "\(change.kind.noun) \(name) was \(done(change)) \(moment), and \(verb)"
        + "\(scene.at(scene.event.site)) in \(callback.rawValue)",
      details,
      witnesses
    )
  }

  static let behind = Rule(
    "PR03",
    "willEnterForeground is called only after didEnterBackground.",
    source: guide,
    severity: .warning,
    fix: "Suspect the recording, or code that calls the delegate itself.",
    Order(
      first: .didBecomeActive,
      between: .didEnterBackground,
      last: .willEnterForeground,
      unless: { context, _ in (context.lastRun(of: .sceneWillConnect) != nil) }
    ) { scene, active in
      Story(
        "\(name: "willEnterForeground") was called, and didEnterBackground not since the app was "
          + "active",
        ["It undoes what was never done."],
        [scene.witness("active", active), scene.witness("called")]
      )
    }
  )

  static let asleep = Rule(
    "PR06",
    "An app that dies while it is suspended has not crashed: it executes nothing.",
    source: "App Programming Guide, App Termination: suspended apps are killed without notice",
    severity: .info,
    fix: "Count it as a purge; who reports it as a crash looks at the wrong code.",
    Each(attention: Trigger.endings) { event, context, names in
      // Elsewhere a scenario has ordered it.
      guard context.attributes.evidence == .log, context.state.process.ending == nil,
        context.state.appState == .suspended
      else { return nil }
      let cause = names[event.endingCause]
      guard cause == TerminationCause.crash.rawValue else { return .held }
      return .broken(unless: context.doubt(.state).map { "a resume may be missing: \($0)" })
    } says: { scene in
      Story(
        "the end of a suspended app is reported as a crash",
        ["It had been suspended for \(scene.since(scene.state.stateSince))."],
        [scene.stateWitness, scene.witness("end")]
      )
    }
  )

  /// The story of a change that nothing has undone.
  static func left(_ scene: Scene, _ change: Undo.Change, _ isSure: Bool) -> Story {
    let name: Sentence = "\(name: scene.names[change.key.name])"
    let witnesses = [
      scene.witness("\(done(change)) in \(change.callback.rawValue)", change),
      scene.witness("active again", scene.state.stateSequence, scene.state.stateSince),
    ]
    let isCamera = scene.names[change.attribute] == "camera"
    let noun: Sentence = isCamera ? "the camera" : change.kind.noun
    let what: Sentence =
      "\(noun) \(name) was \(done(change)) in \(change.callback.rawValue)"
    guard isSure else { return Story("\(what), and perhaps not undone", [], witnesses) }
    let since = scene.since(scene.state.stateSince)
    return Story(
      "\(what), and not undone at the return",
      [
        "It was \(done(change))\(scene.at(change.site)) \(scene.before(change)).",
        "The app had been active again for \(since).",
      ],
      witnesses
    )
  }

  private static func done(_ change: Undo.Change) -> String {
    change.isAcquire ? "acquired" : "released"
  }
}

extension ResourceClass {
  /// What a story calls one of the class: `the timer`.
  var noun: Sentence {
    switch self {
    case .other: "the resource"
    case .lock: "the lock"
    case .file: "the file"
    case .timer: "the timer"
    case .socket: "the socket"
    case .query: "the query"
    case .media: "the playback of"
    case .gl: "the context"
    case .temporaryFile: "the temporary file"
    case .cache: "the cache"
    case .view: "the view"
    case .alert: "the alert"
    case .pendingSave: "the pending save of"
    case .delayedWork: "the delayed work on"
    }
  }
}
