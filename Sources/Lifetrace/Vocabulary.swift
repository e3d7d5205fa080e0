// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Lifetrace {
  /// The state of an app, as the operating system sees it.
  ///
  /// The five states are those of the iPhone programming guides; `unknown` is the trace's own: before
  /// the first evidence, and after a loss in the state family.
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
  public enum Level: UInt8, CaseIterable, Sendable {
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
  public enum Role: UInt8, CaseIterable, Sendable {
    case app = 0
    case `extension` = 1
    case daemon = 2
    case server = 3
    case harness = 4
  }

  /// The clock of a time budget.
  public enum Clock: UInt8, CaseIterable, Sendable {
    case wall = 0
    case cpu = 1
  }
}
