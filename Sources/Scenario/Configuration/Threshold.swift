// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceRules
import LifetraceTrace

/// A limit that a project's `lifetrace.yml` may set, by the name that it has there.
///
///     for line in Threshold.table(of: .ios13) { print(line) }
package struct Threshold: Sendable {
  /// Its key below `thresholds:`.
  package let name: String
  /// What may take so long.
  private let what: String
  let path: any WritableKeyPath<Profile, Profile.Limit> & Sendable

  private init(
    _ name: String,
    _ path: any WritableKeyPath<Profile, Profile.Limit> & Sendable,
    _ summary: String
  ) {
    (self.name, self.path, what) = (name, path, summary)
  }

  /// What may take so long, and that no rule reads it, where none does.
  package var summary: String {
    let isRead = RuleTable.infos.contains { $0.thresholds.contains(name) }
    return isRead ? what : "\(what) (no rule judges it)"
  }

  /// The limit that `profile` has.
  package func limit(in profile: Profile) -> Profile.Limit { profile[keyPath: path] }

  /// Sets the limit to `time`, in nominal nanoseconds: from there on it is too slow, and the system
  /// acts.
  package func set(to time: Int64, in profile: inout Profile) {
    profile[keyPath: path].warn = time
    profile[keyPath: path].kill = time
  }

  /// All of them, in the order in which they are listed.
  package static let all = [
    Threshold("launch", \.launch, "from the start of the process to handling events"),
    Threshold("enter-background", \.enterBackground, "didEnterBackground"),
    Threshold(
      "transition",
      \.transition,
      "the other callbacks of a transition, a URL or a scene, on main"
    ),
    Threshold("terminate", \.terminate, "willTerminate"),
    Threshold("background-task", \.backgroundTask, "a background task, in the background"),
    Threshold("task-age", \.taskAge, "a background task that is held, in the foreground too"),
    Threshold("task-tail", \.taskTail, "work that goes on after its background task was ended"),
    Threshold("wake-handler", \.wakeHandler, "the handler of a fetch, push or URL-session wake"),
    Threshold("processing-task", \.processingTask, "a processing task"),
    Threshold("bluetooth-wake", \.bluetoothWake, "the handler of a Bluetooth wake"),
    Threshold("voip-report", \.voipReport, "from a VoIP push to the report of the call"),
    Threshold("expiration-handler", \.expirationHandler, "an expiration handler"),
    Threshold(
      "protected-files",
      \.protectedFiles,
      "protected files in use after a lock"
    ),
    Threshold(
      "wake-notifications",
      \.wakeNotifications,
      "the queued notifications of a wake"
    ),
    Threshold("main-file", \.mainFile, "file access on main"),
    Threshold("main-compute", \.mainCompute, "computing on main"),
    Threshold("launch-work", \.launchWork, "computing on main at a launch"),
    Threshold("checkpoint", \.checkpoint, "an edit without a checkpoint"),
    Threshold("undo", \.undo, "what is done on the way out, after didBecomeActive"),
    Threshold("frames", \.frames, "a stay in a state that shows how often the app draws"),
    Threshold("background-cpu", \.backgroundCPU, "computing all the time in the background"),
    Threshold("stuck-inactive", \.stuckInactive, "inactive without a reason"),
  ]

  /// The limits by which a rule judges: `protected-files 10 s`, `launch 5 s, and 20 s where it is worse`.
  package static func limits(of info: RuleInfo, _ profile: Profile) -> [String] {
    info.thresholds.compactMap { name in
      guard let threshold = all.first(where: { $0.name == name }) else { return nil }
      let limit = threshold.limit(in: profile)
      let (warn, kill) = (Quantity.duration(limit.warn), Quantity.duration(limit.kill))
      return warn == kill ? "\(name) \(warn)" : "\(name) \(warn), and \(kill) where it is worse"
    }
  }

  /// A line for each: its name, from when on it is too slow and the system acts, and what it is of.
  package static func table(of profile: Profile) -> [String] {
    let rows = all.map { threshold in
      let limit = threshold.limit(in: profile)
      return [
        threshold.name, Quantity.duration(limit.warn), Quantity.duration(limit.kill),
        threshold.summary,
      ]
    }
    let all = [["threshold", "warn", "kill", "of"]] + rows
    let widths = (0..<3).map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      zip(row, widths)
        .map { $0 + String(repeating: " ", count: $1 - $0.count) }
        .joined(separator: "  ") + "  " + row[3]
    }
  }
}
