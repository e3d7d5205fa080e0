// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family DL, callbacks: the system waits for each, and no longer than so long.
enum CallbackDeadlines {
  static let enterBackground = Rule(
    "DL02",
    "didEnterBackground returns within its deadline.",
    source: "App Programming Guide, Strategies for Handling App State Transitions: about 5 seconds",
    fix: "Hand the work to a queue, under a background task, and return.",
    thresholds: ["enter-background"],
    under: RuleInfo.Under(["DS06"], sharing: ["begin", Witness.open]),
    callbacks([.didEnterBackground])
  )

  static let terminate = Rule(
    "DL03",
    "willTerminate returns within its deadline.",
    source: "App Programming Guide, App Termination: about 5 seconds",
    fix: "Save less there, and earlier.",
    thresholds: ["terminate"],
    callbacks([.willTerminate])
  )

  static let transition = Rule(
    "DL04",
    "The callbacks of a transition, a URL and a scene return within their deadline.",
    source: "the watchdog's scene-update event: 10 seconds; a warning from a quarter of that on",
    fix: "Do there what the user sees at once, and hand the rest to a queue.",
    thresholds: ["transition"],
    callbacks(
      [.willResignActive, .willEnterForeground, .didBecomeActive, .openURL, .sceneWillConnect],
      isGraded: true,
      // The launch has a deadline of its own.
      isJudged: { $0.history.launch == nil }
    )
  )

  static let expiration = Rule(
    "DL08",
    "An expiration handler returns at once.",
    source: "UIApplication beginBackgroundTask(expirationHandler:): the handler runs on main, and "
      + "blocks the suspension",
    fix: "End the task there, and wait for nothing: no dispatch_sync, no semaphore.",
    thresholds: ["expiration-handler"],
    callbacks([.expirationHandler])
  )

  /// One limit for all of `callbacks`, that of the first.
  private static func callbacks(
    _ callbacks: [Callback],
    isGraded: Bool = false,
    isJudged: @escaping @Sendable (borrowing RuleContext) -> Bool = { _ in true }
  ) -> Extent<OpenSpan> {
    Extent(
      ledger: .callbacks(callbacks),
      clock: { span, end, context, _ in
        guard isJudged(context), let limit = context.profile.limit(of: callbacks[0]) else {
          return nil
        }
        let length = context.running(span, until: end)
        return .init(length: length, limit: limit, isRunning: true)
      },
      // Where ends may be missing, it may have been killed for what has begun since.
      isKilled: { $2.isKill($1, code: TerminationCode.watchdog, $3) && $2.doubtless($0) },
      isGraded: isGraded
    ) { scene, span, late in
      let callback = Callback(named: scene.names[scene.names[span.site].name]) ?? callbacks[0]
      let called: Sentence = "\(name: callback.rawValue)"
      let name = scene.name(span.site, or: called)
      let (warn, kill) = (scene.limit(late.limit.warn), scene.limit(late.limit.kill))
      let length = scene.words(late.length, over: late.limit.warn)
      var detail: Sentence = "It may take \(warn)."
      if late.limit.kill > late.limit.warn {
        detail = "It should take at most \(warn), and the system kills the app at \(kill)."
        if late.isKilled { detail = "\(detail) It has killed it here." }
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
}
