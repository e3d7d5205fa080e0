// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// What happens to an app from outside.
public enum LifecycleEvent: Hashable, Sendable, CaseIterable {
  /// The user starts it, or comes back to it, by icon or switcher.
  case open
  /// A URL is opened with it.
  case openURL
  /// Push, fetch, location, Bluetooth, URL session: the system needs it in the background.
  case wake
  /// The system lets a suspended app run, without work for it.
  case resume
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
  /// The user pressed the sleep button.
  case lock
  /// The device is unlocked.
  case unlock
  /// The last background task or assertion ended, or didEnterBackground returned without any.
  case backgroundWorkDone
  /// A background task's time is nearly up.
  case taskTimeUp
  /// The system runs low on memory.
  case memoryWarning
  /// The user touches it.
  case touch
  /// A change of the system that is queued for suspended apps.
  case systemChange
  /// The status bar changes its height.
  case statusBarChange
  /// The process ends by this cause.
  case end(TerminationCause)

  /// Every event, with every cause of an end.
  public static let allCases: [LifecycleEvent] =
    [
      .open, .openURL, .wake, .resume, .interruptionBegins, .banner, .interruptionEnds,
      .interruptionAccepted, .leave, .lock, .unlock, .backgroundWorkDone, .taskTimeUp,
      .memoryWarning, .touch, .systemChange, .statusBarChange,
    ] + TerminationCause.allCases.map { .end($0) }
}

/// What the answer to an event depends on besides the state.
public struct LifecycleConditions: Hashable, Sendable {
  /// The device has a passcode, so a lock takes protected files away.
  public var hasPasscode = true
  /// The device is locked, so nothing becomes active.
  public var isLocked = false
  /// The app was in front when the device was locked, and comes back at the unlock.
  public var wasInFront = true
  /// Protected files were opened while the app slept, and its system does not queue that.
  public var missedUnlock = false
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
  /// The system does not launch it in the background: the user threw it out, or the device has not
  /// been unlocked since its start.
  public var refusesWakes = false
  /// The status bar has another height than the app knows: it is notified before it is active.
  public var statusBarDiffers = false
  /// The app has scenes, none is connected yet: a URL comes with the connection and needs no openURL.
  public var connectsScene = false
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
    /// The app is in this state from here on; from not running, its process is started.
    case become(AppState)
    /// The process ends for that cause.
    case end(TerminationCause)
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

  /// The steps, in order; empty where nothing is done.
  public var steps: [Step]

  /// The callbacks among the steps.
  public var callbacks: [Callback] {
    steps.compactMap { if case .call(let callback) = $0 { callback } else { nil } }
  }

  /// The states alone, in order.
  public var states: [AppState] {
    steps.compactMap { step in
      switch step {
      case .become(let state): state
      case .end: .notRunning
      default: nil
      }
    }
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
/// occur has no steps. The sources disagree in places; the profile decides. The
/// host plays these steps for real processes, the simulator in virtual time.
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

    // In front under an interruption, choosing the app ends the interruption.
    case (.open, .notRunning): launch(.inactive, given) + activate(given)
    case (.open, .inactive): activate(given)
    case (.open, .background): comeToFront + activate(given)
    case (.open, .suspended): wakeUp(given) + comeToFront + activate(given)
    case (.open, .active): []

    // The URL comes after the switch of apps, which an active app has around it.
    case (.openURL, .notRunning): launch(.inactive, given) + openURL(given) + activate(given)
    case (.openURL, .inactive): openURL(given) + activate(given)
    case (.openURL, .active): resign + activate(given) + openURL(given)
    case (.openURL, .background): comeToFront + openURL(given) + activate(given)
    case (.openURL, .suspended): wakeUp(given) + comeToFront + openURL(given) + activate(given)

    case (.wake, .notRunning):
      given.refusesWakes || !given.profile.hasMultitasking
        ? [] : backgroundLaunch(given) + [.handleWake]
    case (.wake, .suspended): wakeUp(given) + [.handleWake]
    case (.wake, _): [.handleWake]
    case (.resume, .suspended): wakeUp(given)
    case (.resume, _): []

    case (.interruptionBegins, .active): resign
    case (.interruptionBegins, _): []
    case (.banner, _): []
    case (.interruptionEnds, .inactive): given.isStillInterrupted ? [] : activate(given)
    case (.interruptionEnds, _): []

    case (.interruptionAccepted, .inactive), (.leave, .inactive): leave(given)
    case (.interruptionAccepted, .active), (.leave, .active): resign + leave(given)
    case (.interruptionAccepted, _), (.leave, _): []

    case (.lock, .inactive): lock(given) + protect(given)
    case (.lock, .active): resign + lock(given) + protect(given)
    case (.lock, .background): protect(given)
    case (.lock, .suspended): queueProtection(given)
    case (.lock, .notRunning): []

    case (.unlock, .inactive):
      unprotect(given) + (given.isStillInterrupted ? [] : activate(given))
    case (.unlock, .background):
      unprotect(given) + (given.wasInFront ? comeToFront + activate(given) : [])
    case (.unlock, .suspended):
      queueProtection(given)
        + (given.wasInFront ? wakeUp(given) + comeToFront + activate(given) : [])
    case (.unlock, _): []

    // A wake had it there, and it has no life in the background.
    case (.backgroundWorkDone, .background) where given.leavingEnds:
      [.call(.willTerminate), .end(.exitsOnSuspend)]
    case (.backgroundWorkDone, .background):
      given.holdsSharedLock ? [.become(.suspended), .end(.deadlock)] : [.become(.suspended)]
    case (.backgroundWorkDone, _): []
    // The handlers end the tasks, and then the work is done; or the app is ended for the tasks.
    case (.taskTimeUp, .background): [.expireTasks]
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

    // Elsewhere the app hears of the height when it is in front again.
    case (.statusBarChange, .inactive), (.statusBarChange, .active):
      [.call(.didChangeStatusBarFrame)]
    case (.statusBarChange, _): []

    case (.end, .notRunning): []
    case (.end(let cause), _): end(cause, state, given)
    }
  }

  private static let resign: [Step] = [.call(.willResignActive), .become(.inactive)]
  private static let comeToFront: [Step] = [.call(.willEnterForeground), .become(.inactive)]
  private static let active: [Step] = [.become(.active), .call(.didBecomeActive)]

  private static func openURL(_ given: LifecycleConditions) -> [Step] {
    given.connectsScene ? [] : [.call(.openURL)]
  }

  private static func activate(_ given: LifecycleConditions) -> [Step] {
    if given.isLocked { return [] }
    return given.statusBarDiffers ? [.call(.didChangeStatusBarFrame)] + active : active
  }

  private static func wakeUp(_ given: LifecycleConditions) -> [Step] {
    let opened: [Step] = given.missedUnlock ? [.call(.protectedDataDidBecomeAvailable)] : []
    return [.become(.background), .deliverQueue] + opened
  }

  private static func launch(_ state: AppState, _ given: LifecycleConditions) -> [Step] {
    let restore: [Step] =
      given.hasSavedState ? [.call(.shouldRestoreState), .call(.didDecodeState)] : []
    return [
      .become(state), .call(.main), .call(.applicationMain), .call(.loadInterface),
      .call(.willFinishLaunching),
    ] + restore + [.call(.didFinishLaunching)]
  }

  private static func backgroundLaunch(_ given: LifecycleConditions) -> [Step] {
    launch(.background, given)
      + (given.profile.backgroundLaunchIsEntering ? [.call(.didEnterBackground)] : [])
  }

  /// Off the screen; where there is no background, out of memory too.
  private static func leave(_ given: LifecycleConditions) -> [Step] {
    given.leavingEnds
      ? [.call(.willTerminate), .end(.exitsOnSuspend)]
      : [.become(.background), .call(.didEnterBackground)]
  }

  /// Behind the lock: on the oldest systems the app stays inactive there, elsewhere it leaves.
  private static func lock(_ given: LifecycleConditions) -> [Step] {
    given.profile.lockEndsIn == .inactive ? [] : leave(given)
  }

  /// After the app has left the screen, if it still is.
  private static func protect(_ given: LifecycleConditions) -> [Step] {
    let isGone = given.leavingEnds && given.profile.lockEndsIn != .inactive
    return given.hasPasscode && !isGone ? [.call(.protectedDataWillBecomeUnavailable)] : []
  }

  private static func unprotect(_ given: LifecycleConditions) -> [Step] {
    given.hasPasscode ? [.call(.protectedDataDidBecomeAvailable)] : []
  }

  private static func queueProtection(_ given: LifecycleConditions) -> [Step] {
    given.hasPasscode && given.profile.queuesProtectedData ? [.queue] : []
  }

  private static func end(
    _ cause: TerminationCause,
    _ state: AppState,
    _ given: LifecycleConditions
  ) -> [Step] {
    let isCalled =
      switch cause.callsWillTerminate(in: state, profile: given.profile) {
      case .must: true
      // A process that returns from main does so unasked.
      case .may: cause == .user && given.userKillIsPolite
      case .mustNot: false
      }
    return (isCalled ? [.call(.willTerminate)] : []) + [.end(cause)]
  }
}
