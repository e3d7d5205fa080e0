// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Stays in a state, and ways out of it.
extension Transitions {
  static let entered = Rule(
    "ST04",
    "willEnterForeground is followed by didBecomeActive, unless something interrupts.",
    source: "UIApplicationDelegate applicationWillEnterForeground: invariably followed by "
      + "applicationDidBecomeActive",
    severity: .warning,
    fix: "Suspect the recording, or a user who left at once.",
    Recall(
      attention: [
        .callbackBegin(.willEnterForeground), .callbackBegin(.didBecomeActive),
        .callbackBegin(.didEnterBackground), .callbackBegin(.sceneWillConnect), .event(.device),
      ],
      memory: Return()
    ) { seen, event, context, names in
      switch context.callback {
      case .sceneWillConnect?: seen.scenes += 1
      case .willEnterForeground?:
        // A locked device keeps it inactive.
        seen.isInterrupted = context.history.deviceLock != nil
        seen.call = Order.Call(sequence: event.sequence, time: event.time)
      case .didBecomeActive?:
        defer { seen.call = nil }
        return seen.call == nil ? nil : .held
      case .didEnterBackground?:
        guard let call = seen.call else { return nil }
        // Of several scenes one may enter and another one leave.
        if seen.isInterrupted || seen.scenes > 1 { return .held }
        let doubt = context.unseen(.callback, since: call.time)
        return .broken(unless: doubt.map { "the call may be missing: \($0)" })
      default:
        if event.kind == .device, ["lock", "call"].contains(names[Payload.Device(event).what]) {
          seen.isInterrupted = true
        }
      }
      return nil
    } says: { scene, seen in
      var witnesses = [scene.witness("background")]
      if let call = seen.call { witnesses.append(scene.witness("entered", call)) }
      return Story(
        "\(name: "willEnterForeground") was called, and then didEnterBackground: the app never "
          + "became active",
        [],
        witnesses
      )
    }
  )

  /// A return to the foreground that is under way.
  private struct Return: Sendable {
    var call: Order.Call?
    var isInterrupted = false
    var scenes = 0
  }

  static let noBackground = Rule(
    "ST11",
    "An app that may not run in the background ends when it leaves the foreground, by willTerminate.",
    source: "App Programming Guide: UIApplicationExitsOnSuspend; iPhone Application Programming "
      + "Guide: devices without multitasking",
    fix: "Suspect the system; or the key that says it: UIApplicationExitsOnSuspend, or the version "
      + "of the SDK.",
    Recall<Void>(attention: Trigger.stateChanges, memory: ()) { _, event, context, names in
      guard let change = context.change, mayNotRun(context, names) else { return nil }
      if change.suspends { return .broken() }
      let before = context.state.stateBefore
      if change.from == .background, before == .inactive, change.to == .inactive {
        return .broken()
      }
      guard change.to == .notRunning, context.state.process.ending == nil,
        names[event.endingCause] == TerminationCause.exitsOnSuspend.rawValue
      else { return nil }
      if context.lastRun(of: .willTerminate) != nil || context.isOpen([.willTerminate], names) {
        return .held
      }
      let started = context.state.process.started ?? HostTime(rawValue: .min)
      let doubt = context.unseen(.callback, since: started)
      return .broken(unless: doubt.map { "the call may be missing: \($0)" })
    } says: { scene, _ in
      let why = reason(scene.context, scene.names)
      let witnesses = [scene.stateWitness, scene.witness(scene.context.change?.to.word ?? "end")]
      let title: Sentence =
        switch scene.context.change?.to {
        case .suspended?: "an app that may not run in the background was suspended"
        case .notRunning?:
          "the app ended on leaving the foreground, and willTerminate was not called"
        default: "an app that may not run in the background came back from there"
        }
      return Story(title, [why], witnesses)
    }
  )

  private static func mayNotRun(
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Bool {
    if isOld(context, names) { return true }
    if !context.profile.hasMultitasking { return true }
    return context.config("UIApplicationExitsOnSuspend", names) == "YES"
  }

  /// Whether it is built with an SDK from before multitasking: `3.2`, or `iphoneos3.2`.
  private static func isOld(_ context: borrowing RuleContext, _ names: borrowing Names) -> Bool {
    let version = context.config("DTSDKName", names).drop { !$0.isNumber }
    return version.split(separator: ".").first.flatMap { Int($0) }.map { $0 < 4 } ?? false
  }

  private static func reason(
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Sentence {
    if !context.profile.hasMultitasking { return "The device has no background." }
    return isOld(context, names)
      ? "It is built with an SDK from before multitasking."
      : "Its configuration says UIApplicationExitsOnSuspend."
  }

  /// A stay in the inactive state.
  struct Stay: Opened {
    let time: HostTime
    let sequence: UInt64
    let cause: NameID
    var site: SiteID { .none }

    init(_ state: borrowing LifeState) {
      (time, sequence, cause) = (state.stateSince, state.stateSequence, state.stateCause)
    }
  }

  static let stuck = Rule(
    "ST16",
    "The app is inactive only briefly, or while something interrupts it.",
    source: "iPhone Application Programming Guide, App States: an app usually stays in this state "
      + "only briefly",
    severity: .info,
    fix: "Look at what it waits for: an activation that never came, or an interruption that the "
      + "recording does not name.",
    thresholds: ["stuck-inactive"],
    Extent(
      ledger: Ledger<Stay>(
        family: .state,
        ends: [.event(.transition)],
        ended: { _, context, _ in
          context.change?.from == .inactive ? Stay(context.state) : nil
        },
        open: { context, _ in
          context.state.appState == .inactive ? [Stay(context.state)] : []
        }
      ),
      clock: { stay, end, context, names in
        let isInterrupted = isInterrupted(stay, context, names)
        guard isInterrupted != true else { return nil }
        return .init(
          length: end - stay.time,
          limit: context.profile.stuckInactive,
          doubt: isInterrupted == nil
            ? "whether something interrupted it is not recorded" : nil
        )
      },
      cut: .over,
      isOccasionWhileOpen: false
    ) { scene, stay, late in
      let limit = scene.limit(late.limit.warn)
      return late.story(
        scene,
        stay,
        from: "inactive",
        to: "end of it",
        open: "the app is inactive",
        because: "the recording ends",
        unclear: "the app may have been stuck in the inactive state",
        over: "the app was inactive for \(scene.words(late.length)), and "
          + "nothing interrupted it",
        ["That usually lasts for moments; \(limit) are no moment."]
      )
    }
  )

  /// Whether something interrupts the app; nil where that is not known.
  private static func isInterrupted(
    _ stay: Stay,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Bool? {
    if context.history.deviceLock != nil { return true }
    let cause = names[stay.cause]
    // On the way to the screen nothing is named, and what takes it off is no interruption.
    let isOnItsWay = [.notRunning, .background].contains(context.state.stateBefore)
    if isOnItsWay || ["home", "switch"].contains(cause) { return false }
    return cause.isEmpty ? nil : true
  }
}
