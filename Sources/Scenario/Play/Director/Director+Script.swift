// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
import LifetraceTrace

// A launch step may say that its process ends right behind an event. Behind those of its own the
// process does it by itself; behind what only the system sees of it, the director does.

extension Director {
  /// The step begins a process that ends as it says; one that lives already is left alone.
  func plan(_ step: Scenario.Step, _ app: Int) {
    apps[app].hasFallen = false
    if !apps[app].isAlive { apps[app].script = ScriptedEnd(step) }
  }

  /// Whether the step is about an app that has ended so, and is not started by it again.
  func isPassedOver(_ step: Scenario.Step) -> Bool {
    guard apps[current].hasFallen else { return false }
    switch step.name {
    case .launch, .relaunch, .open, .openURL, .wake, .prewarm, .unlock: return false
    // What is expected of the verdicts holds for the whole of it.
    case .expect: return step["that"]?.contains("violation") != true
    default: return true
    }
  }

  /// The play is over: says which ends never came, as their events did not, or are none that the process
  /// itself, or the system, could end it behind.
  func tellPlannedEnds() {
    for app in apps.indices {
      guard let script = apps[app].script, apps[app].isAlive, let event = script.event else {
        continue
      }
      let why =
        apps[app].configuration.records || script.isSeenFromOutside
        ? "that did not come often enough"
        : "the process reported that not often enough; what the host writes about it takes it nowhere"
      tell("`\(apps[app].name)` was not ended behind \(event.text): \(why)")
    }
  }

  /// The process of the app is gone: whether it was as its launch step had said.
  @discardableResult
  func fall(_ app: Int) -> Bool {
    guard let script = apps[app].script else { return false }
    apps[app].script = nil
    guard world.hasEndedAsPlanned(app) else { return false }
    fall(app, script)
    return true
  }

  private func fall(_ app: Int, _ script: ScriptedEnd) {
    apps[app].hasFallen = true
    if let last = report.starts.lastIndex(where: { $0.app == app }) {
      report.starts[last].fell = script
      report.starts[last].toldSince = apps[app].configuration.records ? nil : apps[app].toldSince
    }
    switch script.act {
    case .kill:
      apps[app].preserved = nil
      apps[app].thrownOut = true
    case .reboot: restarts = true
    case .purge, .crash: break
    }
  }

  /// The system has seen something of the app, which it cannot know: it may be its end.
  func seenFromOutside(_ kind: EventKind, of app: Int) {
    guard apps[app].isAlive, var script = apps[app].script, script.event?.kind == kind else {
      return
    }
    script.count -= 1
    apps[app].script = script
    guard script.count == 0 else { return }
    apps[app].script = nil
    fall(app, script)
    restarts = false
    script.act == .reboot ? reboot(locked: false) : end(app, script.act.cause)
  }

  /// The device restarts, as a process that has ended so wanted it.
  func restart() {
    restarts = false
    reboot(locked: false)
  }
}

extension ScriptedEnd.Act {
  var cause: TerminationCause {
    switch self {
    case .purge: .purge
    case .kill: .user
    case .crash: .crash
    case .reboot: .reboot
    }
  }
}

extension ScriptedEnd {
  /// What stands in the trace of it.
  package var death: Death {
    let cause = act.cause
    return Death(
      cause: cause.rawValue,
      code: cause == .crash ? 11 : nil,
      isPurge: cause == .purge
    )
  }
}
