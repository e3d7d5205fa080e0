// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// The launch: what is called, in which order, and what is not.
extension Transitions {
  private static let lifeCycle = "App Programming Guide, The App Life Cycle"

  static let coldForeground = Rule(
    "ST05",
    "willEnterForeground is not called at a launch, unless for a scene.",
    source: "iPhone Application Programming Guide: willEnterForeground tells that the app leaves "
      + "the background",
    severity: .warning,
    fix: "Suspect the recording, or code that calls the delegate itself.",
    Each(attention: [.callbackBegin(.willEnterForeground)]) { event, context, names in
      let name = names[names[event.site].name]
      guard name.hasPrefix("application"), context.config("scenes", names) != "YES" else {
        return nil
      }
      switch context.state.appState {
      case .unknown: return .unclear(context.unknownState)
      case .inactive: return context.state.stateBefore == .notRunning ? .broken() : .held
      default: return .held
      }
    } says: { scene in
      let name: Sentence = "\(name: "willEnterForeground")"
      if scene.state.appState == .unknown {
        return Story("\(name) may have been called at a launch", [], [scene.witness("called")])
      }
      return Story(
        "\(name) was called at a launch: the app does not come from the background",
        [],
        [scene.stateWitness, scene.witness("called")]
      )
    }
  )

  /// A launch into the background, on its way to the screen or not.
  private struct BackgroundLaunch: Sendable {
    var reason = ""
    var launch: Launch?
    var hasEntered = false
  }

  static let launchedBehind = Rule(
    "ST08",
    "An app that is launched into the background comes to the screen by willEnterForeground alone.",
    source: "iPhone Application Programming Guide, App States: it enters the background state "
      + "instead of the inactive state",
    fix: "Suspect the recording: the launch, or the call, is missing from it.",
    Recall(
      attention: Trigger.stateChanges + [
        .callbackBegin(.willEnterForeground), .callbackBegin(.sceneWillConnect),
        .callbackBegin(.didBecomeActive),
      ],
      memory: BackgroundLaunch()
    ) { seen, event, context, names in
      switch context.callback {
      case .willEnterForeground?, .sceneWillConnect?: seen.hasEntered = true
      case .didBecomeActive?:
        guard let launch = seen.launch else { return nil }
        seen.launch = nil
        if seen.hasEntered { return .held }
        seen.launch = launch
        let doubt = context.unseen(.callback, since: launch.time)
        return .broken(unless: doubt.map { "the call may be missing: \($0)" })
      default: break
      }
      if event.kind == .processStart {
        seen = BackgroundLaunch()
        seen.reason = names[Payload.ProcessStart(event).reason]
      }
      guard let change = context.change, change.from == .notRunning else { return nil }
      if change.to == .background {
        seen.launch = Launch(time: event.time, sequence: event.sequence)
        return nil
      }
      guard change.to == .inactive, wakes.contains(seen.reason) else { return nil }
      return event.isHearsay ? .unclear("a log may leave a step out") : .broken()
    } says: { scene, seen in
      if scene.event.kind == .transition {
        return Story(
          "the app was launched by a wake (\(name: seen.reason)), and became inactive",
          ["A wake launches into the background: only the user brings an app to the screen."],
          [scene.witness("inactive")]
        )
      }
      var witnesses = [scene.witness("active")]
      if let launch = seen.launch {
        witnesses.append(scene.witness("launched into the background", launch))
      }
      return Story(
        "\(name: "didBecomeActive") was called after a launch into the background, and "
          + "willEnterForeground not before it",
        [],
        witnesses
      )
    }
  )

  private static let wakes: Set = [
    "push", "fetch", "url-session", "location", "bluetooth", "voip", "processing",
  ]

  /// The callbacks of a launch, in their order.
  private static let ofLaunch: [Callback] = [
    .willFinishLaunching, .shouldRestoreState, .didDecodeState, .didFinishLaunching,
  ]

  static let launchOrder = Rule(
    "ST09",
    "A launch calls willFinishLaunching, then restores, then calls didFinishLaunching.",
    source: "\(lifeCycle); Strategies for Implementing Your App: state is restored between the two",
    fix: "Suspect the recording, or code that calls the delegate itself.",
    Recall(
      attention: ofLaunch.map(Trigger.callbackBegin) + [.event(.processStart)],
      memory: [] as [History.Run]
    ) { calls, event, context, _ in
      guard let callback = context.callback else {
        calls = []
        return nil
      }
      let place = ofLaunch.firstIndex(of: callback) ?? 0
      let before = calls.last
      calls.append(
        History.Run(
          callback: callback,
          begin: event.time,
          end: event.time,
          beginSequence: event.sequence,
          endSequence: event.sequence,
          site: event.site
        )
      )
      if calls.count > ofLaunch.count { calls.removeFirst() }
      if let before, let last = ofLaunch.firstIndex(of: before.callback), place < last {
        return .broken()
      }
      return callback == .didFinishLaunching ? .held : nil
    } says: { scene, calls in
      var witnesses = [scene.witness("called")]
      let before = calls.dropLast().last
      if let before {
        witnesses.append(scene.witness("before it", before.beginSequence, before.begin))
      }
      let (late, early) = (calls.last?.callback.rawValue ?? "", before?.callback.rawValue ?? "")
      return Story("\(name: late) was called behind \(early)", [], witnesses)
    }
  )

  static let urlOrder = Rule(
    "ST10",
    "A URL is opened when the launch has accepted it, or willEnterForeground was called.",
    source: "App Programming Guide, Inter-App Communication: handling URL requests",
    severity: .warning,
    fix: "Suspect the recording, or code that calls the delegate itself.",
    Recall(
      attention: [
        .callbackEnd(.willFinishLaunching), .callbackEnd(.didFinishLaunching),
        .callbackBegin(.openURL), .callbackBegin(.didBecomeActive), .event(.processStart),
      ],
      memory: Opening()
    ) { opening, event, context, names in
      switch context.callback {
      case .didBecomeActive?: opening.refused = nil
      case .openURL?:
        opening.fault = fault(opening, &context, names)
        guard opening.fault != nil else { return .held }
        let doubt = context.unseen(.callback, since: context.state.stateSince)
        return .broken(unless: doubt.map { "a call may be missing: \($0)" })
      case let callback?:
        opening.isLaunched = opening.isLaunched || callback == .didFinishLaunching
        if context.saidNo(event, names) {
          opening.refused = History.Run(
            callback: callback,
            begin: event.time,
            end: event.time,
            beginSequence: event.sequence,
            endSequence: event.sequence,
            site: event.site
          )
        }
      case nil: opening = Opening(isStarted: true)
      }
      return nil
    } says: { scene, opening in
      var witnesses = [scene.witness("URL opened")]
      let url: Sentence = "\(name: "openURL") was called"
      switch opening.fault {
      case .refused?:
        if let refused = opening.refused {
          witnesses.append(scene.witness("refused", refused.endSequence, refused.end))
        }
        let who = opening.refused?.callback.rawValue ?? ""
        return Story("\(url), though \(who) had returned no", [], witnesses)
      case .early?: return Story("\(url) before didFinishLaunching had returned", [], witnesses)
      default:
        return Story(
          "\(url) in the background, and willEnterForeground not before it",
          [],
          witnesses
        )
      }
    }
  )

  /// What a launch has answered, and what is wrong with a URL that is opened.
  private struct Opening: Sendable {
    enum Fault: Sendable { case refused, early, behind }

    var isStarted = false
    var isLaunched = false
    var refused: History.Run?
    var fault: Fault?
  }

  private static func fault(
    _ opening: Opening,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) -> Opening.Fault? {
    if opening.refused != nil { return .refused }
    switch context.state.appState {
    case .inactive where context.state.stateBefore == .notRunning:
      return opening.isStarted && !opening.isLaunched ? .early : nil
    case .background:
      if context.isOpen([.willEnterForeground, .sceneWillConnect], names) { return nil }
      let entered = context.lastRun(of: .willEnterForeground)
      return entered.map { $0.begin >= context.state.stateSince } ?? false ? nil : .behind
    default: return nil
    }
  }
}
