// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
import LifetraceTrace

/// A limit that a project's `lifetrace.yml` may set, by the name that it has there.
///
///     for line in Threshold.table(of: .ios13) { print(line) }
package struct Threshold: Sendable {
  /// Its key below `thresholds:`.
  package let name: String
  /// What may take so long.
  package let summary: String
  let path: any WritableKeyPath<Profile, Profile.Limit> & Sendable

  private init(
    _ name: String,
    _ path: any WritableKeyPath<Profile, Profile.Limit> & Sendable,
    _ summary: String
  ) {
    (self.name, self.path, self.summary) = (name, path, summary)
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
      "protected files in use after a lock (no rule judges it)"
    ),
    Threshold(
      "wake-notifications",
      \.wakeNotifications,
      "the queued notifications of a wake (no rule judges it)"
    ),
    Threshold("main-file", \.mainFile, "file access on main"),
    Threshold("main-compute", \.mainCompute, "computing on main"),
    Threshold("checkpoint", \.checkpoint, "an edit without a checkpoint"),
    Threshold("stuck-inactive", \.stuckInactive, "inactive without a reason (no rule judges it)"),
  ]

  /// A line for each: its name, from when on it is too slow and the system acts, and what it is of.
  package static func table(of profile: Profile) -> [String] {
    let rows = all.map { threshold in
      let limit = profile[keyPath: threshold.path]
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
