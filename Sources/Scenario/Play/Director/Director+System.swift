// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceLifecycle
import LifetraceRules
import LifetraceTrace

// What the device and its user do to apps: wakes, locks, memory, and the several ways to end.

extension Director {
  // MARK: Wakes

  /// Wakes the app, or launches it for that; `isAsked` where the scenario says that it is launched.
  func wake(_ app: Int, _ reason: WakeReason, payload: String, isAsked: Bool = false) {
    var occasion = Occasion(reason.rawValue)
    occasion.wake = reason
    occasion.payload = payload
    if !apps[app].isAlive, let why = refusal(of: reason, by: app, isAsked: isAsked) {
      occasion.isRefused = true
      tell("the wake of `\(apps[app].name)` by \(reason.rawValue) was dropped: \(why)")
    }
    happen(.wake, to: app, occasion)
  }

  /// Why the system launches no app for the wake; nil where it does.
  ///
  /// Before the first unlock the guides have no launch in the background. Devices launch for VoIP
  /// pushes, as they have since iOS 4, and for locations: published bugs of apps show both.
  private func refusal(of reason: WakeReason, by app: Int, isAsked: Bool) -> String? {
    guard profile.hasMultitasking else { return "the device has no background" }
    guard !isAsked else { return nil }
    let advice = "`launch: {reason: \(reason.rawValue)}` launches it all the same"
    if awaitsFirstUnlock, reason != .voip, reason != .location {
      return "before the first unlock of the device calls and locations alone launch; \(advice)"
    }
    let launchesThrownOut = reason == .location && profile.locationsOutliveUserKill
    guard apps[app].thrownOut, !launchesThrownOut else { return nil }
    return "the user has thrown the app out and not opened it since; \(advice)"
  }

  /// Says what happens to no process: in the device's stream, and where the host runs.
  func tell(_ text: String) {
    note(text, about: nil)
    onNotice?(place, text)
  }

  /// Hands over the work; the app has until the deadline to call the completion.
  func begin(_ reason: WakeReason, in app: Int, payload: String) {
    lastWake += 1
    tellUndeclared(reason, app)
    let limit = profile.limit(ofWake: reason.rawValue)
    let code =
      switch reason {
      case .urlSession: TerminationCode.urlSession
      case .voip: TerminationCode.badCall
      default: TerminationCode.fetch
      }
    apps[app].wakes[lastWake] = PlayedApp.Wake(
      reason: reason,
      deadline: world.now + scaled(limit.kill),
      expireAt: reason == .processing
        ? world.now + scaled(limit.kill - profile.expirationLead) : .max,
      code: code,
      awaitsReport: reason == .voip
    )
    countBackground(app, since: limit)
    let seconds = Double(limit.kill) / 1_000_000_000
    deliver(
      .wake(reason: reason, id: lastWake, payload: payload, seconds: seconds),
      to: app,
      within: limit
    )
    settle(app)
  }

  /// The wake is played all the same where the app does not declare it: what it does then can be seen.
  private func tellUndeclared(_ reason: WakeReason, _ app: Int) {
    let configuration = apps[app].configuration
    let needed = BackgroundMode.needed(toWakeFor: reason.rawValue)
    // Who speaks the protocol alone may not have named its modes.
    guard configuration.records, !needed.isEmpty,
      !needed.contains(where: configuration.backgroundModes.contains)
    else { return }
    let mode = needed.joined(separator: " or ")
    tell(
      "`\(apps[app].name)` is woken by \(reason.rawValue), which no device does: \(mode) is not among "
        + "its background modes (UIBackgroundModes)"
    )
  }

  /// The app has called the completion of a wake; a VoIP wake is over only with its call reported.
  func complete(_ wake: UInt64, _ result: String, in app: Int) {
    guard let known = apps[app].wakes[wake], !known.isCompleted else {
      // Once too often: the rules judge that.
      guard apps[app].completed.contains(wake) else { return }
      return witness(in: app) { Payload.WakeCompletion(id: ofHost(wake), result: $0.name(result)) }
    }
    apps[app].wakes[wake]?.isCompleted = true
    apps[app].complete(wake)
    apps[app].hear(known.reason.rawValue)
    witness(in: app) { Payload.WakeCompletion(id: ofHost(wake), result: $0.name(result)) }
    apps[app].hear(result)
    // One that is only seen from outside may know no message for the report, unless it has sent one.
    if known.awaitsReport, apps[app].configuration.records || apps[app].saysReports { return }
    apps[app].wakes[wake] = nil
    settle(app)
  }

  /// The call of a VoIP wake is reported: from here on it has the time of any wake to complete.
  func reportCall(_ wake: UInt64, in app: Int) {
    guard let known = apps[app].wakes[wake], known.awaitsReport else {
      // Too late: its completion was taken for the report. The rules judge that.
      guard apps[app].completed.contains(wake), apps[app].wakes[wake] == nil else { return }
      apps[app].saysReports = true
      return witness(in: app) { Payload.WakeReported(id: ofHost(wake), call: $0.name("")) }
    }
    witness(in: app) { Payload.WakeReported(id: ofHost(wake), call: $0.name("")) }
    apps[app].saysReports = true
    apps[app].wakes[wake]?.awaitsReport = false
    let (limit, longer) = (profile.voipReport.kill, profile.wakeHandler.kill)
    apps[app].wakes[wake]?.deadline += scaled(max(0, longer - limit))
    guard known.isCompleted else { return }
    apps[app].wakes[wake] = nil
    settle(app)
  }

  // MARK: Lock

  func lock(passcode: Bool) {
    guard !isLocked else { return }
    isLocked = true
    lockedAt = world.now
    hasPasscode = passcode
    recordDevice("lock", lockValue)
    frontAtLock = front
    var occasion = Occasion("lock")
    occasion.change = protection(available: false)
    if let app = front { happen(.lock, to: app, occasion) }
    for app in apps.indices where app != frontAtLock { happen(.lock, to: app, occasion) }
  }

  func unlock() {
    guard isLocked else { return }
    isLocked = false
    awaitsFirstUnlock = false
    recordDevice("unlock")
    // An app that was opened while the device was locked is the one on the screen.
    if let front { frontAtLock = front }
    var occasion = Occasion("unlock")
    occasion.change = protection(available: true)
    for app in apps.indices where app != frontAtLock { happen(.unlock, to: app, occasion) }
    if let app = frontAtLock, apps[app].isAlive { happen(.unlock, to: app, occasion) }
    frontAtLock = nil
  }

  /// What a lock protects: the value of its event.
  var lockValue: String {
    awaitsFirstUnlock ? "before-first-unlock" : hasPasscode ? "passcode" : ""
  }

  // MARK: Memory

  func memoryWarning() {
    for app in apps.indices { sampleMemory(of: app) }
    recordDevice("memory-warning")
    for app in apps.indices { happen(.memoryWarning, to: app, cause: "memory") }
  }

  /// Takes memory: processes not launched yet, then suspended apps; then background ones, politely.
  ///
  /// The largest goes first among each.
  ///
  /// An app with nothing left to do in the background will be suspended in a moment, which is
  /// waited for.
  func relieve(apps count: Int) {
    for _ in 0..<count {
      let limit = world.now + scaled(11 * scenario.suspendAfter)
      _ = wait(until: limit) {
        !apps.contains { $0.state == .background && $0.suspendAt < .max && mayBeSuspended($0) }
      }
      if let ahead = apps.firstIndex(where: \.isPrewarmed) {
        end(ahead, .purge)
        continue
      }
      let sleeping = apps.indices.filter { apps[$0].state == .suspended }
      let working = apps.indices.filter { apps[$0].state == .background }
      if let victim = largest(of: sleeping) {
        end(victim, .purge)
      } else if let victim = largest(of: working) {
        end(victim, .system)
      } else {
        return memoryWarning()
      }
    }
  }

  private func largest(of some: [Int]) -> Int? {
    some.max { world.footprint(of: $0) < world.footprint(of: $1) }
  }

  /// Waits until the app is suspended, as it will be when nothing keeps it running.
  func waitForSuspension(_ app: Int) {
    guard apps[app].isAlive else { return fail("`\(apps[app].name)` is not running") }
    if apps[app].isFront { leaveFront(cause: "switch") }
    guard !apps[app].runsOn else {
      let modes = apps[app].configuration.backgroundModes.joined(separator: ", ")
      return fail(
        "`\(apps[app].name)` runs on in the background (\(modes)) and is not suspended",
        advice: "`purge: {how: jetsam}` ends it as it runs"
      )
    }
    let limit = world.now + scaled(profile.processingTask.kill)
    _ = wait(until: limit) { apps[app].state == .suspended || !apps[app].isAlive }
  }

  func purge(_ app: Int, how: String) {
    if apps[app].isPrewarmed { return end(app, .purge) }
    switch how {
    case "polite": end(app, .system)
    case "jetsam": end(app, .purge)
    default:
      waitForSuspension(app)
      if !apps[app].runsOn { end(app, .purge) }
    }
  }

  // MARK: Ends

  /// The user throws the app out of the switcher, which lies over it: it resigns, and is inactive.
  ///
  /// It does not go to the background first. Logs of scene apps that are thrown out from the front
  /// show sceneWillResignActive, sceneDidDisconnect and willTerminate, and no
  /// sceneDidEnterBackground; the guides only say that willTerminate comes "in the foreground or
  /// background".
  func userKill(_ app: Int) {
    if apps[app].isPrewarmed { return end(app, .user) }
    guard apps[app].isAlive else { return }
    if apps[app].preserved != nil {
      note("the state that it has preserved is thrown away: the user ends it", about: app)
    }
    apps[app].preserved = nil
    apps[app].thrownOut = true
    if apps[app].isFront { interrupt("app-switcher") }
    end(app, .user)
  }

  /// Everything ends without a word; a new device boot follows.
  ///
  /// Before the first unlock after it, protected files stay closed, and those too that are protected
  /// only until then.
  func reboot(locked: Bool) {
    recordDevice("reboot", number: Int64(deviceBoot) + 1)
    world.cutPower()
    for app in apps.indices { end(app, .reboot) }
    deviceBoot += 1
    do { try world.rebooted() } catch { trouble = error }
    isLocked = locked
    awaitsFirstUnlock = locked
    frontAtLock = nil
    front = nil
    inCall = false
    barHeightSet = Self.barHeightUsual
    guard locked else { return }
    lockedAt = world.now
    hasPasscode = true
    recordDevice("lock", lockValue)
  }
}
