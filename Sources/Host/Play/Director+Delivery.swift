// SPDX-License-Identifier: Apache-2.0
import HostWire
import Lifecycle
import Recorder
import Trace

extension Director {
  /// Hands the app an event and waits for its answer; nil when the app died, by itself or by the watchdog.
  @discardableResult
  func deliver(_ event: SystemEvent, to app: Int, within limit: Profile.Limit? = nil) -> EventReply?
  {
    guard apps[app].executes else { return nil }
    let limit = limit ?? profile.transition
    lastNumber += 1
    let number = lastNumber
    apps[app].awaited = number
    let due = world.now + scaled(limit.kill)
    world.send(event, number: number, to: app, due: due)
    let answered = wait(until: due) {
      apps[app].answers[number] != nil || !apps[app].isAlive
    }
    apps[app].awaited = nil
    guard apps[app].isAlive else { return nil }
    guard answered else {
      note("no answer to \(event.name) within \(limit.kill / 1_000_000) ms", about: app)
      die(app, Death(cause: "watchdog", code: KillCode.watchdog))
      return nil
    }
    return apps[app].answers.removeValue(forKey: number)
  }

  /// The same, within the time that launches have.
  func start(_ app: Int, reason: String, url: String? = nil, wake: WakeReason? = nil)
    throws(HostError)
  {
    let background = wake != nil
    let plan = LaunchPlan(reason: reason, background: background, deviceBoot: deviceBoot)
    let started = world.now
    let limit = scaled(profile.launch.kill)
    guard let configuration = try world.start(app, plan, limit: limit) else {
      note("the app did not come up", about: app)
      world.kill(app, Death(cause: "watchdog", code: KillCode.watchdog))
      return
    }
    apps[app].forget()
    apps[app].configuration = configuration
    apps[app].incarnation += 1
    apps[app].state = background ? .background : .inactive
    apps[app].thrownOut = false
    if !background { front = app }
    let launch = SystemEvent.Launch(
      reason: reason,
      background: background,
      url: url,
      wake: wake,
      restoration: apps[app].preserved,
      protectedDataAvailable: !isLocked,
      incarnation: apps[app].incarnation
    )
    let left = Profile.Limit(
      Double(profile.launch.kill) / 1e9 - Double(world.now - started) / 1e9 / scenario.timeScale
    )
    apps[app].toldUnavailable = isLocked
    let reply = deliver(.launch(launch), to: app, within: left)
    guard let reply else { return }
    if let url, reply.accepted { deliver(.openURL(url), to: app) }
    if background {
      countBackground(app)
      // The founding documents show didEnterBackground at the end of a background launch.
      if profile.name == "classic" { enterBackground(app, cause: reason) }
    } else {
      becomeActive(app, cause: "launch")
    }
  }

  // MARK: Transitions

  func becomeActive(_ app: Int, cause: String) {
    guard apps[app].state == .inactive, apps[app].reasons.isEmpty, !isLocked else { return }
    changeStatusBar(app, to: inCall ? 40 : 20)
    guard apps[app].isAlive else { return }
    apps[app].state = .active
    deliver(.becomeActive(cause: cause), to: app)
  }

  /// Tells the app of the height that the status bar has now, unless it knows.
  func changeStatusBar(_ app: Int, to height: Int) {
    let old = apps[app].statusBarHeight
    guard old != height, apps[app].isFront else { return }
    apps[app].statusBarHeight = height
    deliver(.statusBarFrame(old: old, new: height), to: app)
  }

  func resignActive(_ app: Int, cause: String) {
    guard apps[app].state == .active else { return }
    deliver(.resignActive(cause: cause), to: app)
    if apps[app].isAlive { apps[app].state = .inactive }
  }

  func enterBackground(_ app: Int, cause: String) {
    guard apps[app].isAlive else { return }
    apps[app].state = .background
    apps[app].reasons = []
    if front == app { front = nil }
    countBackground(app)
    let reply = deliver(.enterBackground(cause: cause), to: app, within: profile.enterBackground)
    if let kept = reply?.preserved { apps[app].preserved = kept }
    settle(app)
  }

  /// The front app goes off the screen, or ends if it cannot live there.
  func leaveFront(cause: String) {
    guard let app = front else { return }
    resignActive(app, cause: cause)
    guard apps[app].isAlive else { return }
    if hasBackground(app) {
      enterBackground(app, cause: cause)
    } else {
      terminate(app, cause: "exitsOnSuspend")
    }
  }

  /// Whether the app may live in the background at all.
  func hasBackground(_ app: Int) -> Bool {
    let configuration = apps[app].configuration
    let sdk = configuration.linkedSDK.split(separator: ".").first.flatMap { Int($0) }
    return profile.hasMultitasking && !configuration.exitsOnSuspend && (sdk ?? 4) >= 4
  }

  /// The user goes to the app, wherever it is.
  func bringToFront(_ app: Int, cause: String, url: String? = nil) throws(HostError) {
    if let front, front != app { leaveFront(cause: "switch") }
    switch apps[app].state {
    case .notRunning, .unknown: return try start(app, reason: cause, url: url)
    case .active:
      guard let url else { return }
      resignActive(app, cause: "switch")
      becomeActive(app, cause: "switch")
      deliver(.openURL(url), to: app)
    case .inactive:
      apps[app].reasons = []
      if let url { deliver(.openURL(url), to: app) }
      becomeActive(app, cause: cause)
    case .background, .suspended:
      wakeUp(app, reason: cause)
      guard apps[app].isAlive else { return }
      deliver(.enterForeground(cause: cause), to: app)
      guard apps[app].isAlive else { return }
      apps[app].state = .inactive
      front = app
      if let url { deliver(.openURL(url), to: app) }
      becomeActive(app, cause: cause)
    }
  }

  // MARK: Interruptions

  func interrupt(_ reason: String) {
    guard let app = front else { return }
    if !apps[app].reasons.contains(reason) { apps[app].reasons.append(reason) }
    resignActive(app, cause: reason)
  }

  func endInterruption(_ reason: String) {
    guard let app = front else { return }
    if let index = apps[app].reasons.firstIndex(of: reason) { apps[app].reasons.remove(at: index) }
    becomeActive(app, cause: "\(reason) over")
  }

  // MARK: Ends

  /// Ends the process; what was queued for it dies with it.
  func die(_ app: Int, _ death: Death) {
    guard apps[app].isAlive else { return }
    dropPending(app)
    world.kill(app, death)
    lose(app)
  }

  /// The process is gone.
  func lose(_ app: Int) {
    guard apps[app].isAlive else { return }
    dropPending(app)
    if front == app { front = nil }
    apps[app].forget()
  }

  /// The system ends the app politely: an executing one is told, a suspended one is not.
  func terminate(_ app: Int, cause: String) {
    guard apps[app].isAlive else { return }
    if apps[app].executes {
      // It may be gone before its answer is read.
      world.expectExit(app, cause: cause)
      deliver(.terminate, to: app, within: profile.terminate)
    }
    die(app, Death(cause: cause, code: 0))
  }
}
