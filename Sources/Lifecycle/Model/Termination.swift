// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// Why a process ended, as far as the model acts on it.
///
/// Whether willTerminate is called depends on the cause and on the state: see ``callsWillTerminate(in:profile:)``.
public enum TerminationCause: String, CaseIterable, Sendable, Hashable {
  /// The system ends the app politely: memory, update.
  case system
  /// The user swiped it away.
  case user
  /// The system took its memory, with a signal.
  case purge
  /// It left the foreground and may not run outside it.
  case exitsOnSuspend
  /// A deadline was missed.
  case watchdog
  /// A signal of its own making.
  case crash
  /// It was suspended holding a lock.
  case deadlock
  /// The device got too hot.
  case thermal
  /// The device was restarted.
  case reboot
  /// The device lost power.
  case powerLoss = "power-loss"
  /// It returned from main, or called exit.
  case exit

  /// Whether willTerminate is called when an app in `state` ends so.
  public func callsWillTerminate(in state: AppState, profile: Profile) -> Profile.Permission {
    guard state != .suspended, state != .notRunning else { return .mustNot }
    switch self {
    case .system: return .must
    case .exitsOnSuspend: return .must
    case .user: return profile.terminateOnUserKill
    case .purge, .watchdog, .crash, .deadlock, .thermal, .reboot, .powerLoss: return .mustNot
    case .exit: return .may
    }
  }
}

extension DurabilityLevel {
  /// What data had to reach to outlive an end of that cause: a reboot loses what only the kernel had.
  public static func surviving(_ cause: String) -> DurabilityLevel {
    switch TerminationCause(rawValue: cause) {
    case .reboot, .powerLoss: .disk
    default: .kernel
    }
  }
}

/// Ends that no device makes: the recording ends what still runs, and no user's data was at stake.
///
/// What was unsaved then is unsaved, not lost.
public enum HarnessEnd {
  /// The scenario is over.
  public static let scenarioOver = "harness"
  /// The recording was ended, by the user or by another request.
  public static let recordingEnded = "recording ended"

  /// Whether `cause` is one of them.
  public static func isOne(_ cause: String) -> Bool {
    cause == scenarioOver || cause == recordingEnded
  }
}

/// A termination code that the system leaves in a crash report.
public struct TerminationCode: Sendable, Hashable {
  /// The number in the crash report.
  public var code: UInt64
  /// Its nickname; may be empty.
  public var name: String
  /// The meaning of the code, in a few words.
  public var meaning: String

  /// The watchdog killed the app.
  public static let watchdog: UInt64 = 0x8bad_f00d
  /// A file lock held at suspension.
  public static let deadLock: UInt64 = 0xdead_10cc
  /// The device was too hot.
  public static let thermal: UInt64 = 0xc000_10ff
  /// A background task did not end in time.
  public static let backgroundTask: UInt64 = 0x2182_bad2
  /// The completion of a background URL session was not called in time.
  public static let urlSession: UInt64 = 0x2182_bad3
  /// The completion of a fetch, push or processing task was not called in time.
  public static let fetch: UInt64 = 0x2182_bad4
  /// A VoIP push was not followed by a call report.
  public static let badCall: UInt64 = 0xbaad_ca11

  /// The codes known to the documentation and to crash glossaries.
  public static let all: [TerminationCode] = [
    .init(watchdog, "ate bad food", "the watchdog killed it: a deadline was missed"),
    .init(deadLock, "dead lock", "it was suspended holding a file or database lock"),
    .init(thermal, "cool off", "the device was too hot"),
    .init(backgroundTask, "", "a background task did not complete in time"),
    .init(urlSession, "", "background URL-session events were not completed in time"),
    .init(fetch, "", "a fetch or a processing task did not complete in time"),
    .init(badCall, "bad call", "a VoIP push came and no call was reported"),
    .init(0xbad2_2222, "", "a VoIP app was resumed too often"),
    .init(0xbaaa_aaad, "", "no crash: a snapshot of all stacks"),
    .init(0xdead_fa11, "dead fall", "the user forced it to quit"),
    .init(0xc51b_ad01, "", "a watch app used too much CPU"),
    .init(0xc51b_ad02, "", "a watch app used too much time"),
    .init(0xc51b_ad03, "", "a watch app was not given the time to finish"),
    .init(0xbadd_d15c, "bad disc", "the system needed disk space"),
  ]

  /// Whether the system ends an app with it for what the app did or left undone.
  ///
  /// Not where the user forced it to quit, where space was needed, and for a mere snapshot.
  public var isFault: Bool { ![0xbaaa_aaad, 0xdead_fa11, 0xbadd_d15c].contains(code) }

  /// The entry of `code`, or nil.
  public static func named(_ code: UInt64) -> TerminationCode? { all.first { $0.code == code } }

  private init(_ code: UInt64, _ name: String, _ meaning: String) {
    self.code = code
    self.name = name
    self.meaning = meaning
  }
}

/// Why the kernel's memory monitor kills, by the code that an exit status in the jetsam domain carries.
public enum JetsamReason {
  /// The names that reports use, by index; empty for an index without one.
  public static let names = [
    "", "jettisoned", "highwater", "vnode-limit", "vm-pageshortage", "proc-thrashing",
    "fc-thrashing", "per-process-limit", "disk-space-shortage", "idle-exit",
    "zone-map-exhaustion", "vm-compressor-thrashing", "vm-compressor-space-shortage", "low-swap",
    "sustained-memory-pressure", "vm-pageout-starvation", "", "long-idle-exit",
  ]

  /// The process used more memory than it may, whatever the others did.
  public static let overLimit = "per-process-limit"

  /// The name of `code`, or nil.
  public static func name(_ code: UInt64) -> String? {
    guard code < UInt64(names.count), !names[Int(code)].isEmpty else { return nil }
    return names[Int(code)]
  }

  /// The code of a reason; 0, which no reason has, for a word that is none.
  public static func code(of name: String) -> UInt64 {
    name.isEmpty ? 0 : UInt64(names.firstIndex(of: name) ?? 0)
  }
}
