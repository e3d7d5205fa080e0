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
  package let measure: Measure

  /// What a limit is in, and where a profile has it.
  package enum Measure: Sendable {
    /// A length of time.
    case time(any WritableKeyPath<Profile, Profile.Limit> & Sendable)
    /// A size in bytes.
    case bytes(any WritableKeyPath<Profile, UInt64> & Sendable)
    /// A share of a whole, from 0 to 1.
    case share(any WritableKeyPath<Profile, Double> & Sendable)
    /// How many.
    case count(any WritableKeyPath<Profile, Int> & Sendable)
  }

  private init(_ name: String, _ measure: Measure, _ summary: String) {
    (self.name, self.measure, what) = (name, measure, summary)
  }

  private init(
    _ name: String,
    _ path: any WritableKeyPath<Profile, Profile.Limit> & Sendable,
    _ summary: String
  ) { self.init(name, .time(path), summary) }

  /// What may take so long, and that no rule reads it, where none does.
  package var summary: String {
    let isRead = RuleTable.infos.contains { $0.thresholds.contains(name) }
    return isRead ? what : "\(what) (no rule judges it)"
  }

  /// The lengths of time that `profile` has; nil for a limit of another measure.
  package func limit(in profile: Profile) -> Profile.Limit? {
    if case .time(let path) = measure { profile[keyPath: path] } else { nil }
  }

  /// Sets a length of time to `time`, in nominal nanoseconds: from there on it is too slow, and the
  /// system acts.
  package func set(to time: Int64, in profile: inout Profile) {
    guard case .time(let path) = measure else { return }
    profile[keyPath: path].warn = time
    profile[keyPath: path].kill = time
  }

  /// From when on `profile` warns, and from when on it is worse, in words.
  package func words(_ profile: Profile) -> (warn: String, kill: String) {
    switch measure {
    case .time(let path):
      let limit = profile[keyPath: path]
      return (Quantity.duration(limit.warn), Quantity.duration(limit.kill))
    case .bytes(let path): return both(Quantity.bytes(profile[keyPath: path]))
    case .share(let path): return both("\(Int((profile[keyPath: path] * 100).rounded())) %")
    case .count(let path): return both("\(profile[keyPath: path])")
    }
  }

  private func both(_ words: String) -> (warn: String, kill: String) { (words, words) }

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
    Threshold("hang", \.hang.felt, "main blocked while the app is active"),
    Threshold("frames", \.frames, "a stay in a state that shows how often the app draws"),
    Threshold(
      "unthrottled-frames",
      .share(\.unthrottledFrames),
      "frames of an inactive app, of those of the active one"
    ),
    Threshold("background-cpu", \.backgroundCPU, "computing all the time in the background"),
    Threshold("busy-share", .share(\.busyShare), "computing, of the time in the background"),
    Threshold("large-footprint", .bytes(\.largeFootprint), "memory that is worth releasing"),
    Threshold("kept-footprint", .share(\.keptFootprint), "memory kept, of what an active app had"),
    Threshold(
      "pile",
      .count(\.pile),
      "chains of delayed work side by side, ticks of a timer at once"
    ),
    Threshold("stuck-inactive", \.stuckInactive, "inactive without a reason"),
  ]

  /// Those that are lengths of time.
  package static let deadlines = all.filter { $0.limit(in: .standard) != nil }

  /// The limits by which a rule judges: `protected-files 10 s`, `launch 5 s, and 20 s where it is worse`.
  package static func limits(of info: RuleInfo, _ profile: Profile) -> [String] {
    info.thresholds.compactMap { name in
      guard let threshold = all.first(where: { $0.name == name }) else { return nil }
      let (warn, kill) = threshold.words(profile)
      return warn == kill ? "\(name) \(warn)" : "\(name) \(warn), and \(kill) where it is worse"
    }
  }

  /// A line for each: its name, from when on it is too slow and the system acts, and what it is of.
  package static func table(of profile: Profile) -> [String] {
    let rows = all.map { threshold in
      let (warn, kill) = threshold.words(profile)
      return [threshold.name, warn, kill, threshold.summary]
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
