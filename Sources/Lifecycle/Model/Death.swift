// SPDX-License-Identifier: Apache-2.0

/// Why the host kills a process: goes into its exit event.
public struct Death: Hashable, Sendable {
  /// The cause, such as `jetsam`, `watchdog`, `user`.
  public var cause: String
  /// The termination code, such as 0x8badf00d; nil for the signal's number.
  public var code: UInt64?
  /// Also records that the system took its memory (`EventKind.purge`), once the process is gone.
  public var isPurge: Bool
  /// The signal that does it.
  public var signal: Int32
  /// What the main thread did then, such as `asleep in fsync`; empty where nobody looked.
  public var main = ""

  /// A death by `signal` (SIGKILL).
  public init(cause: String, code: UInt64? = nil, isPurge: Bool = false, signal: Int32 = 9) {
    self.cause = cause
    self.code = code
    self.isPurge = isPurge
    self.signal = signal
  }
}
