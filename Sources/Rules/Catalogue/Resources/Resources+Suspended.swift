// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What an app puts away before it stops executing, or before it is seen no more.
extension Resources {
  static let guide =
    "App Programming Guide, Background Execution: being a responsible "
    + "background app"

  static let systemDatabase = Rule(
    "RS07",
    "No database of the system is in use when the app is suspended.",
    source: guide,
    fix: "Stop using contacts and calendars in didEnterBackground; the system kills an app that is "
      + "suspended in the middle of it.",
    restsOnAllWork: true,
    atSuspension(.other, where: { $0 == "system-database" }) { scene, thing in
      Story(
        "the system's database \(name: scene.names[thing.name]) was in use when the app was "
          + "suspended",
        [used(scene, thing), "Other apps wait for it, so the system kills the one that holds it."],
        []
      )
    }
  )

  static let listening = Rule(
    "RS09",
    "No listening socket is open when the app is suspended.",
    source: guide,
    severity: .warning,
    fix: "Close it, and stop Bonjour, in didEnterBackground; open it again in willEnterForeground.",
    restsOnAllWork: true,
    atSuspension(.socket, where: { ["listening", "bonjour"].contains($0) }) { scene, thing in
      Story(
        "\(name: scene.names[thing.name]) was still listening when the app was suspended",
        [used(scene, thing), "Who connects to it waits for an app that does not execute."],
        []
      )
    }
  )

  static let alerts = Rule(
    "RS11",
    "No alert is left on the screen when the app is suspended.",
    source: "App Programming Guide, Strategies for Handling App State Transitions: dismiss alerts "
      + "when moving to the background",
    severity: .info,
    fix: "Dismiss it in didEnterBackground, and show it again at the return if it still means "
      + "something; else save what it asks.",
    restsOnAllWork: true,
    atSuspension(.alert, where: { _ in true }) { scene, thing in
      Story(
        "the alert \(name: scene.names[thing.name]) was open when the app was suspended",
        [used(scene, thing), "What it asks may mean nothing any more when the user returns."],
        []
      )
    }
  )

  static let unread = Rule(
    "RS19",
    "The URL that a scene is made for is read before the app is suspended.",
    source:
      "UIScene.ConnectionOptions.urlContexts: at a launch by a URL no other callback reports it",
    severity: .warning,
    fix: "Read connectionOptions.urlContexts in scene(_:willConnectTo:options:), and open what is "
      + "there as in scene(_:openURLContexts:), which is called for later ones alone.",
    restsOnAllWork: true,
    atSuspension(.other, where: { $0 == "url" }) { scene, thing in
      Story(
        "nobody has read the URL \(name: scene.names[thing.name]) that the app was opened with",
        [
          "It came with the connection of the scene \(scene.before(thing)), and comes no second time: "
            + "what the user asked for has not been opened."
        ],
        []
      )
    }
  )

  static let presenters = Rule(
    "RS21",
    "No file presenter is registered when the app is suspended.",
    source:
      "NSFilePresenter: an app that enters the background removes its presenters, and adds them "
      + "when it returns",
    severity: .warning,
    fix:
      "Remove it with NSFileCoordinator.removeFilePresenter(_:) in didEnterBackground, and add it "
      + "in willEnterForeground, where what it shows is read anew.",
    restsOnAllWork: true,
    atSuspension(.other, where: { $0 == "file-presenter" }) { scene, thing in
      Story(
        "the file presenter \(name: scene.names[thing.name]) was registered when the app was "
          + "suspended",
        [used(scene, thing), "Who writes to its file waits for an app that does not execute."],
        []
      )
    }
  )

  private static func used(_ scene: Scene, _ thing: HeldResource) -> Sentence {
    scene.context.history.isOnlySeen(thing)
      ? "The system found it so; since when, and where it was opened, is not recorded."
      : "It was opened\(scene.at(thing.site)) \(scene.before(thing))."
  }

  /// Nothing of a class, and of some attributes, is held at a suspension.
  private static func atSuspension(
    _ kind: ResourceClass,
    where isMeant: @escaping @Sendable (_ attribute: String) -> Bool,
    says: @escaping @Sendable (Scene, HeldResource) -> Story
  ) -> OpenAt<HeldResource> {
    OpenAt(
      moments: Trigger.stateChanges,
      occasion: .resourceAcquire,
      isOccasion: { Payload.ResourceAcquire($0).class.value == kind },
      open: { _, context, names in
        guard context.change?.suspends == true else { return nil }
        var (held, own): ([HeldResource], [HeldResource]) = ([], [])
        for thing in context.state.resources.values where thing.resourceClass == kind {
          guard isMeant(names[thing.attribute]) else { continue }
          held.append(thing)
          if !context.history.isOnlySeen(thing) { own.append(thing) }
        }
        // Where the app reports its own, what the host saw adds nothing.
        return own.isEmpty ? held : own
      },
      finds: { thing, _, context, _ in
        .broken(
          unless: context.doubt(.resource, since: thing.time)
            .map { "its release may be missing: \($0)" }
        )
      }
    ) { scene, thing, isSure in
      var story = says(scene, thing)
      let isSeen = scene.context.history.isOnlySeen(thing)
      story.witnesses = [
        scene.witness(isSeen ? "open" : "opened", thing), scene.witness("suspended"),
      ]
      if !isSure { story.details = [] }
      return story
    }
  }

  static let sensitive = Rule(
    "RS10",
    "No view with sensitive content is visible when the system takes its snapshot.",
    source: "App Programming Guide, Strategies for Handling App State Transitions: prepare for the "
      + "app snapshot",
    severity: .warning,
    fix: "Hide it before didEnterBackground returns, and show it again in willEnterForeground.",
    restsOnAllWork: true,
    OpenAt<HeldResource>(
      moments: [.callbackEnd(.didEnterBackground), .event(.turnEnd)],
      occasion: .resourceAcquire,
      isOccasion: { Payload.ResourceAcquire($0).class.value == .view },
      open: { event, context, names in
        isSnapshot(event, context) ? sensitiveViews(context, names) : nil
      },
      finds: { view, _, context, _ in unhidden(view, context) }
    ) { scene, view, isSure in
      let name: Sentence = "the sensitive view \(name: scene.names[view.name])"
      let witnesses = [scene.witness("shown", view), scene.here("snapshot")]
      guard isSure else { return Story("\(name) may have been visible", [], witnesses) }
      return Story(
        "\(name) was visible when didEnterBackground had returned",
        [
          "It was shown\(scene.at(view.site)) \(scene.before(view)). The system takes its picture "
            + "for the app switcher now."
        ],
        witnesses
      )
    }
  )

  /// What nobody but the user is to see, and is shown.
  static func sensitiveViews(
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> [HeldResource] {
    context.state.resources.values.filter {
      $0.resourceClass == .view && names[$0.attribute] == "sensitive"
    }
  }

  /// That such a view is shown where it must not be, unless its hiding may be missing.
  static func unhidden(_ view: HeldResource, _ context: borrowing RuleContext) -> Finding {
    .broken(
      unless: context.doubt(.resource, since: view.time)
        .map { "that it was hidden may be missing: \($0)" }
    )
  }

  /// Whether the app has done what it does in didEnterBackground: observers of the notification
  /// come behind the delegate, in the same turn.
  private static func isSnapshot(
    _ event: borrowing Event,
    _ context: borrowing RuleContext
  ) -> Bool {
    if event.kind == .callbackEnd {
      return !context.hasOpenTurn { $0.thread == .main }
    }
    guard let turn = context.closing, let call = context.lastRun(of: .didEnterBackground) else {
      return false
    }
    return call.beginSequence > turn.sequence
  }
}
