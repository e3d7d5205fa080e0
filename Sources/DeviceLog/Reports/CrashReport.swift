// SPDX-License-Identifier: Apache-2.0
internal import LifetraceLifecycle
internal import LifetraceTrace

/// What a crash report says of the end of a process, whichever its form.
struct CrashReport {
  var process = ""
  var pid: UInt32 = 0
  /// The bundle id; empty where it is not said.
  var bundle = ""
  var version = ""
  var system = ""
  var launched: ReportTime?
  var ended: ReportTime?
  /// `EXC_BAD_ACCESS (SIGSEGV)`, and what stands behind it.
  var exception = ""
  /// `FRONTBOARD`, `SIGNAL`.
  var namespace = ""
  var code: UInt64?
  /// All words of the termination, one behind the other.
  var explanation = ""
  /// The top of the stack of the thread that it names, and which thread that is.
  var frames: [String] = []
  var thread = ""
  /// The lines of the file in which they stand.
  var line: UInt32 = 1

  /// Frames that are kept.
  static let framesMax = 8
}

// MARK: - What follows from the words

extension CrashReport {
  /// The deadline that was missed: `scene-update`, `process-launch`.
  var watchdog: String? {
    guard code == TerminationCode.watchdog else { return nil }
    if let event = value("WatchdogEvent: ") { return event }
    return explanation.cut(at: " watchdog transgression")?.before.split(separator: " ").last
      .map { String($0.split(separator: ":").last ?? $0) }
  }

  /// The time that it allows, in nanoseconds.
  var allowance: Int64? {
    guard let rest = explanation.cut(at: "time allowance of ")?.behind,
      let seconds = Double(rest.prefix { $0.isNumber || $0 == "." }), seconds < 86_400
    else { return nil }
    return Int64(seconds * 1e9)
  }

  /// `Foreground`, `Background`, as the watchdog and as the process had it.
  var watchdogVisibility: String? { value("WatchdogVisibility: ") }
  var visibility: String? { value("ProcessVisibility: ") }
  var isSuspended: Bool { value("ProcessState: ") == "Suspended" }

  /// Whether the process was killed while it was launched.
  var isLaunch: Bool {
    guard let watchdog, let launched, let ended else { return false }
    if watchdog == "process-launch" { return true }
    // A scene is created at the launch, and later.
    return watchdog == "scene-create" && ended.time - launched.time < 2 * (allowance ?? 0)
  }

  /// How long background tasks were permitted, where the process was killed for one.
  var permitted: Int64? {
    if explanation.contains("has active assertions beyond permitted time") {
      if let rest = explanation.cut(at: "permittedBackgroundDuration: ")?.behind
        ?? explanation.cut(at: "(finishTask:")?.behind,
        let seconds = Double(rest.prefix { $0.isNumber || $0 == "." })
      {
        return Int64(min(seconds, 86_400) * 1e9)
      }
      return Profile.ios7.backgroundTask.kill
    }
    return code == TerminationCode.backgroundTask ? Profile.ios13.backgroundTask.kill : nil
  }

  /// The name of the assertion that was held.
  var assertion: String {
    guard let rest = explanation.cut(at: "Shared Background Assertion ")?.behind else { return "" }
    return "Shared Background Assertion "
      + rest.prefix { $0 != "\"" && $0 != "\u{201D}" && $0 != ">" && $0 != "|" }
  }

  /// The number of the signal in `EXC_BAD_ACCESS (SIGSEGV)`, as Darwin counts.
  var signal: Int64? {
    let numbers: [(String, Int64)] = [
      ("SIGILL", 4), ("SIGTRAP", 5), ("SIGABRT", 6), ("SIGEMT", 7), ("SIGFPE", 8), ("SIGKILL", 9),
      ("SIGBUS", 10), ("SIGSEGV", 11), ("SIGSYS", 12), ("SIGPIPE", 13), ("SIGTERM", 15),
      ("SIGQUIT", 3),
    ]
    return numbers.first { exception.contains($0.0) }?.1
  }

  /// The domain of the exit status that runningboardd has for the namespace.
  var domain: Int64 {
    switch namespace.uppercased() {
    case "JETSAM": 1
    case "SIGNAL": 2
    case "DYLD": 6
    case "SPRINGBOARD", "FRONTBOARD": 10
    case "RUNNINGBOARD": 15
    default: 0
    }
  }

  private func value(_ key: String) -> String? {
    guard let rest = explanation.cut(at: key)?.behind else { return nil }
    let value = rest.prefix { $0 != "|" && $0 != "\n" && $0 != ">" }
      .split(separator: " ").first.map(String.init)
    return value.flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension String {
  /// What stands before the first `words` and what behind them, or nil.
  func cut(at words: String) -> (before: Substring, behind: Substring)? {
    firstRange(of: words).map { (self[..<$0.lowerBound], self[$0.upperBound...]) }
  }
}
