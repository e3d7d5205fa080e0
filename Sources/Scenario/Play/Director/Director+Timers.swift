// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceLifecycle
import LifetraceRules
import LifetraceTrace

// What the system does by itself when time comes: suspend, expire, kill. Nothing here waits for an
// app, so that one app's misbehaviour never delays another's deadline.

extension Director {
  /// The next moment at which ``runTimers()`` has something to do.
  var nextTimer: Int64 {
    var next = Int64.max
    for (index, app) in apps.enumerated() where app.state == .background {
      guard !world.isCrashing(index) else { continue }
      if app.awaited == nil, mayBeSuspended(app) { next = min(next, app.suspendAt) }
      if !app.tasks.isEmpty { next = min(next, app.expireAt, app.killAt) }
      for wake in app.wakes.values { next = min(next, wake.deadline, wake.expireAt) }
    }
    return next
  }

  func mayBeSuspended(_ app: PlayedApp) -> Bool {
    app.tasks.isEmpty && app.wakes.isEmpty && !app.runsOn
  }

  func runTimers() {
    let now = world.now
    for app in apps.indices where apps[app].state == .background && !world.isCrashing(app) {
      forgetPassedWakes(of: app, now)
      releaseUnfollowed(app, now)
      expireWakes(of: app, now)
      if let late = apps[app].wakes.values.first(where: { $0.deadline <= now }) {
        end(app, .watchdog, code: late.code)
      } else if !apps[app].tasks.isEmpty, apps[app].expireAt <= now {
        apps[app].expireAt = .max
        // An app that is notified late, because the machine was busy or the task is new, has its
        // time from then on; but one that was notified before gets no more time for it.
        if !isOverdue(app) {
          apps[app].killAt = max(apps[app].killAt, now + scaled(profile.expirationLead))
        }
        happen(.taskTimeUp, to: app, cause: "task")
      } else if !apps[app].tasks.isEmpty, apps[app].killAt <= now {
        end(app, .watchdog, code: TerminationCode.backgroundTask)
      } else if apps[app].awaited == nil, mayBeSuspended(apps[app]), apps[app].suspendAt <= now {
        if now < apps[app].suspendBy, world.waitsForProcessor(app) {
          apps[app].suspendAt = now + scaled(scenario.suspendAfter / 4)
        } else {
          happen(.backgroundWorkDone, to: app, cause: "idle")
        }
      }
    }
  }

  /// A wake that leaves nothing to be killed for is over when its time is: the app may be suspended.
  private func forgetPassedWakes(of app: Int, _ now: Int64) {
    let passed = apps[app].wakes.filter { $0.value.deadline <= now && $0.value.mayPass }
    guard !passed.isEmpty else { return }
    for wake in passed.keys { apps[app].wakes[wake] = nil }
    settle(app)
  }

  /// A processing wake is notified that its time is nearly over, as a task is.
  private func expireWakes(of app: Int, _ now: Int64) {
    for (id, wake) in apps[app].wakes where wake.expireAt <= now {
      apps[app].wakes[id]?.expireAt = .max
      world.send(.expireWake(id), number: 0, to: app, due: wake.deadline)
    }
  }

  /// Unseen work may have ended the tasks and answered the wakes.
  ///
  /// When their time is up they count as over, since an app must not be killed for omitting what it
  /// may have done.
  private func releaseUnfollowed(_ app: Int, _ now: Int64) {
    let isUp = !apps[app].tasks.isEmpty && min(apps[app].expireAt, apps[app].killAt) <= now
    let late = apps[app].wakes.filter { $0.value.deadline <= now }
    guard isUp || !late.isEmpty, !world.isFollowed(app) else { return }
    for wake in late.keys { apps[app].wakes[wake] = nil }
    if isUp { apps[app].tasks = [:] }
    note("work that is not simulated may have ended what was open: it is taken as over", about: app)
    settle(app)
  }

  /// The app runs in the background from now on, and its time is counted.
  func countBackground(_ app: Int) {
    let now = world.now
    let limit = profile.backgroundTask.kill
    suspendSoon(app)
    // In a lasting mode the remaining time is the greatest value, and tasks are granted.
    guard !apps[app].runsOn else { return forgetBackground(app) }
    apps[app].expireAt = now + scaled(limit - profile.expirationLead)
    apps[app].killAt = now + scaled(limit)
  }

  /// The app is suspended when it has had a moment: one that does not run as the machine has other
  /// things to do is given ten times as much at most.
  func suspendSoon(_ app: Int) {
    apps[app].suspendAt = world.now + scaled(scenario.suspendAfter)
    apps[app].suspendBy = world.now + scaled(10 * scenario.suspendAfter)
  }

  /// The app's time in the background is no longer counted: what is left of an earlier stay says
  /// nothing of the next.
  func forgetBackground(_ app: Int) {
    apps[app].expireAt = .max
    apps[app].killAt = .max
  }

  /// A service of the app begins or stops: where that is all that it runs on, its time is counted, or
  /// no longer.
  func change(service mode: String, runs: Bool, of app: Int) {
    let before = apps[app].runsOn
    apps[app].services[mode] = runs
    guard apps[app].state == .background, apps[app].runsOn != before else { return }
    before ? countBackground(app) : forgetBackground(app)
  }

  /// Whether a task is open whose expiry was announced.
  private func isOverdue(_ app: Int) -> Bool {
    apps[app].tasks.values.contains(where: \.isExpired)
  }

  /// The system has woken an app that runs in the background: its time begins anew, as the app counts
  /// it too, and is never less than that of the wake.
  func countBackground(_ app: Int, since wake: Profile.Limit) {
    guard apps[app].state == .background, !apps[app].runsOn, !isOverdue(app) else {
      return
    }
    let time = max(profile.backgroundTask.kill, wake.kill)
    let now = world.now
    apps[app].expireAt = max(
      now + scaled(time - profile.expirationLead),
      finite(apps[app].expireAt)
    )
    apps[app].killAt = max(now + scaled(time), finite(apps[app].killAt))
  }

  private func finite(_ time: Int64) -> Int64 { time == .max ? 0 : time }

  /// A task begins: where the time of the others is up already, so is its own, announced at once.
  func countTask(_ app: Int) {
    guard apps[app].state == .background, apps[app].killAt != .max else { return }
    if apps[app].expireAt == .max { apps[app].expireAt = world.now }
  }

  /// Stops the app, whatever it does at the moment.
  func suspend(_ app: Int) {
    guard apps[app].state == .background else { return }
    apps[app].suspendAt = .max
    guard world.suspend(app) else { return }
    apps[app].state = .suspended
    seenFromOutside(.suspend, of: app)
  }
}
