// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family PR, its other half: what an app makes of its visits and of its ends, as analytics count them.
///
/// A session is a resource of class `other` with the attribute `session`; what an app takes the end of
/// the launch before for is one with the attribute `previous-end` that it uses.
enum Sessions {
  private static let attribute = "session"

  // MARK: Interrupted

  private struct Visits: Sendable {
    /// The session that was ended while the app was merely inactive.
    var ended: Ended?
    /// Whether the app was active, and has not been in the background since.
    var isInterrupted = false

    struct Ended: Opened {
      let name: NameID
      let time: HostTime
      let sequence: UInt64
      let site: SiteID
    }
  }

  static let split = Rule(
    "PR04",
    "A session goes on over an interruption: it ends where the app goes into the background.",
    source:
      "Segment analytics-swift, testTransientInterruption: willResignActive and didBecomeActive alone are no "
      + "leave and no return",
    severity: .warning,
    fix: "End it in didEnterBackground and begin the next one in willEnterForeground.",
    thresholds: ["undo"],
    Recall(
      attention: [.event(.resourceAcquire), .event(.resourceRelease)] + Trigger.stateChanges,
      memory: Visits()
    ) { visits, event, context, names in
      switch event.kind {
      case .resourceRelease:
        let gone = Payload.ResourceRelease(event)
        guard gone.class.value == .other, names[gone.attribute ?? .empty] == attribute else {
          return nil
        }
        let callback = context.calling(event, names)
        let isInactive = context.state.appState == .inactive && visits.isInterrupted
        guard isInactive || callback == .willResignActive else { return nil }
        visits.ended = Visits.Ended(
          name: gone.name,
          time: event.time,
          sequence: event.sequence,
          site: event.site
        )
        return nil
      case .resourceAcquire:
        let begun = Payload.ResourceAcquire(event)
        guard begun.class.value == .other, names[begun.attribute ?? .empty] == attribute,
          let ended = visits.ended
        else { return nil }
        let callback = context.calling(event, names)
        let (state, since) = (context.state.appState, event.time - context.state.stateSince)
        let isReturn =
          callback == .didBecomeActive || state == .inactive
          || since <= context.scaled(context.profile.undo.warn)
        // The next day's, or that of another user, is begun when it is its time.
        guard isReturn, callback != .willResignActive else { return nil }
        let doubt =
          context.unseen(.state, since: ended.time) ?? context.unseen(.callback, since: ended.time)
        return .broken(unless: doubt.map { "a leave may be missing: \($0)" })
      default:
        guard let change = context.change else { return nil }
        let isBack = change.to == .active && visits.isInterrupted
        switch change.to {
        case .inactive:
          visits.isInterrupted = change.from == .active
          if let ended = visits.ended, ended.time < context.state.stateSince { visits.ended = nil }
        case .active: visits.isInterrupted = false
        default: visits = Visits()
        }
        guard isBack, visits.ended == nil, isOpen(context, names) else { return nil }
        return .held
      }
    } says: { scene, visits in
      let begun: Sentence = "\(name: scene.names[scene.event.identityName])"
      guard let ended = visits.ended else {
        return Story("session \(begun) was begun too early", [], [scene.witness("begun")])
      }
      return Story(
        "session \(name: scene.names[ended.name]) was ended\(scene.at(ended.site)) by an interruption, "
          + "and \(begun) begun behind it",
        [
          "That was \(scene.before(ended)); the app was inactive for a while in between, and never in the "
            + "background: the user has not left."
        ],
        [scene.witness("ended", ended), scene.witness("begun")]
      )
    }
  )

  private static func isOpen(_ context: borrowing RuleContext, _ names: borrowing Names) -> Bool {
    for thing in context.state.resources.values
    where thing.resourceClass == .other && names[thing.attribute] == attribute {
      return true
    }
    return false
  }

  // MARK: Cut short

  private struct Left: Sendable {
    /// What the launch before has left open; nil before that was asked.
    var sessions: [ResourceKey: HeldResource]?
    var found: (name: NameID, thing: HeldResource)?
  }

  static let closed = Rule(
    "PR07",
    "A session that an end has cut short is ended by the next launch, before that begins another.",
    source:
      "OpenTelemetry semantic conventions, session.start and session.end: each session has both",
    severity: .info,
    fix:
      "Keep when it was last alive, and end it with that time at the next launch: an end without notice "
      + "calls nothing.",
    Recall(
      attention: [.event(.resourceAcquire), .event(.resourceRelease)],
      memory: Left()
    ) { left, event, context, names in
      guard context.before.isLinked else { return nil }
      if left.sessions == nil {
        left.sessions = context.before.held
        for (key, thing) in context.before.held where names[thing.attribute] != attribute {
          left.sessions?[key] = nil
        }
      }
      guard left.sessions?.isEmpty == false else { return nil }
      guard event.kind == .resourceAcquire else {
        let gone = Payload.ResourceRelease(event)
        let key = ResourceKey(gone.name, code(gone.class.rawValue), gone.id ?? 0)
        return left.sessions?.removeValue(forKey: key) == nil ? nil : .held
      }
      let begun = Payload.ResourceAcquire(event)
      guard begun.class.value == .other, names[begun.attribute ?? .empty] == attribute else {
        return nil
      }
      // One that goes on is not cut short; a name alone does not tell it from another one.
      let key = ResourceKey(begun.name, code(begun.class.rawValue), begun.id ?? 0)
      if let same = left.sessions?.removeValue(forKey: key) {
        guard key.id == 0 else { return .held }
        left.found = (key.name, same)
        left.sessions = [:]
        return .unclear("sessions of that name have no id: it may be the same one, which goes on")
      }
      guard let first = left.sessions?.min(by: { $0.value.sequence < $1.value.sequence }) else {
        return nil
      }
      left.found = (first.key.name, first.value)
      left.sessions = [:]
      let doubt =
        context.before.doubtHeld ?? context.unseen(.resource, since: .init(rawValue: .min))
      return .broken(unless: doubt.map { "its end may be missing: \($0)" })
    } says: { scene, left in
      let begun: Sentence = "\(name: scene.names[scene.event.identityName])"
      guard let found = left.found else {
        return Story("session \(begun) was begun beside another one", [], [scene.witness("begun")])
      }
      let before = scene.context.before
      let event = EventName(writer: before.label, sequence: found.thing.sequence)
      let witness = Witness(
        label: "cut short",
        stream: before.stream,
        sequence: found.thing.sequence,
        time: found.thing.time,
        source: SourcePlace(found.thing.site, scene.names)
      )
      let end: Sentence = before.end.map { "when \($0.clause)" } ?? "at its end"
      return Story(
        "session \(name: scene.names[found.name]) of the launch before was never ended, and session "
          + "\(begun) is begun",
        ["It had begun at \(event: event, of: before.stream), and was open \(end)."],
        [witness, scene.witness("begun")]
      )
    }
  )

  private static func code(_ rawValue: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: rawValue) }

  // MARK: Inferred

  static let inferred = Rule(
    "PR05",
    "What an app takes the end of the launch before for is what it was.",
    source:
      "Sentry, SentryWatchdogTerminationLogic: no user's kill, no reboot, no update, and nothing in the "
      + "background counts as a termination by the watchdog",
    severity: .warning,
    fix:
      "Call it a failure only where nothing else explains it: the state at the end, a reboot since, another "
      + "version, willTerminate.",
    Each(attention: [.event(.resourceUse)]) { event, context, names in
      let use = Payload.ResourceUse(event)
      guard use.class.value == .other, names[use.attribute ?? .empty] == "previous-end",
        context.before.isLinked, let end = context.before.end,
        let claim = Claim(rawValue: names[use.name])
      else { return nil }
      if case .unknown = end.kind { return .unclear("how it ended is not known") }
      if claim == .memory, let doubt = end.doubt {
        return .unclear("the state in which it ended is not known: \(doubt)")
      }
      return claim.isRight(of: end) ? .held : .broken()
    } says: { scene in
      let claim = Claim(rawValue: scene.names[scene.event.identityName])
      let end = scene.context.before.end
      let event = EventName(writer: scene.context.before.label, sequence: end?.sequence ?? 0)
      let witness = end.map {
        Witness(
          label: "end",
          stream: scene.context.before.stream,
          sequence: $0.sequence,
          time: $0.time
        )
      }
      return Story(
        "the app takes the end of the launch before for \(claim?.words ?? "a failure")"
          + "\(scene.at(scene.event.site)): \(end?.clause ?? "it ended")",
        end.map {
          ["It was \($0.state.word) then (\(event: event, of: scene.context.before.stream))."]
        } ?? [],
        (witness.map { [$0] } ?? []) + [scene.witness("taken for it")]
      )
    }
  )

  /// What an app may say of its last end; other words are not judged.
  private enum Claim: String {
    case crash, watchdog, hang, memory

    var words: Sentence {
      switch self {
      case .crash: "a crash"
      case .watchdog, .hang: "a kill by the watchdog"
      case .memory: "a kill for its memory"
      }
    }

    func isRight(of end: History.Ending) -> Bool {
      switch self {
      case .crash: return end.kind.isCrash || end.cause == TerminationCause.crash.rawValue
      case .watchdog, .hang: return end.cause == TerminationCause.watchdog.rawValue
      case .memory:
        if end.cause == JetsamReason.overLimit { return true }
        // What is not in front is purged every day.
        return ["purge", "jetsam"].contains(end.cause) && [.active, .inactive].contains(end.state)
      }
    }
  }
}
