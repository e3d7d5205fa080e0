// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family DL: what must be done in time.
///
/// Every limit comes from the profile, but those that an app sets itself.
enum Deadlines {
  static let family = RuleFamily(
    "DL",
    "Deadlines",
    [launch, enterBackground, terminate, granted, age, wake, completedOnce, hang, own]
  )

  static let launch = Rule(
    "DL01",
    "A launch into the foreground handles events within seconds.",
    source: "iPhone Application Programming Guide: roughly 5 seconds; launch watchdog: 20 seconds",
    fix: "Move work off the main thread and the network out of the launch.",
    thresholds: ["launch"],
    Extent(
      ledger: .launches,
      clock: { launch, end, context, _ in
        .init(length: end - launch.time, limit: context.profile.launch)
      },
      // Where states are missing, it may have been killed for what came after the launch.
      isKilled: { launch, event, context, names in
        context.isKill(event, code: TerminationCode.watchdog, names)
          && context.doubt(.state, since: launch.time) == nil
      },
      cut: .over,
      rest: .nothing,
      isGraded: true,
      earlierEnd: { launch, context in
        context.doubt(.state, since: launch.time).map { "its end may be missing: \($0)" }
      }
    ) { scene, launch, late in
      let (limit, verb) = (late.limit, late.stop == .ended ? "was active" : "was still launching")
      let (most, kill) = (scene.limit(limit.warn), scene.limit(limit.kill))
      return late.story(
        scene,
        launch,
        from: "start",
        to: "end of the launch",
        open: "the launch has no end",
        because: scene.doubt(.state)
          ?? "the recording ends \(scene.words(late.length)) into \(most)",
        unclear: "the launch may have been too slow",
        over: "the app \(verb) after \(scene.length(late.length, over: limit.warn))",
        [
          "It should take at most \(most), and the system kills a launch at \(kill)."
            + "\(late.isKilled ? " It has killed this one." : "")"
        ]
      )
    }
  )

  static let enterBackground = Rule(
    "DL02",
    "didEnterBackground returns within its deadline.",
    source: "App Programming Guide, Strategies for Handling App State Transitions: about 5 seconds",
    fix: "Call beginBackgroundTask first, hand the work to a queue, and return.",
    thresholds: ["enter-background"],
    callback(.didEnterBackground) { $0.enterBackground }
  )

  static let terminate = Rule(
    "DL03",
    "willTerminate returns within its deadline.",
    source: "App Programming Guide, App Termination: about 5 seconds",
    fix: "Save less there, and earlier.",
    thresholds: ["terminate"],
    callback(.willTerminate) { $0.terminate }
  )

  private static func callback(
    _ callback: Callback,
    atMost limit: @escaping @Sendable (borrowing Profile) -> Profile.Limit
  ) -> Extent<OpenSpan> {
    let called: Sentence = "\(name: callback.rawValue)"
    return Extent(
      ledger: .callback(callback),
      clock: { span, end, context, _ in
        let length = context.running(span, until: end)
        return .init(length: length, limit: limit(context.profile), isRunning: true)
      },
      isKilled: { $2.isKill($1, code: TerminationCode.watchdog, $3) },
      rest: .surelyOver,
      heedsSampling: true
    ) { scene, span, late in
      let name = scene.name(span.site, or: called)
      let (warn, kill) = (scene.limit(late.limit.warn), scene.limit(late.limit.kill))
      let length = scene.length(late.length, over: late.limit.warn)
      var detail: Sentence = "It may take \(warn)."
      if late.limit.kill > late.limit.warn {
        detail = "It should take at most \(warn), and the system kills the app at \(kill)."
      } else if late.isKilled {
        detail = "\(detail) The system killed the app for it."
      }
      return late.story(
        scene,
        span,
        from: late.outcome == .open ? callback.rawValue : "begin",
        to: late.stop == .ended ? "end" : "still running",
        open: "\(called) has no end",
        because: scene.missing("its end", .callback, since: span)
          ?? "it was still running when the recording ended, "
          + "\(scene.words(late.length)) into \(warn)",
        unclear: "\(name) may have missed its deadline",
        over: "\(name) \(late.stop == .ended ? "ran" : "had run") for "
          + "\(length)\(scene.at(span.site))",
        [detail]
      )
    }
  }

  static let granted = Rule(
    "DL05",
    "No background task is held in the background beyond the time granted.",
    source: "UIApplication Background Task Notes; permittedBackgroundDuration in device logs",
    fix: "End the task earlier, work in pieces, or use a processing task.",
    restsOnAllWork: true,
    thresholds: ["background-task", "processing-task"],
    Extent(
      ledger: .tasks,
      clock: { task, end, context, _ in
        context.backgroundClock(of: task, until: end).map {
          .init(length: $0.held, limit: .init(nanoseconds: $0.limit), isRunning: true)
        }
      },
      // Back in the foreground the background clock stops.
      pause: .inactive,
      isKilled: { $2.isKill($1, code: TerminationCode.backgroundTask, $3) },
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
    "No background task is held for longer than half a minute, in the foreground either.",
    source: "UIKit's warning: was created over 30 seconds ago",
    severity: .warning,
    fix: "Begin it when the work begins, end it when the work ends.",
    restsOnAllWork: true,
    thresholds: ["task-age"],
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
      open: "background task \"\(name: scene.names[task.name])\" has no end",
      because: scene.missing("its end", .task, since: task)
        ?? "it was still held when the recording ended, "
        + "\(scene.words(late.length)) into \(limit)",
      unclear: "background task \(name) may have been held too long",
      over: "background task \(name)\(scene.at(task.site)) was held for "
        + "\(scene.length(late.length, over: late.limit.warn))\(place)",
      ["The limit is \(limit); it \(how).", "Its expiration handler \(has) called."]
    )
  }

  static let wake = Rule(
    "DL09",
    "The completion handler of every wake is called in time.",
    source: "UIApplicationDelegate background fetch and push; codes 0x2182bad3 and 0x2182bad4",
    fix: "Call the completion handler on every path, failures included.",
    restsOnAllWork: true,
    thresholds: ["wake-handler", "processing-task", "voip-report"],
    Extent(
      ledger: .wakes,
      clock: { wake, end, context, names in
        let limit = context.profile.limit(ofWake: names[wake.reason]).kill
        return .init(length: end - wake.time, limit: .init(nanoseconds: limit))
      },
      isKilled: { wake, event, context, names in
        let code =
          switch names[wake.reason] {
          case "url-session": TerminationCode.urlSession
          case "voip": TerminationCode.badCall
          default: TerminationCode.fetch
          }
        return context.isKill(event, code: code, names)
      },
      killsOldest: true,
      cut: .over
    ) { scene, wake, late in
      let title: Sentence = "the wake by \(name: scene.names[wake.reason])"
      let limit = scene.limit(late.limit.kill)
      let verb = late.stop == .ended ? "was called after" : "was not called for"
      let isLate = late.length > scene.context.surely(late.limit.kill)
      return late.story(
        scene,
        wake,
        from: "wake",
        to: late.stop == .ended ? "completion" : "end",
        open: "\(title) has no completion",
        because: scene.missing("the completion", .wake, since: wake)
          ?? "the recording ends \(scene.words(late.length)) into \(limit)",
        unclear: "\(title) may have taken too long",
        over: "the completion handler of \(title) \(verb) "
          + "\(scene.length(late.length, over: late.limit.kill))",
        [isLate ? "The limit is \(limit)." : "The system killed the app for it."]
      )
    }
  )

  static let hang = Rule(
    "DL11",
    "The main thread is never blocked perceptibly while the app is active.",
    source: "MetricKit hang reports; Apple's recommended threshold of 250 ms",
    fix: "Move the work off the main thread.",
    roles: .interactive,
    Hang { scene, block in block.story(scene) }
  )

  static let completedOnce = Rule(
    "DL10",
    "A completion handler is called once.",
    source: "UIKit's contract of completion handlers: call once",
    severity: .warning,
    fix: "Guard the call, or clear the handler when it was called.",
    Unopened(ledger: .wakes, judgesUnbegun: false) { scene, earlier in
      Story(
        "wake \(scene.event.identity) was completed again\(scene.at(scene.event.site))",
        earlier.map { ["Its completion handler had been called \(scene.before($0))."] } ?? [],
        [scene.witness("completion")]
          + (earlier.map { [scene.witness("completed before", $0)] } ?? [])
      )
    }
  )

  static let own = Rule(
    "DL14",
    "A deadline that the app has set itself is met.",
    source: "the app's own words: Lifetrace.openDeadline, LT_DEADLINE_OPEN",
    fix: "Begin earlier, do less, or close the deadline on every path.",
    restsOnAllWork: true,
    Extent(
      ledger: .deadlines,
      clock: { deadline, end, _, _ in
        .init(
          length: end - deadline.time,
          limit: .init(nanoseconds: deadline.budget),
          isOwn: true,
          doubt: deadline.countsCPU ? "it counts CPU time, of which nothing was recorded" : nil
        )
      },
      cut: .over
    ) { scene, deadline, late in
      let name = scene.names[deadline.what]
      let title: Sentence = "the deadline\(name.isEmpty ? "" : " \"\(name: name)\"")"
      let what: Sentence = "\(title)\(scene.at(deadline.site))"
      let took: Sentence = "\(duration: late.length)"
      let how =
        switch late.stop {
        case .processEnded: "was not met: the process ended after"
        case .recordingEnded: "was not met: the recording ended after"
        default: "was met late, after"
        }
      return late.story(
        scene,
        deadline,
        from: "set",
        to: late.stop == .ended ? "closed" : "still open",
        open: "\(title) was still open",
        because: "the recording ended \(took) into \(duration: deadline.budget)",
        unclear: "\(what) may have been missed: \(took) passed",
        over: "\(what) \(how) \(took)",
        ["The app allowed itself \(duration: deadline.budget)."]
      )
    }
  )
}
