// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family RS: resources held when the system takes the app away.
enum Resources {
  static let family = RuleFamily(
    "RS",
    "Resources",
    [
      timers, restarted, frames, resumed, openAtLock, locks, systemDatabase, kept, listening,
      sensitive, alerts, busy, warned, queries, newWork, media, queues, usedLocked,
      unread, chains, presenters, heardAgain, switcher,
      launched, madeUp,
    ]
  )

  static let locks = Rule(
    "RS06",
    "No lock in a shared container is held when the app is suspended.",
    source: "Xcode documentation, termination reason 0xdead10cc",
    fix: "Release the lock in didEnterBackground, or hold a background task while it is needed.",
    roles: .all,
    restsOnAllWork: true,
    OpenAt<HeldLock>(
      moments: Trigger.stateChanges,
      occasion: .resourceAcquire,
      isOccasion: { Payload.ResourceAcquire($0).class.value == .lock },
      open: { event, context, names in
        guard let change = context.change else { return nil }
        // An app that is killed for it may never have come to be suspended.
        let isKilled = event.isDeadLockKill && change.from != .suspended
        guard change.suspends || isKilled else { return nil }
        let held = context.state.resources.entries.filter {
          $0.value.resourceClass == .lock && names[$0.value.attribute] != "private"
        }
        // Where the app reports its locks, the host's report adds nothing.
        let own = held.filter { !context.history.isOnlySeen($0.value) }
        return own.isEmpty ? held : withoutTwins(own, context, names)
      },
      finds: { entry, event, context, names in
        let lock = entry.value
        if let doubt = context.doubt(.resource, since: lock.time) {
          return .unclear("its release may be missing: \(doubt)")
        }
        let isShared = names[lock.attribute] == "shared" || event.isDeadLockKill
        let name = names[lock.name]
        return isShared
          ? .broken()
          : .unclear("whether \(name: name) lies in a shared container is not recorded")
      },
      late: .init(
        ends: [.only(in: [.suspended, .background], .event(.resourceRelease))],
        family: .resource,
        // By the lock: who holds a shared one for the longest time may give it back first.
        begin: { $0.key.mixed },
        ended: { event, context, names in
          guard event.kind == .resourceRelease else { return nil }
          let key = ResourceKey(releasedBy: event, names)
          return context.state.isFree(after: key) ? key.mixed : nil
        }
      )
    ) { scene, entry, isSure in
      let lock = entry.value
      let name: Sentence = "\(name: scene.names[lock.name])"
      let isKilled = scene.event.isDeadLockKill
      // A log has one line for the lock and for the suspension; the host looks but then.
      let isSeen =
        scene.context.history.isOnlySeen(lock)
        || lock.time == scene.event.time && scene.context.attributes.evidence == .log
      let witnesses = [
        scene.witness(isSeen ? "lock held" : "lock taken", lock),
        scene.witness(isKilled ? "killed" : "suspended"),
      ]
      guard isSure else {
        return Story("a lock on \(name) may have been held at the suspension", [], witnesses)
      }
      let wait: Sentence = "Other processes of the container would wait for it"
      var details: [Sentence] = [
        isSeen
          ? "The system says so\(kind(of: lock, scene))\(scene.at(lock.site)) "
            + "(\(scene.event(lock.sequence))); since when it was held is not recorded; "
            + "lifetrace record --observe names the line that takes it."
          : "It was taken\(scene.at(lock.site)) \(scene.before(lock))."
      ]
      if let other = otherName(of: lock, scene) {
        let name: Sentence = "\(name: scene.names[other])"
        details.append("It is reported as \(name) too, by the same thread at the same time.")
      }
      details += holders(of: entry, scene)
      // Nobody knows since when the app held a lock that the system alone has seen.
      let chance =
        isSeen
        ? nil : scene.lastChance(in: [.willResignActive, .didEnterBackground], since: lock.time)
      if let chance {
        details.append("The last callback that could have released it was \(chance.words).")
      }
      let cover = coverEnded(since: lock, scene)
      if let cover {
        let name = cover.task.map { " \(scene.title($0))" } ?? ""
        details.append(
          "Background task\(name) was ended\(scene.at(cover.site)) \(scene.before(cover))"
            + (isSeen ? "." : ": too early.")
        )
      }
      let wake = wakeEnded(since: lock, scene)
      if let wake {
        details.append(
          "The wake had been completed \(scene.before(wake)), and nothing else kept the app running."
        )
      }
      details.append(
        isKilled
          ? "\(wait): the system killed with 0xdead10cc."
          : "\(wait), so the system kills with 0xdead10cc."
      )
      return Story(
        "the lock on \(name) was held when the app was suspended",
        details,
        witnesses + (chance.map { [$0.witness] } ?? [])
          + (isSeen ? [] : cover.map { [scene.witness("task ended", $0)] } ?? [])
          + (wake.map { [scene.witness("wake completed", $0)] } ?? []),
        advice: wake == nil
          ? nil
          : "Release the lock before the completion handler of the wake is called, or hold a background "
            + "task while it is needed."
      )
    }
  )
}

extension Resources {
  /// `: flock`, where the host said what lock it saw; else empty.
  private static func kind(of lock: HeldResource, _ scene: Scene) -> Sentence {
    let kind = scene.names[scene.names[lock.site].name]
    return kind.isEmpty ? "" : ": \(name: kind)"
  }

  /// Who held a lock besides who had had it for the longest time, and that it was taken again by one.
  private static func holders(
    of lock: FlatTable<ResourceKey, HeldResource>.Entry,
    _ scene: Scene
  ) -> [Sentence] {
    guard lock.value.holds > 1 else { return [] }
    let others = scene.state.sharedHolds.entries.filter { $0.key.lock == lock.key }.map(\.value)
      .sorted { $0.sequence < $1.sequence }
    let shown: [Sentence] = others.prefix(holdersMax).map {
      "\(Wording.thread($0.thread))\(scene.at($0.site)) (\(scene.event($0.sequence)))"
    }
    let more = others.count - shown.count
    let rest: Sentence = more > 0 ? " and \(more) more" : ""
    var details: [Sentence] = []
    if !others.isEmpty {
      details.append("Held besides by \(shown.joined(separator: ", "))\(rest).")
    }
    if Int(lock.value.holds) > 1 + others.count {
      details.append("It had been taken \(lock.value.holds) times more often than given back.")
    }
    return details
  }

  /// As many further holders of a lock are named.
  private static let holdersMax = 3

  /// The completion of the wake that the app was woken for, where it has not been on screen since and
  /// nothing else was to keep it running.
  private static func wakeEnded(since lock: HeldResource, _ scene: Scene) -> History.Release? {
    guard let release = scene.context.history.release, !release.isTask, release.time >= lock.time,
      scene.context.history.run(of: .didEnterBackground).map({ $0.begin < lock.time }) ?? true,
      release.time >= scene.state.stateSince
    else { return nil }
    return release
  }

  /// The end of the background task, in this stay in the background, under which the lock was taken.
  ///
  /// A lock that the system alone saw was taken at an unknown time: the last task is told of.
  private static func coverEnded(since lock: HeldResource, _ scene: Scene) -> History.Release? {
    let context = scene.context
    let isSeen = context.history.isOnlySeen(lock)
    let known =
      isSeen ? context.history.release : context.taskEnd(during: lock.sequence, on: lock.thread)
    guard let release = known, release.isTask,
      release.time >= scene.state.leftForeground ?? release.time
    else { return nil }
    return release
  }
}

extension Event {
  /// Whether the system ends the process here for a lock that it held.
  fileprivate var isDeadLockKill: Bool {
    kind == .processExit && Payload.ProcessExit(self).code == TerminationCode.deadLock
  }
}
