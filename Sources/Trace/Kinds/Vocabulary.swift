// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

/// The family of a kind: losses are counted by family, and a loss taints only the ledger of its own
/// family.
public enum EventFamily: UInt8, CaseIterable, Sendable {
  case process = 0
  case state = 1
  case callback = 2
  case notification = 3
  case wake = 4
  case work = 5
  case task = 6
  case deadline = 7
  case data = 8
  case resource = 9
  case device = 10
  case message = 11
  case test = 12
  case meta = 13
  /// A kind that this version does not know.
  case unknown = 14
}

/// The state of an app, as the operating system sees it.
///
/// The five states are those of the iPhone programming guides; `unknown` is the trace's own: before
/// the first evidence, and after a loss in the state family.
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
public enum WorkKind: UInt8, CaseIterable, Sendable {
  case other = 0
  case ui = 1
  case network = 2
  case file = 3
  case database = 4
  case compute = 5
  case gl = 6
}

/// What a stored version survives.
public enum DurabilityLevel: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  /// In memory: a purge loses it.
  case process = 0
  /// Written: survives a purge, not a power cut.
  case kernel = 1
  /// Synced: survives both.
  case disk = 2
  /// Acknowledged by a server.
  case remote = 3
}

/// How grave a line of a log is.
public enum LogLevel: UInt8, CaseIterable, Sendable {
  case debug = 0
  case info = 1
  case notice = 2
  case error = 3
  case fault = 4
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
  /// Work that a queue is to run later; the name is the queue's. Used when it begins to run, given
  /// back without that when it was cancelled.
  case delayedWork = 13
}

/// What kind of process this is; life-cycle rules apply to apps.
public enum ProcessRole: UInt8, CaseIterable, Sendable {
  case app = 0
  case `extension` = 1
  case daemon = 2
  case server = 3
  case harness = 4
  /// Seen by the recorder only: it does not link the SDK.
  case bystander = 5
}

/// The clock of a time budget.
public enum BudgetClock: UInt8, CaseIterable, Sendable {
  case wall = 0
  case cpu = 1
}

/// How the 64 bits of an argument or an identity are to be read.
public enum FieldType: UInt8, CaseIterable, Sendable {
  /// A signed integer.
  case int = 0
  /// An unsigned integer, printed in hexadecimal (hashes, codes, flow ids).
  case hex = 1
  /// The number of an interned string.
  case name = 2
  /// Nanoseconds.
  case duration = 3
  /// A size in bytes.
  case bytes = 4
  /// 0 or 1.
  case bool = 5
  /// A state of an app.
  case state = 6
  /// What a span of work does.
  case work = 7
  /// A durability level.
  case level = 8
  /// The class of a resource.
  case resource = 9
  /// The bits of a floating-point number.
  case double = 10
  /// How grave a line of a log is.
  case log = 11
}
