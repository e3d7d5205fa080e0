// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceLifecycle
import LifetraceTrace

extension Director {
  /// Hands the app an event and waits for its answer; nil when the app died, by itself or by the watchdog.
  ///
  /// An app that hangs in what is no transition is waited for as long, and then left to it: what
  /// comes next stands behind it in the app's queue.
  @discardableResult
  func deliver(_ event: SystemEvent, to app: Int, within limit: Profile.Limit? = nil) -> EventReply?
  {
    guard apps[app].executes else { return nil }
    let limit = limit ?? profile.transition
    lastNumber += 1
    let number = lastNumber
    apps[app].awaited = number
    apps[app].unanswered.insert(number)
    let due = world.now + scaled(limit.kill)
    let told = world.now
    apps[app].toldSince = apps[app].toldSince ?? told
    witness(event, number: number, in: app)
    world.send(event, number: number, to: app, due: due)
    let answered = wait(until: due) {
      apps[app].answers[number] != nil || !apps[app].isAlive
    }
    apps[app].awaited = nil
    guard apps[app].isAlive else { return nil }
    if !answered, world.isCrashing(app) {
      awaitEnd(of: app)
      return nil
    }
    guard answered else {
      note("no answer to \(event.name) within \(limit.kill / 1_000_000) ms", about: app)
      hangs(app, in: event, number: number, since: told)
      guard event.isTransition else { return nil }
      end(app, .watchdog, code: TerminationCode.watchdog)
      return nil
    }
    let reply = apps[app].answers.removeValue(forKey: number)
    apps[app].toldSince = nil
    witnessEnd(of: event, number: number, accepted: reply?.accepted ?? true, in: app)
    return reply
  }

  /// An app that has crashed ends by itself, once its runtime has printed the stack: no deadline runs.
  private func awaitEnd(of app: Int) {
    while apps[app].isAlive, world.isCrashing(app) {
      _ = wait(until: world.now + 100_000_000) { !apps[app].isAlive }
    }
    if apps[app].isAlive { end(app, .watchdog, code: TerminationCode.watchdog) }
  }

  /// Starts the app's process, and hands it the launch within the time that launches have.
  func start(_ app: Int, into state: AppState, _ occasion: inout Occasion) {
    let background = state == .background
    var plan = LaunchPlan(reason: occasion.cause, background: background, deviceBoot: deviceBoot)
    plan.end = apps[app].script
    lookAtFiles(of: app)
    report.starts.append(.init(app: app, step: stepNumber))
    let started = world.now
    // To load a program takes as long as it takes, at any time scale.
    let limit = profile.launch.kill
    let configuration: AppConfiguration?
    do { configuration = try world.start(app, plan, limit: limit) } catch {
      trouble = error
      return
    }
    guard let configuration else {
      return fall(app) ? () : giveUp(app, within: limit)
    }
    apps[app].forget()
    apps[app].isPrewarmed = false
    apps[app].configuration = configuration
    apps[app].incarnation += 1
    apps[app].state = state
    witness(configuration, in: app)
    tellName(app)
    witness(from: .notRunning, to: state, cause: occasion.cause, in: app)
    // The lock stands in the streams of those alone that lived when it came.
    if isLocked { recordDevice("lock", lockValue, number: world.now - lockedAt, about: app) }
    if !background {
      // A launch in the background does not take the user's word back.
      apps[app].thrownOut = false
      front = app
    }
    let launch = SystemEvent.Launch(
      reason: occasion.cause,
      background: background,
      url: occasion.url,
      wake: occasion.wake,
      restoration: apps[app].preserved,
      protectedDataAvailable: !isProtected,
      incarnation: apps[app].incarnation,
      orientation: orientation
    )
    apps[app].orientation = orientation
    let left = Profile.Limit(
      Double(profile.launch.kill) / 1e9 - Double(world.now - started) / 1e9
    )
    apps[app].knowsUnavailable = isProtected
    let reply = deliver(.launch(launch), to: app, within: left)
    occasion.activation = "launch"
    // An app that refuses its launch options is not asked to open the URL.
    // With scenes the URL has come with the connection of the first.
    if reply?.accepted != true || !background && connectsScene(app) { occasion.url = nil }
    if background { countBackground(app) } else { apps[app].hasScene = true }
  }

  /// What the app has left of its files, or has.
  func lookAtFiles(of app: Int) {
    guard looksAtFiles, let last = report.starts.lastIndex(where: { $0.app == app }) else { return }
    report.starts[last].left = world.filesLeft(by: app)
  }

  /// Starts the app's process ahead of the user, and leaves it waiting before its first callback.
  func prewarm(_ app: Int) {
    guard !apps[app].isAlive, !apps[app].isPrewarmed else {
      return fail("`\(apps[app].name)` has a process already")
    }
    let plan = LaunchPlan(reason: "prewarm", background: true, deviceBoot: deviceBoot)
    let limit = profile.launch.kill
    do {
      apps[app].isPrewarmed = try world.prewarm(app, plan, limit: limit)
    } catch {
      return trouble = error
    }
    if !apps[app].isPrewarmed { giveUp(app, within: limit) }
  }

  /// The app has never connected: nothing that follows can be played.
  private func giveUp(_ app: Int, within limit: Int64) {
    // What it said in place of a greeting waits to be noted.
    for event in world.pump(until: world.now) { take(event) }
    let why = world.whyNoGreeting(from: app, within: limit)
    // A process that has never joined has no stream.
    note(why, about: nil)
    world.kill(
      app,
      Death(cause: TerminationCause.watchdog.rawValue, code: TerminationCode.watchdog)
    )
    gaveUp = true
    fail(
      why,
      advice: "an app connects by Application.main of LifetraceApp, or as PROTOCOL.md tells"
    )
  }

  // MARK: Transitions

  /// Notifies the app of the status bar's present height, unless it knows.
  func changeStatusBar(_ app: Int, to height: Int) {
    let old = apps[app].statusBarHeight
    guard old != height else { return }
    apps[app].statusBarHeight = height
    deliver(.statusBarFrame(old: old, new: height), to: app)
  }

  /// The app is in the background, and has its time to get used to that.
  func enterBackground(_ app: Int, cause: String) {
    let reply = deliver(.enterBackground(cause: cause), to: app, within: profile.enterBackground)
    if let kept = reply?.preserved { apps[app].preserved = kept }
    settle(app)
  }

  /// The front app goes off the screen, or ends if it cannot live there.
  func leaveFront(cause: String) {
    if let front { happen(.leave, to: front, cause: cause) }
  }

  /// Whether the app may live in the background at all.
  func hasBackground(_ app: Int) -> Bool {
    let configuration = apps[app].configuration
    // Given as 3.2, or as property lists have it: iphoneos3.2.
    let version = configuration.linkedSDK.drop { !$0.isNumber }
    let sdk = version.split(separator: ".").first.flatMap { Int($0) }
    return !configuration.exitsOnSuspend && (sdk ?? 4) >= 4
  }

  /// Whether the app gets the callbacks of scenes.
  func usesScenes(_ app: Int) -> Bool { apps[app].configuration.scenes && profile.hasScenes }

  /// Whether the next time in front connects a scene.
  func connectsScene(_ app: Int) -> Bool { usesScenes(app) && !apps[app].hasScene }

  /// The user goes to the app, wherever it is.
  ///
  /// Behind a URL or a tapped notification, which the app is handed on the way.
  func bringToFront(
    _ app: Int,
    cause: String,
    url: SystemEvent.OpenedURL? = nil,
    response: String? = nil
  ) {
    if let front, front != app { leaveFront(cause: "switch") }
    apps[app].reasons = []
    // The URL comes from another app, which was in front for a moment.
    var occasion = Occasion(apps[app].state == .active ? "switch" : cause)
    occasion.url = url
    occasion.response = response
    happen(url == nil && response == nil ? .open : .openURL, to: app, occasion)
  }

  // MARK: Interruptions

  func interrupt(_ reason: String) {
    guard let app = front else { return }
    if !apps[app].reasons.contains(reason) { apps[app].reasons.append(reason) }
    happen(.interruptionBegins, to: app, cause: reason)
  }

  func endInterruption(_ reason: String) {
    guard let app = front else { return }
    if let index = apps[app].reasons.firstIndex(of: reason) { apps[app].reasons.remove(at: index) }
    happen(.interruptionEnds, to: app, cause: "\(reason) over")
  }

  func acceptInterruption(_ reason: String) {
    if let front { happen(.interruptionAccepted, to: front, cause: reason) }
  }

  // MARK: Ends

  /// Ends the process; what was queued for it dies with it.
  func die(_ app: Int, _ death: Death) {
    guard apps[app].isAlive else { return }
    if death.isPurge { sampleMemory(of: app) }
    dropPending(app)
    tellKill(app, death)
    witnessHang(of: app)
    world.kill(app, death)
    lose(app)
  }

  /// The process is gone.
  func lose(_ app: Int) {
    apps[app].isPrewarmed = false
    guard apps[app].isAlive else { return }
    fall(app)
    dropPending(app)
    if front == app { front = nil }
    // What is launched behind the lock was not in front there.
    if frontAtLock == app { frontAtLock = nil }
    apps[app].forget()
  }
}
