// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What waited for a suspended app: whether it comes, what it says, and when.
extension Notifications {
  private static let guide =
    "App Programming Guide, Strategies for Handling App State Transitions: a single notification "
    + "of each relevant type that reflects the net change"

  static let undone = Rule(
    "NQ02",
    "A change that was undone while the app was suspended is not delivered.",
    source: guide,
    fix: "Suspect the system, or a simulator that does not net its queue.",
    delivery { change, _, _ in
      switch change.isNet {
      case true?: .held
      case false?: .broken()
      case nil: nil
      }
    } says: { scene, change, name in
      Story(
        "\(name) was delivered, though nothing had changed in the end",
        [
          "It was posted \(count: UInt64(change.posts), of: "time") while the app was suspended, "
            + (change.wasFirstHalf == nil
              ? "and the last time took the first back." : "and it was so before.")
        ],
        [
          scene.witness("posted", change),
          scene.witness("posted last", change.lastSequence, change.lastTime),
          scene.witness("delivered"),
        ]
      )
    }
  )

  static let last = Rule(
    "NQ03",
    "The value that is delivered is the last one.",
    source: guide,
    fix: "Suspect the system, or a simulator that does not net its queue.",
    delivery { change, delivery, _ in
      guard change.isNet != false else { return nil }
      return change.isLast(delivery.type, delivery.value) ? .held : .broken()
    } says: { scene, change, name in
      let value = scene.names[Payload.NotificationDelivered(scene.event).value]
      let (type, last) = (scene.names[change.lastType], scene.names[change.lastValue])
      let isOther = change.lastType != scene.event.identityName
      let said: Sentence = isOther ? "\(name: type)" : "\(name: last)"
      return Story(
        isOther
          ? "\(name) was delivered, and the last change was another"
          : "\(name) was delivered with \(name: value), which was not the last value",
        ["The last post before it said \(said) (\(scene.event(change.lastSequence)))."],
        [
          scene.witness("posted last", change.lastSequence, change.lastTime),
          scene.witness("delivered"),
        ]
      )
    }
  )

  static let inTime = Rule(
    "NQ05",
    "What waited for the app comes on the main thread, before the first touch.",
    source: "App Programming Guide: notifications are delivered on the main run loop, before any "
      + "touch events",
    fix: "Deliver it from the main run loop, before other input.",
    thresholds: ["wake-notifications"],
    delivery { _, _, context, thread in
      if thread != .main { return .broken() }
      return context.waiting.touch == nil ? .held : .broken(.warning)
    } says: { scene, change, name in
      if scene.event.thread != .main {
        return Story(
          "\(name) was delivered on thread \(scene.event.thread.rawValue)",
          ["Observers that touch the user interface run there too."],
          [scene.witness("posted", change), scene.witness("delivered")]
        )
      }
      var witnesses = [scene.witness("posted", change), scene.witness("delivered")]
      if let touch = scene.context.waiting.touch {
        witnesses.append(scene.witness("touch", touch.sequence, touch.time))
      }
      return Story(
        "\(name) was delivered behind a touch",
        ["The app answered the touch with what it knew from before the suspension."],
        witnesses
      )
    }
  )

  private static func delivery(
    finds:
      @escaping @Sendable (
        WaitingChanges.Change, Payload.NotificationDelivered, borrowing RuleContext
      ) -> Finding?,
    says: @escaping @Sendable (Scene, WaitingChanges.Change, _ name: Sentence) -> Story
  ) -> Each {
    delivery(
      finds: { change, delivery, context, _ in finds(change, delivery, context) },
      says: says
    )
  }

  /// Judges each delivery of a change that waited for the app.
  private static func delivery(
    finds:
      @escaping @Sendable (
        WaitingChanges.Change, Payload.NotificationDelivered, borrowing RuleContext, ThreadID
      ) -> Finding?,
    says: @escaping @Sendable (Scene, WaitingChanges.Change, _ name: Sentence) -> Story
  ) -> Each {
    Each(attention: [.event(.notificationDelivered)]) { event, context, names in
      guard !context.waiting.changes.isEmpty else { return nil }
      let delivery = Payload.NotificationDelivered(event)
      guard let change = context.waiting.change(of: delivery, names) else { return nil }
      guard let finding = finds(change, delivery, context, event.thread) else { return nil }
      guard case .broken(let grade) = finding else { return finding }
      if let doubt = context.doubtWaiting(change) {
        return .unclear("a post may be missing: \(doubt)")
      }
      return .broken(grade)
    } says: { scene in
      let delivery = Payload.NotificationDelivered(scene.event)
      let name = Self.name(delivery.type, delivery.key, scene)
      guard let change = scene.context.waiting.change(of: delivery, scene.names) else {
        return Story(name, [], [scene.witness("delivered")])
      }
      return says(scene, change, name)
    }
  }

  /// The type of a notification, and what it is about: `UIScreenDidConnect (tv)`.
  static func name(_ type: NameID, _ key: NameID, _ scene: Scene) -> Sentence {
    let about = scene.names[key]
    return about.isEmpty
      ? "\(name: scene.names[type])" : "\(name: scene.names[type]) (\(name: about))"
  }

  static let lost = Rule(
    "NQ04",
    "A change that waited for the app is delivered when it runs again.",
    source: guide,
    fix:
      "Suspect the system; or, where the app itself reports its deliveries, an observer that was "
      + "removed.",
    thresholds: ["wake-notifications"],
    OpenAt<WaitingChanges.Change>(
      moments: Trigger.stateChanges + [.event(.touch)],
      occasion: .notificationPosted,
      open: { event, context, _ in
        guard context.hasDelivered(at: event) else { return nil }
        let resumed = context.state.lastResumed ?? HostTime(rawValue: .min)
        return context.waiting.changes.filter { $0.time < resumed && $0.isNet == true }
      },
      finds: { change, _, context, _ in
        .broken(
          unless: context.doubtWaiting(change)
            .map { "its delivery may be missing: \($0)" }
        )
      }
    ) { scene, change, isSure in
      let name = Self.name(change.lastType, change.key, scene)
      let witnesses = [
        scene.witness("posted", change),
        scene.witness("runs again", scene.state.stateSequence, scene.state.stateSince),
        scene.here("not delivered by then"),
      ]
      guard isSure else { return Story("\(name) may have been lost", [], witnesses) }
      return Story(
        "\(name) waited for the app, and was never delivered",
        [
          "The app ran again for \(scene.since(scene.state.lastResumed ?? change.time)), and still "
            + "knows what was so before."
        ],
        witnesses
      )
    }
  )

  static let listed = Rule(
    "NQ07",
    "Only changes that the system lists wait for a suspended app.",
    source: "App Programming Guide, Strategies for Handling App State Transitions: the table of "
      + "queued notifications",
    severity: .warning,
    fix: "Suspect the system, or a simulator that queues too much: touches and timers do not wait.",
    Each(attention: [.event(.notificationDelivered)]) { event, context, names in
      let delivered = Payload.NotificationDelivered(event)
      let key = NotificationKey(delivered.type, delivered.key)
      guard context.state.notifications[key]?.whileSuspended == true else { return nil }
      let type = names[delivered.type]
      // The height of the status bar is told at the return too, where it differs.
      if NotificationClass.named(type) != nil || type.hasPrefix(statusBar) { return .held }
      let state = context.doubt(.state).map { "a resume may be missing: \($0)" } as Sentence?
      return .broken(unless: state)
    } says: { scene in
      Story(
        "\(name: scene.names[scene.event.identityName]) waited for the suspended app",
        ["It is none of the changes that the system keeps for one."],
        [scene.witness("delivered")]
      )
    }
  )

  private static let statusBar = "UIApplicationDidChangeStatusBarFrame"

  static let quick = Rule(
    "NQ10",
    "What waited for the app is handled quickly, before it is seen again.",
    source: "App Programming Guide: handle queued notifications quickly, for they delay the return",
    severity: .warning,
    fix: "Note what has changed, and do the work behind the first frame.",
    thresholds: ["wake-notifications"],
    Recall(
      attention: [.event(.notificationHandled), .event(.notificationDelivered)]
        + Trigger.stateChanges,
      memory: Handling()
    ) { handling, event, context, names in
      switch event.kind {
      case .notificationDelivered:
        guard !context.waiting.changes.isEmpty else { return nil }
        let delivered = Payload.NotificationDelivered(event)
        if context.waiting.change(of: delivered, names) != nil { handling.began(event) }
        return nil
      case .notificationHandled:
        handling.add(event)
        return nil
      default: break
      }
      guard let change = context.change else { return nil }
      if change.from == .suspended { handling = Handling() }
      guard handling.first != nil, !handling.isJudged, change.to == .active || change.suspends
      else { return nil }
      handling.isJudged = true
      switch context.compare(handling.took, context.profile.wakeNotifications.warn) {
      case .within: return .held
      case .unclear(let reason): return .unclear(reason)
      case .over: return .broken()
      }
    } says: { scene, handling in
      let limit = scene.limit(scene.context.profile.wakeNotifications.warn)
      var witnesses = [scene.here("seen again")]
      if let first = handling.first { witnesses.append(scene.witness("first delivery", first)) }
      if let slowest = handling.slowest {
        witnesses.append(scene.witness("slowest handler", slowest.moment))
      }
      return Story(
        "handlers of what had waited took \(scene.words(handling.took)) before the app was seen",
        ["They should take at most \(limit) together: the user waits for them."],
        witnesses
      )
    }
  )

  /// The time that observers took for what had waited.
  private struct Handling: Sendable {
    struct Moment: Opened {
      let time: HostTime
      let sequence: UInt64
      var site: SiteID = .none
    }

    private(set) var first: Moment?
    /// The end of the handler that took longest.
    private(set) var slowest: (moment: Moment, took: Int64)?
    private(set) var took: Int64 = 0
    private var types: Set<NameID> = []

    mutating func began(_ event: borrowing Event) {
      if first == nil { first = Moment(time: event.time, sequence: event.sequence) }
      types.insert(event.identityName)
    }

    mutating func add(_ event: borrowing Event) {
      let handled = Payload.NotificationHandled(event)
      guard types.contains(handled.type) else { return }
      if slowest.map({ handled.took > $0.took }) ?? true {
        let moment = Moment(time: event.time, sequence: event.sequence, site: event.site)
        slowest = (moment, handled.took)
      }
      took = took.addingSaturated(handled.took)
    }

    /// One verdict a wake.
    var isJudged = false
  }
}
