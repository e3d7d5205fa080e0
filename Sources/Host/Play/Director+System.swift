// SPDX-License-Identifier: Apache-2.0
import HostWire
import Lifecycle
import Recorder
import Trace

// What the device and its user do to apps: wakes, locks, memory, and the several ways to end.

extension Director {
  // MARK: Wakes

  func wake(_ app: Int, _ step: Scenario.Step) throws(HostError) {
    guard let reason = WakeReason(rawValue: step["reason"] ?? "") else { return }
    if apps[app].state == .notRunning {
      // An app that the user threw out is launched again for a location only.
      if apps[app].thrownOut, reason != .location { return }
      try start(app, reason: reason.rawValue, wake: reason)
    } else {
      wakeUp(app, reason: reason.rawValue)
    }
    guard apps[app].isAlive else { return }
    begin(reason, in: app, payload: step["payload"] ?? "")
  }

  /// Hands over the work; the app has until the deadline to call the completion.
  func begin(_ reason: WakeReason, in app: Int, payload: String) {
    lastWake += 1
    let (limit, code): (Profile.Limit, UInt64) =
      switch reason {
      case .push, .fetch, .location: (profile.wakeHandler, KillCode.fetch)
      case .urlSession: (profile.wakeHandler, KillCode.urlSession)
      case .bluetooth: (profile.bluetoothWake, KillCode.fetch)
      case .voip: (profile.voipReport, KillCode.badCall)
      case .processing: (profile.processingTask, KillCode.fetch)
      }
    apps[app].wakes[lastWake] = PlayedApp.Wake(
      reason: reason,
      deadline: world.now + scaled(limit.kill),
      code: code
    )
    deliver(.wake(reason: reason, id: lastWake, payload: payload), to: app, within: limit)
    settle(app)
  }

  // MARK: Lock

  func lock(passcode: Bool) {
    guard !isLocked else { return }
    isLocked = true
    recordDevice("lock", passcode ? "passcode" : "")
    frontAtLock = front
    leaveFront(cause: "lock")
    if passcode { changeProtectedData(available: false) }
  }

  func unlock() throws(HostError) {
    guard isLocked else { return }
    isLocked = false
    recordDevice("unlock")
    changeProtectedData(available: true)
    if let app = frontAtLock, apps[app].isAlive { try bringToFront(app, cause: "unlock") }
    frontAtLock = nil
  }

  // MARK: Memory

  func memoryWarning() {
    recordDevice("memory-warning")
    for app in apps.indices where apps[app].executes { deliver(.memoryWarning, to: app) }
  }

  /// Takes memory: suspended apps first, the largest first; then background ones, politely.
  func relieve(apps count: Int) {
    for _ in 0..<count {
      let sleeping = apps.indices.filter { apps[$0].state == .suspended }
      let working = apps.indices.filter { apps[$0].state == .background }
      if let victim = sleeping.max(by: { world.footprint(of: $0) < world.footprint(of: $1) }) {
        die(victim, Death(cause: "purge", isPurge: true))
      } else if let victim = working.first {
        terminate(victim, cause: "system")
      } else {
        return memoryWarning()
      }
    }
  }

  /// Waits until the app is suspended, as it will be when nothing keeps it running.
  func waitForSuspension(_ app: Int) {
    guard apps[app].isAlive else { return fail("`\(apps[app].name)` is not running") }
    if apps[app].isFront { leaveFront(cause: "switch") }
    let limit = world.now + scaled(profile.processingTask.kill)
    _ = wait(until: limit) { apps[app].state == .suspended || !apps[app].isAlive }
  }

  func purge(_ app: Int, how: String) {
    guard apps[app].isAlive else { return fail("`\(apps[app].name)` is not running") }
    switch how {
    case "polite": terminate(app, cause: "system")
    case "jetsam": die(app, Death(cause: "purge", isPurge: true))
    default:
      if apps[app].isFront { leaveFront(cause: "switch") }
      waitForSuspension(app)
      die(app, Death(cause: "purge", isPurge: true))
    }
  }

  // MARK: Ends

  /// The user throws the app out of the switcher.
  func userKill(_ app: Int) {
    guard apps[app].isAlive else { return }
    apps[app].preserved = nil
    apps[app].thrownOut = true
    if apps[app].isFront {
      interrupt("app-switcher")
    }
    if apps[app].executes, profile.terminateOnUserKill != .mustNot {
      terminate(app, cause: "user")
    } else {
      die(app, Death(cause: "user"))
    }
  }

  /// Everything ends without a word; a new device boot follows.
  func reboot() {
    recordDevice("reboot", number: Int64(deviceBoot) + 1)
    for app in apps.indices where apps[app].isAlive { die(app, Death(cause: "reboot")) }
    deviceBoot += 1
    world.rebooted()
    isLocked = false
    frontAtLock = nil
    front = nil
    inCall = false
  }
}
