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
    [
      launch, CallbackDeadlines.enterBackground, CallbackDeadlines.terminate,
      CallbackDeadlines.transition, TaskDeadlines.granted, TaskDeadlines.age,
      TaskDeadlines.expired, CallbackDeadlines.expiration, WakeDeadlines.wake,
      WakeDeadlines.completedOnce, hang, WakeDeadlines.call, WakeDeadlines.bluetooth, own,
    ]
  )

  static let launch = Rule(
    "DL01",
    "A launch handles events within seconds, in the background too.",
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
      isGraded: true,
      earlierEnd: { launch, context in
        context.doubt(.state, since: launch.time).map { "its end may be missing: \($0)" }
      }
    ) { scene, launch, late in
      let ready: Sentence =
        launch.isIntoBackground ? "had launched in the background" : "was active"
      let (limit, verb) = (late.limit, late.stop == .ended ? ready : "was still launching")
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
        over: "the app \(verb) after \(scene.words(late.length, over: limit.warn))",
        [
          "It should take at most \(most), and the system kills a launch at \(kill)."
            + "\(late.isKilled ? " It has killed this one." : "")"
        ]
      )
    }
  )

  static let hang = Rule(
    "DL11",
    "The main thread is never blocked perceptibly while the app is active.",
    source: "MetricKit hang reports; Apple's recommended threshold of 250 ms",
    fix: "Move the work off the main thread.",
    roles: .interactive,
    thresholds: ["hang"],
    Hang { scene, block in block.story(scene) }
  )

  static let own = Rule(
    "DL14",
    "A deadline that the app has set itself is met.",
    source: "the app's own words: Lifetrace.openDeadline, LT_DEADLINE_OPEN",
    fix: "Begin earlier, do less, or close the deadline on every path.",
    roles: .all,
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
