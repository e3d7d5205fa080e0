// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family DL, background tasks: how long they may be held, and how they expire.
enum TaskDeadlines {
  static let granted = Rule(
    "DL05",
    "No background task is held in the background beyond the time granted.",
    source: "UIApplication Background Task Notes; permittedBackgroundDuration in device logs",
    fix: "End the task earlier, work in pieces, or use a processing task.",
    restsOnAllWork: true,
    thresholds: ["background-task", "processing-task"],
    under: RuleInfo.Under(["BT03", "DL07", "BT01"], sharing: ["first", "begin"]),
    Extent(
      ledger: .tasks,
      clock: { task, end, context, _ in
        context.backgroundClock(of: task, until: end).map {
          .init(
            length: $0.held,
            limit: .init(nanoseconds: $0.limit),
            since: $0.since,
            lead: context.profile.expirationLead,
            isRunning: true
          )
        }
      },
      // Back in the foreground the background clock stops.
      pause: .inactive,
      isKilled: { task, event, context, names in
        // Of several that are open, it was for those whose time was up, where that is told.
        context.isKill(event, code: TerminationCode.backgroundTask, names)
          && (task.expired != nil || context.state.tasks.values.allSatisfy { $0.expired == nil })
      },
      unknown: { context in
        guard context.state.appState == .unknown else { return nil }
        return context.doubt(.state).map { "the state is unknown: \($0)" }
      }
    ) { scene, task, late in
      if case .unclear = late.outcome, scene.state.appState == .unknown,
        scene.doubt(.state) != nil
      {
        let begin = scene.witness("begin", task)
        return Story("a task was held in a state that is not known", [], [begin])
      }
      var story = heldTask(scene, task, late, " in the background")
      if late.outcome != .open, let since = task.backgroundSince, since > task.time,
        let left = scene.context.history.states.last(where: { $0.time == since })
      {
        story.witnesses.append(scene.witness("left the foreground", left.sequence, since))
      }
      return story
    }
  )

  static let age = Rule(
    "DL06",
    "No background task is held for longer than is granted in the background, in the foreground "
      + "either.",
    source: "UIKit's warning: was created over 30 seconds ago",
    severity: .warning,
    fix: "Begin it when the work begins, end it when the work ends.",
    restsOnAllWork: true,
    thresholds: ["task-age"],
    under: RuleInfo.Under(["BT03", "DL07", "BT01", "DL05"], sharing: ["first", "begin"]),
    Extent(
      ledger: .tasks,
      clock: { task, end, context, _ in
        let clock = context.state.ageClock(of: task, until: end, context.profile)
        return .init(length: clock.held, limit: .init(nanoseconds: clock.limit), isRunning: true)
      }
    ) { scene, task, late in heldTask(scene, task, late, "") }
  )

  /// The story of a background task that was held too long.
  private static func heldTask(
    _ scene: Scene,
    _ task: OpenTask,
    _ late: Extent<OpenTask>.Late,
    _ place: Sentence
  ) -> Story {
    let limit = scene.limit(late.limit.warn)
    let how =
      switch late.stop {
      case .ended, .endedUntimed: "was ended"
      case .paused: "came back to the foreground"
      case .processEnded where late.isKilled: "was still held when the system killed the app"
      case .processEnded: "was still held at the end"
      case .recordingEnded: "is still held at the end"
      }
    let (name, has) = (scene.title(task), task.expired == nil ? "was not" : "had been")
    return late.story(
      scene,
      task,
      to: how,
      open: "background task \(name) has no end",
      because: scene.missing("its end", .task, since: task)
        ?? "it was still held when the recording ended, "
        + "\(scene.words(late.length)) into \(limit)",
      unclear: "background task \(name) may have been held too long",
      over: "background task \(name)\(scene.at(task.site)) was held for "
        + "\(scene.words(late.length, over: late.limit.warn))\(place)",
      ["The limit is \(limit); it \(how).", "Its expiration handler \(has) called."]
    )
  }

  static let expired = Rule(
    "DL07",
    "An expiration handler ends its task before it returns.",
    source: "UIApplication beginBackgroundTask(expirationHandler:): failure to end the task "
      + "explicitly will result in the termination of the app",
    fix: "Call endBackgroundTask in the handler itself, before anything else.",
    restsOnAllWork: true,
    under: RuleInfo.Under(["BT03"], sharing: ["first", "begin"]),
    Expiry { scene, expiry, isSure in
      let name = scene.title(expiry.task)
      let witnesses = [
        scene.witness("begin", expiry.task), scene.witness("expired", expiry.sequence, expiry.time),
        scene.witness("handler returned"),
      ]
      guard isSure else {
        return Story("background task \(name) may not have been ended as it expired", [], witnesses)
      }
      return Story(
        "the expiration handler of background task \(name)\(scene.at(expiry.task.site)) returned "
          + "and had not ended it",
        [
          "The task was begun \(scene.before(expiry.task)), and its time was up "
            + "\(scene.since(expiry.time)) before the handler returned.",
          "The system waits for the handler alone, not for what it hands on: it suspends the app, or kills "
            + "it.",
        ],
        witnesses
      )
    }
  )
}
