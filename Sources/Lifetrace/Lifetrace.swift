// SPDX-License-Identifier: Apache-2.0

public import CLifetrace

/// What an app says about its own life, for a recorder to keep.
///
///     Lifetrace.configure(app: "com.example.notes")
///     let draft = Lifetrace.Object("draft.txt")
///
///     Lifetrace.callback("applicationDidEnterBackground:") {
///       draft.dirty { text.utf8 }
///       try? Lifetrace.save(draft, to: path) { text.utf8 }
///     }
///
/// Without a recorder (no `LIFETRACE_SESSION` in the environment) a call costs a
/// load and a branch. With one, an event is a counter read, a 56-byte record and
/// one release store into memory that outlives the process.
///
/// Names that are literals are looked up once for each call site; the source file
/// and line come along. Not for use in signal handlers.
public enum Lifetrace {
  /// Identifies this process, before its first event.
  ///
  /// `LIFETRACE_APP`, `LIFETRACE_ROLE`, `LIFETRACE_REASON` and `LIFETRACE_PREVIOUS` in the environment win: the host
  /// that launches an app knows better why. Without any of them the app is named after its executable.
  public static func configure(
    app: String,
    role: Role = .app,
    reason: String = "",
    version: String = ""
  ) {
    lt_configure(app, UInt32(role.rawValue), reason, version)
  }

  /// False when no recorder listens, so that costly arguments need not be made.
  @inlinable @inline(__always)
  public static var isEnabled: Bool { lt_enabled() }

  /// Joins the session now, rather than at the first event.
  ///
  /// - Returns: Whether there is a recorder.
  @discardableResult
  public static func join() -> Bool { lt_join() }

  /// The random id of this process in the trace, or nil while it is not recorded.
  public static var writer: (high: UInt64, low: UInt64)? {
    var high: UInt64 = 0
    var low: UInt64 = 0
    lt_writer(&high, &low)
    return high | low == 0 ? nil : (high, low)
  }
}
