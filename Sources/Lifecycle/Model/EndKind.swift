// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// How a process came to its end, as far as anybody is to blame for it.
///
///     EndKind(cause: "signal", code: 11, isImported: false)     // .crash("SIGSEGV")
///
/// The normal ends of an app (a purge while it is suspended, the user, a restart of the device, its
/// own exit) and those that the harness makes are one kind: nothing went wrong.
public enum EndKind: Sendable, Hashable {
  /// The system killed it for what it did, with the code that it leaves, 0 where it left none.
  case kill(UInt64)
  /// A fault of its own ended it: the name of the signal.
  case crash(String)
  /// It was sent a signal, and the sender is not recorded: the signal's name.
  case signal(String)
  /// The cause of the end is unknown.
  case unknown
  /// The way of life of apps, or of tests.
  case ordinary

  /// The kind of an end that the trace records with `cause` and `code`.
  ///
  /// An end whose cause is a crash is one where a log reports it; elsewhere a scenario has ordered
  /// it. In a log the signals have Darwin's numbers.
  public init(cause: String, code: UInt64, isImported: Bool) {
    switch cause {
    case "unknown", "": self = .unknown
    case "signal": self = Self.ofSignal(code, isImported: isImported)
    case "crash" where isImported: self = .crash("")
    case "jetsam", JetsamReason.overLimit:
      let isOver = cause != "jetsam" || JetsamReason.name(code) == JetsamReason.overLimit
      self = isOver ? .kill(0) : .ordinary
    case "background-task-timeout", "locked-file": self = .kill(code)
    default: self = Self.ofCause(cause, code)
    }
  }

  /// Whether a fault of its own ended it.
  public var isCrash: Bool { if case .crash = self { true } else { false } }

  private static func ofSignal(_ number: UInt64, isImported: Bool) -> EndKind {
    if isImported {
      let darwin: [UInt64: String] = [7: "SIGEMT", 10: "SIGBUS", 12: "SIGSYS"]
      if let name = darwin[number] { return .crash(name) }
    }
    let name = SignalName.of(number) ?? "signal \(number)"
    if CrashSignal.all.contains(name) { return .crash(name) }
    // Signals from the user's keyboard, or from a closing terminal, have no sender to look for.
    return ["SIGINT", "SIGQUIT", "SIGHUP"].contains(name) ? .ordinary : .signal(name)
  }

  private static func ofCause(_ cause: String, _ code: UInt64) -> EndKind {
    switch TerminationCause(rawValue: cause) {
    case .watchdog, .deadlock, .thermal: .kill(code)
    case nil where TerminationCode.named(code)?.isFault == true: .kill(code)
    default: .ordinary
    }
  }
}

/// The signals with which the processor, the kernel or the runtime ends a process for its own fault.
public enum CrashSignal {
  /// By name: numbers differ between systems.
  public static let all: Set<String> = [
    "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS", "SIGPIPE", "SIGXCPU",
    "SIGXFSZ",
  ]
}
