// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceLifecycle
import LifetraceTrace

/// What an event carries besides its kind, for the callbacks that it leads to.
struct Occasion {
  /// The reason that the app is given.
  var cause: String
  /// The same for didBecomeActive, which calls a launch a launch.
  var activation: String
  var url: SystemEvent.OpenedURL?
  var wake: WakeReason?
  /// The system launches no app for the wake.
  var isRefused = false
  var payload = ""
  /// The user has tapped a notification, which says this.
  var response: String?
  var change: SystemChange?
  var touch: SystemEvent?
  /// The termination code that the system leaves.
  var code: UInt64?
  /// What the app ends of, if this ends it.
  var end: TerminationCause?
  /// It was notified of its end.
  var isPolite = false

  init(_ cause: String) {
    self.cause = cause
    activation = cause
  }
}

// Each thing that happens to an app is an event of the model in the app's state. The model's steps
// follow, and here they are done, one by one, until the app dies of one.

extension Director {
  /// Does what the system does about `event`.
  func happen(_ event: LifecycleEvent, to app: Int, _ occasion: Occasion) {
    let response = LifecycleModel.response(
      to: event,
      in: apps[app].state,
      conditions(of: app, occasion)
    )
    var occasion = occasion
    if case .end(let cause) = response.steps.last { occasion.end = cause }
    for step in response.steps {
      take(step, app, &occasion)
      guard apps[app].isAlive else { return }
    }
  }

  func happen(_ event: LifecycleEvent, to app: Int, cause: String) {
    happen(event, to: app, Occasion(cause))
  }

  /// Ends the app, as the model has it for the cause.
  func end(_ app: Int, _ cause: TerminationCause, code: UInt64? = nil) {
    if apps[app].isPrewarmed {
      apps[app].isPrewarmed = false
      return world.kill(app, death(cause, Occasion(cause.rawValue)))
    }
    var occasion = Occasion(cause.rawValue)
    occasion.code = code
    happen(.end(cause), to: app, occasion)
  }

  private func conditions(of app: Int, _ occasion: Occasion) -> LifecycleConditions {
    let played = apps[app]
    var given = LifecycleConditions()
    given.hasPasscode = hasPasscode
    given.isLocked = isLocked
    given.wasInFront = frontAtLock == app
    given.missedUnlock = played.knowsUnavailable && !isProtected
    given.isStillInterrupted = !played.reasons.isEmpty
    given.exitsOnSuspend = !hasBackground(app)
    given.hasSavedState = played.preserved != nil
    apps[app].sharedLock = scenario.appGroup == nil ? nil : world.sharedLock(of: app)
    given.holdsSharedLock = apps[app].sharedLock != nil
    given.userKillIsPolite = true
    given.refusesWakes = occasion.isRefused
    // What a tapped notification says has a callback of its own, with scenes too.
    given.connectsScene = connectsScene(app) && occasion.response == nil
    given.statusBarDiffers = played.statusBarHeight != barHeight
    given.profile = profile
    return given
  }

  private func take(_ step: LifecycleResponse.Step, _ app: Int, _ occasion: inout Occasion) {
    switch step {
    case .call(let callback):
      occasion.isPolite = callback == .willTerminate
      call(callback, app, occasion)
    case .become(let state):
      if apps[app].state == .notRunning {
        start(app, into: state, &occasion)
      } else {
        become(state, app, occasion)
      }
    case .end(let cause): die(app, death(cause, occasion))
    case .deliverQueue: deliverPending(app)
    case .queue: if let change = occasion.change { queue(change, for: app) }
    case .deliver:
      if let change = occasion.change { tell(change, to: app) }
      if let touch = occasion.touch { deliver(touch, to: app) }
    // Dropped events leave no trace: no process was there to see them.
    case .drop: break
    case .handleWake:
      if let wake = occasion.wake { begin(wake, in: app, payload: occasion.payload) }
    case .expireTasks:
      for task in apps[app].tasks.keys.sorted() where apps[app].tasks[task]?.isExpired == false {
        apps[app].tasks[task]?.isExpired = true
        witness(in: app) { _ in Payload.TaskExpire(id: ofHost(task)) }
        world.send(.expire(task: task), number: 0, to: app, due: apps[app].killAt)
      }
    }
  }

  /// The lock that the app will be killed for stands in its stream, as the host saw it.
  ///
  /// The resource is the file, the name of the site the kind of lock, the holder the stream's process.
  private func recordLock(of app: Int) {
    guard let lock = apps[app].sharedLock else { return }
    let event = RecordedEvent(name: lock.kind) {
      Payload.ResourceAcquire(
        name: $0.name(lock.path),
        class: .lock,
        attribute: $0.name("shared"),
        id: 0
      )
    }
    // Without the place in the scenario: nothing there took it.
    world.record(event, about: app)
  }

  private func become(_ state: AppState, _ app: Int, _ occasion: Occasion) {
    if apps[app].state == .background { sampleProcessorTime(of: app) }
    switch state {
    case .suspended:
      sampleMemory(of: app)
      recordLock(of: app)
      recordListening(of: app)
      return suspend(app)
    case .background:
      if apps[app].state == .suspended {
        world.resume(app, reason: occasion.cause, finding: protectionFound(by: app))
        forgetListening(of: app)
      }
      apps[app].reasons = []
      if front == app { front = nil }
    case .inactive:
      front = app
      forgetBackground(app)
    case .active, .notRunning, .unknown: break
    }
    let before = apps[app].state
    apps[app].state = state
    let cause = state == .active ? occasion.activation : occasion.cause
    if before != .suspended { witness(from: before, to: state, cause: cause, in: app) }
    if state == .background {
      countBackground(app)
      beginProcessorTime(of: app)
    }
  }

  private func call(_ callback: Callback, _ app: Int, _ occasion: Occasion) {
    switch callback {
    case .didBecomeActive: deliver(.becomeActive(cause: occasion.activation), to: app)
    case .willResignActive:
      sampleMemory(of: app)
      deliver(.resignActive(cause: occasion.cause), to: app)
    case .didEnterBackground:
      enterBackground(app, cause: occasion.cause)
      disconnectAccessories(app)
    case .willEnterForeground:
      let url = connectsScene(app) ? occasion.url : nil
      apps[app].hasScene = true
      deliver(.enterForeground(cause: occasion.cause, url: url), to: app)
      reconnectAccessories(app)
    case .willTerminate:
      // It may be gone before its answer is read.
      world.expectExit(app, cause: occasion.end?.rawValue ?? occasion.cause)
      deliver(.terminate, to: app, within: profile.terminate)
    case .didReceiveMemoryWarning: deliver(.memoryWarning, to: app)
    case .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable:
      let available = callback == .protectedDataDidBecomeAvailable
      tellProtectedData(app, available: available, occasion.change)
    case .didChangeStatusBarFrame: changeStatusBar(app, to: barHeight)
    case .openURL:
      if let url = occasion.url { deliver(.openURL(url), to: app) }
      if let text = occasion.response { deliver(.notificationResponse(payload: text), to: app) }
    // The rest the app's runtime calls by itself when it is launched.
    default: break
    }
  }

  /// How the process ends: with the code that the system leaves for the cause, else by a signal.
  private func death(_ cause: TerminationCause, _ occasion: Occasion) -> Death {
    let code: UInt64? =
      switch cause {
      case .system, .exitsOnSuspend: 0
      case .user: occasion.isPolite ? 0 : nil
      case .crash: 11
      case .deadlock: TerminationCode.deadLock
      default: occasion.code
      }
    return Death(cause: cause.rawValue, code: code, isPurge: cause == .purge)
  }
}
