// SPDX-License-Identifier: Apache-2.0

/// The state of an app, as the operating system sees it.
///
/// The five states are those of the iPhone programming guides; `unknown` is the
/// trace's own: before the first evidence, and after a loss in the state family.
@frozen
public enum AppState: UInt8, CaseIterable, Sendable {
  case unknown = 0
  case notRunning = 1
  case inactive = 2
  case active = 3
  case background = 4
  case suspended = 5
}

/// What a span of work does.
///
/// The short words of the rules map to these.
public enum WorkKind: UInt8, CaseIterable, Sendable {
  case other = 0
  case ui = 1
  case network = 2
  case file = 3
  case database = 4
  case compute = 5
  case gl = 6
}

/// What a stored version survives: a purge loses `process`, a power cut `kernel`.
public enum DurabilityLevel: UInt8, CaseIterable, Comparable, Sendable, BitwiseCopyable {
  case process = 0
  case kernel = 1
  case disk = 2
  case remote = 3

  /// Ordered by how much the data survives.
  public static func < (left: DurabilityLevel, right: DurabilityLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// What a resource event is about.
public enum ResourceClass: UInt8, CaseIterable, Sendable {
  case other = 0
  /// A file or database lock; the attribute is `shared` or `private` by its directory.
  case lock = 1
  /// An open file; the attribute is its data protection class.
  case file = 2
  case timer = 3
  case socket = 4
  /// A metadata query.
  case query = 5
  case media = 6
  case gl = 7
  case temporaryFile = 8
  case cache = 9
  /// A view shown; the attribute is `sensitive` where it is.
  case view = 10
  case alert = 11
  /// The deferred write of a debounced save.
  case pendingSave = 12
}

extension ResourceClass {
  /// The resource that an import holds while its log does not rule out that the system suspends the app.
  public static let suspensionPossible = "suspension possible"
}

/// What a note of the recorder itself is about, as the name of its site.
public enum RecorderNote {
  /// A process that links the SDK could not join: the text says which and why, and the
  /// identity is the lower half of its writer, where that is known.
  public static let notJoined = "not joined"
}

/// How the end of a process is known that nobody saw, as `process.exit` says it.
public enum ExitEvidence {
  /// It ended between its last event and a recovery.
  public static let goneAtRecovery = "gone at recovery"
  /// A log names another process of the app; this one wrote until the time of its exit.
  public static let behindLastLine = "a successor; it wrote until here"
  /// A log names another process of the app; this one may have been suspended before.
  public static let beforeSuccessor = "a successor; it may have been suspended"

  /// Where such an end lies, seen from its event, and why that is known; nil for one that was seen.
  public static func words(_ evidence: String) -> (place: String, reason: String)? {
    let successor = "gone by the time the log names its successor"
    return switch evidence {
    case goneAtRecovery: ("from here on", "it was gone when the recording was recovered")
    case behindLastLine: ("from here on", successor)
    case beforeSuccessor: ("up to here", successor)
    default: nil
    }
  }
}

/// How grave a line of a log is.
public enum LogLevel: UInt8, CaseIterable, Sendable {
  case debug = 0
  case info = 1
  case notice = 2
  case error = 3
  case fault = 4
}

/// The role of a process; life-cycle rules apply to `app`.
public enum ProcessRole: UInt8, CaseIterable, Sendable {
  case app = 0
  case `extension` = 1
  case daemon = 2
  case server = 3
  case harness = 4
  /// Seen by the recorder only: it does not link the SDK.
  case bystander = 5
}

/// Who saw an event.
public enum Observer: UInt8, CaseIterable, Sendable {
  /// The process that the event is about, through the SDK.
  case own = 0
  /// The recorder: pidfd, wait status, /proc.
  case recorder = 1
  /// The host that plays the system.
  case host = 2
  /// An importer read it in a log.
  case `import` = 3
  /// Nobody: it follows from other events, or from a gap.
  case inferred = 4
}
