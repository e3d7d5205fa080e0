// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What main is for at a launch, in the background, and in a transition.
extension MainThreadUse {
  static let launchWork = Rule(
    "MT05",
    "At a launch main only sets the user interface up, and restores what it shows.",
    source: "App Programming Guide, The App Life Cycle: only tasks that set up the user interface "
      + "belong on the main thread at launch",
    severity: .warning,
    fix: "Do it on a background queue, or when the app is active.",
    thresholds: ["launch-work"],
    MainWork(
      kinds: [.compute],
      limit: { $0.launchWork },
      when: { span, context in
        guard context.state.appState == .inactive, context.state.stateBefore == .notRunning else {
          return false
        }
        // To restore what is shown belongs to the launch.
        return !context.state.data.values.contains {
          $0.restored.map { $0.time >= span.time } ?? false
        }
      }
    ) { scene, span, outcome in
      let what: Sentence = "\(scene.title(span))\(scene.at(span.site)) held main up at the launch"
      let limit = scene.context.profile.launchWork
      let end = scene.event.kind == .workEnd ? "end" : "end of the process"
      let witnesses = [scene.witness("begin", span), scene.witness(end)]
      guard outcome == .over else { return Story("\(what), perhaps", [], witnesses) }
      let length = scene.words(scene.event.time - span.time)
      return Story(
        "\(what) for \(length)",
        [
          "What does not set the interface up, and takes \(scene.limit(limit.warn)) or more, can wait."
        ],
        witnesses
      )
    }
  )

  /// Callbacks in which an app that nobody sees may change what it shows: for the snapshot, at its
  /// launch, at the return.
  private static let drawing: [Callback] = [
    .main, .applicationMain, .loadInterface, .willFinishLaunching, .didFinishLaunching,
    .shouldRestoreState, .didDecodeState, .sceneWillConnect, .didEnterBackground, .shouldSaveState,
    .willEncodeState, .willEnterForeground, .willTerminate,
  ]

  static let unseen = Rule(
    "MT08",
    "The user interface is not changed in the background, but for the snapshot.",
    source: "App Programming Guide, Background Execution: avoid updating your windows and views",
    severity: .warning,
    fix: "Note what has changed, and show it in willEnterForeground.",
    Recall<Void>(attention: [.workBegin(.ui)], memory: (), countsOnce: true) {
      _,
      event,
      context,
      names in
      guard context.state.appState == .background else { return .held }
      // A wake may bring the snapshot up to date.
      guard context.state.wakes.isEmpty, !context.isOpen(drawing, names),
        !isTold(context, names)
      else { return .held }
      guard let call = context.lastRun(of: .didEnterBackground),
        call.begin >= context.state.stateSince
      else { return nil }
      // On the way back, before the state has changed.
      if let back = context.lastRun(of: .willEnterForeground),
        back.beginSequence > call.beginSequence
      {
        return .held
      }
      let doubt = context.unseen(.callback, since: call.begin) ?? context.doubt(.wake)
      return .broken(unless: doubt.map { "what it was done in may be missing: \($0)" })
    } says: { scene, _ in
      let since = scene.since(scene.state.stateSince)
      return Story(
        "\(scene.eventTitle)\(scene.at(scene.event.site)) changed the user interface \(since) into "
          + "the background",
        ["The picture for the app switcher is taken; nobody sees the change."],
        [scene.stateWitness, scene.witness("begin")]
      )
    }
  )

  /// Whether the system has called main for something, as for what has changed while the app was
  /// suspended; work that the app has put off itself, and its timers, are the app's own doing.
  private static func isTold(
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Bool {
    let names = copy names
    return context.hasOpenTurn { span in
      !["main queue", "timer"].contains(names[names[span.site].name])
    }
  }

  static let waiting = Rule(
    "MT09",
    "Main does not wait for a queue in a transition.",
    source: "App Programming Guide, Strategies for Handling App State Transitions; "
      + "react-native-video 1892",
    fix: "Begin a background task, and let the queue end it; do not wait with dispatch_sync or a "
      + "semaphore.",
    restsOnAllWork: true,
    thresholds: ["hang"],
    Both(told, StandingStill.rule(in: transitions))
  )

  private static var told: Extent<OpenSpan> {
    Extent(
      ledger: Ledger<OpenSpan>(
        family: .work,
        ends: [.event(.waitEnd)],
        ended: { event, context, names in
          guard let span = context.closing, isInTransition(span, context, names) else { return nil }
          return span
        },
        open: { context, names in
          var open: [OpenSpan] = []
          // Of thousands of waits none may be in a transition.
          guard context.hasOpenCall(where: { $0.thread == .main }) else { return [] }
          for span in context.state.spans.values where span.kind == .waitBegin {
            if isInTransition(span, context, names) { open.append(span) }
          }
          return open
        }
      ),
      clock: { wait, end, context, _ in
        let hang = context.profile.hang
        var limit = Profile.Limit(nanoseconds: hang.severe)
        limit.kill = hang.kill
        return .init(length: context.running(wait, until: end), limit: limit, isRunning: true)
      },
      isKilled: { _, event, context, names in
        context.isKill(event, code: TerminationCode.watchdog, names)
      },
      cut: .over,
      isOccasionWhileOpen: false,
      isGraded: true
    ) { scene, wait, late in
      let limit = scene.limit(late.limit.warn)
      let what = scene.title(wait)
      return late.story(
        scene,
        wait,
        to: "end of the wait",
        open: "main waits in a transition",
        because: "the recording ends",
        unclear: "\(what)\(scene.at(wait.site)) may have held the transition up",
        over: "\(what)\(scene.at(wait.site)) held main up in a transition for "
          + "\(scene.words(late.length))",
        [
          "From \(limit) on it is felt, and the system kills a transition at "
            + "\(scene.limit(late.limit.kill)).\(late.isKilled ? " It has killed this one." : "")"
        ]
      )
    }
  }

  private static let transitions: Set<Callback> = [
    .willResignActive, .didEnterBackground, .willEnterForeground, .didBecomeActive, .willTerminate,
  ]

  /// Whether main waits, in a callback of a transition.
  private static func isInTransition(
    _ wait: OpenSpan,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Bool {
    // Work that ends is no wait.
    guard wait.kind == .waitBegin, wait.thread == .main else { return false }
    let context = copy context
    return context.hasOpenCall { span in
      guard span.kind == .callbackBegin, span.thread == .main, span.sequence < wait.sequence else {
        return false
      }
      let callback = context.history.callbackSeen(at: span.site, names)
      return (callback.map(transitions.contains) ?? false) && context.doubtless(span)
    }
  }
}
