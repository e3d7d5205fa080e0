// SPDX-License-Identifier: Apache-2.0
public import Trace

/// What happens to an app from outside.
public enum LifecycleEvent: Hashable, Sendable, CaseIterable {
  /// The user starts it, or comes back to it, by icon or switcher.
  case open
  /// A URL is opened with it.
  case openURL
  /// Push, fetch, location, Bluetooth, URL session: the system needs it in the background.
  case wake
  /// A call, an alert, the notification centre, the app switcher lies over it.
  case interruptionBegins
  /// A banner, which interrupts nothing.
  case banner
  /// The last reason to be inactive is gone, and the user stays.
  case interruptionEnds
  /// The user follows the interruption to another app.
  case interruptionAccepted
  /// Home, switch to another app, or another app started by the system.
  case leave
  /// The sleep button.
  case lock
  /// The device is unlocked, and this app was in front.
  case unlock
  /// The last background task or assertion ended, or didEnterBackground returned without any.
  case backgroundWorkDone
  /// A background task's time is nearly up.
  case taskTimeUp
  /// Memory is low.
  case memoryWarning
  /// The user touches it.
  case touch
  /// A change of the system that is queued for suspended apps.
  case systemChange
  /// The process ends by this cause.
  case end(TerminationCause)

  /// Every event, with every cause of an end.
  public static let allCases: [LifecycleEvent] =
    [
      .open, .openURL, .wake, .interruptionBegins, .banner, .interruptionEnds,
      .interruptionAccepted, .leave, .lock, .unlock, .backgroundWorkDone, .taskTimeUp,
      .memoryWarning, .touch, .systemChange,
    ] + TerminationCause.allCases.map { .end($0) }
}

/// What the answer to an event depends on besides the state.
public struct LifecycleConditions: Hashable, Sendable {
  /// The device has a passcode, so a lock takes protected files away.
  public var hasPasscode = true
  /// Another interruption is still open when one ends.
  public var isStillInterrupted = false
  /// The app asked to be ended when it leaves the foreground, or was built before there was a background.
  public var exitsOnSuspend = false
  /// The app is suspended holding a lock in a shared directory.
  public var holdsSharedLock = false
  /// The app saved its state and is asked to restore it.
  public var hasSavedState = false
  /// A user's kill calls willTerminate where the profile allows either.
  public var userKillIsPolite = false
  /// The profile of the system.
  public var profile = Profile.standard

  /// The usual: a passcode, and nothing special.
  public init() {}

  /// Whether leaving the foreground ends the app.
  var leavingEnds: Bool { exitsOnSuspend || !profile.hasMultitasking }
}

/// What the system does about an event: callbacks and states, in order.
public struct LifecycleResponse: Hashable, Sendable {
  /// One thing it does.
  public enum Step: Hashable, Sendable {
    /// The app is called.
    case call(Callback)
    /// The app is in this state from here on.
    case become(AppState)
    /// The notifications that were queued are delivered, net, on the main run loop.
    case deliverQueue
    /// The change is queued for later.
    case queue
    /// The touch or change reaches the app.
    case deliver
    /// The touch or change is lost.
    case drop
    /// The handler of the wake is called; it has its time, then the app is suspended again.
    case handleWake
    /// The expiration handlers of open background tasks are called.
    case expireTasks
  }

  /// What is done, in order; empty where nothing is.
  public var steps: [Step]

  /// The callbacks alone.
  public var callbacks: [Callback] {
    steps.compactMap { if case .call(let callback) = $0 { callback } else { nil } }
  }

  /// The states alone, in order.
  public var states: [AppState] {
    steps.compactMap { if case .become(let state) = $0 { state } else { nil } }
  }

  /// The state in the end, for an app that was in `state`.
  public func final(from state: AppState) -> AppState { states.last ?? state }
}

/// The system that moves apps between their states: the whole table as one switch.
///
///     LifecycleModel.response(to: .leave, in: .active).callbacks
///         // [.willResignActive, .didEnterBackground]
///
/// Rows are events, columns are states, as in the guides. A cell that cannot
/// occur has no steps. The sources disagree in places; the profile decides.
public enum LifecycleModel {
  typealias Step = LifecycleResponse.Step

  /// What the system does about `event` for an app in `state`.
  public static func response(
    to event: LifecycleEvent,
    in state: AppState,
    _ conditions: LifecycleConditions = LifecycleConditions()
  ) -> LifecycleResponse {
    LifecycleResponse(steps: steps(event, state, conditions))
  }

  private static func steps(
    _ event: LifecycleEvent,
    _ state: AppState,
    _ given: LifecycleConditions
  ) -> [Step] {
    switch (event, state) {
    case (_, .unknown): []

    case (.open, .notRunning): launch(.inactive, given) + activate
    case (.open, .background): [.call(.willEnterForeground), .become(.inactive)] + activate
    case (.open, .suspended):
      [.become(.background), .deliverQueue, .call(.willEnterForeground), .become(.inactive)]
        + activate
    case (.open, _): []

    case (.openURL, .notRunning): launch(.inactive, given) + [.call(.openURL)] + activate
    case (.openURL, .active): [.call(.openURL)]
    case (.openURL, .background):
      [.call(.willEnterForeground), .become(.inactive), .call(.openURL)] + activate
    case (.openURL, .suspended):
      [.become(.background), .deliverQueue, .call(.willEnterForeground), .become(.inactive)]
        + [.call(.openURL)] + activate
    case (.openURL, .inactive): []

    case (.wake, .notRunning): launch(.background, given) + [.handleWake]
    case (.wake, .suspended): [.become(.background), .deliverQueue, .handleWake]
    case (.wake, _): [.handleWake]

    case (.interruptionBegins, .active): resign
    case (.interruptionBegins, _): []
    case (.banner, _): []
    case (.interruptionEnds, .inactive): given.isStillInterrupted ? [] : activate
    case (.interruptionEnds, _): []

    case (.interruptionAccepted, .inactive), (.leave, .inactive): leave(given)
    case (.interruptionAccepted, .active), (.leave, .active): resign + leave(given)
    case (.interruptionAccepted, _), (.leave, _): []

    case (.lock, .inactive): protect(given) + leave(given)
    case (.lock, .active): protect(given) + resign + leave(given)
    case (.lock, .background): protect(given)
    case (.lock, .suspended): given.hasPasscode ? [.queue] : []
    case (.lock, .notRunning): []

    case (.unlock, .background):
      unprotect(given) + [.call(.willEnterForeground), .become(.inactive)] + activate
    case (.unlock, .suspended):
      [.become(.background), .deliverQueue] + unprotect(given)
        + [.call(.willEnterForeground), .become(.inactive)] + activate
    case (.unlock, _): []

    case (.backgroundWorkDone, .background):
      given.holdsSharedLock
        ? [.become(.suspended), .become(.notRunning)] : [.become(.suspended)]
    case (.backgroundWorkDone, _): []
    case (.taskTimeUp, .background): [.expireTasks, .become(.suspended)]
    case (.taskTimeUp, _): []

    case (.memoryWarning, .inactive), (.memoryWarning, .active), (.memoryWarning, .background):
      [.call(.didReceiveMemoryWarning)]
    case (.memoryWarning, _): []

    case (.touch, .active): [.deliver]
    case (.touch, .inactive): [.drop]
    case (.touch, _): []

    case (.systemChange, .notRunning): [.drop]
    case (.systemChange, .suspended): [.queue]
    case (.systemChange, _): [.deliver]

    case (.end, .notRunning): []
    case (.end(let cause), _): end(cause, state, given)
    }
  }

  private static let activate: [Step] = [.become(.active), .call(.didBecomeActive)]
  private static let resign: [Step] = [.call(.willResignActive), .become(.inactive)]

  private static func launch(_ state: AppState, _ given: LifecycleConditions) -> [Step] {
    let restore: [Step] =
      given.hasSavedState ? [.call(.shouldRestoreState), .call(.didDecodeState)] : []
    return [
      .become(state), .call(.main), .call(.applicationMain), .call(.loadInterface),
      .call(.willFinishLaunching),
    ] + restore + [.call(.didFinishLaunching)]
  }

  /// Off the screen; where there is no background, out of memory too.
  private static func leave(_ given: LifecycleConditions) -> [Step] {
    let background: [Step] = [.become(.background), .call(.didEnterBackground)]
    guard given.leavingEnds else { return background }
    return given.profile.hasMultitasking
      ? background + [.call(.willTerminate), .become(.notRunning)]
      : [.call(.willTerminate), .become(.notRunning)]
  }

  private static func protect(_ given: LifecycleConditions) -> [Step] {
    given.hasPasscode ? [.call(.protectedDataWillBecomeUnavailable)] : []
  }

  private static func unprotect(_ given: LifecycleConditions) -> [Step] {
    given.hasPasscode ? [.call(.protectedDataDidBecomeAvailable)] : []
  }

  private static func end(
    _ cause: TerminationCause,
    _ state: AppState,
    _ given: LifecycleConditions
  ) -> [Step] {
    let isCalled =
      switch cause.callsWillTerminate(in: state, profile: given.profile) {
      case .must: true
      case .may: given.userKillIsPolite
      case .mustNot: false
      }
    return (isCalled ? [.call(.willTerminate)] : []) + [.become(.notRunning)]
  }
}
