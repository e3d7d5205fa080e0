// SPDX-License-Identifier: Apache-2.0

public import LifetraceTrace

/// How a process ended, as exactly as it can be known.
public enum ExitStatus: Hashable, Sendable {
  /// It returned or called `exit` with this code.
  case code(Int32)
  /// A signal ended it.
  case signal(Int32)
  /// It is gone, and nobody here may know why.
  case unknown

  /// What a shell would report: the code, or 128 + the signal.
  public var shellCode: Int32 {
    switch self {
    case .code(let code): code
    case .signal(let number): 128 + number
    case .unknown: 125
    }
  }
}

/// A process that the recorder followed has ended.
public struct ProcessExit: Sendable {
  /// Its id while it lived.
  public var pid: Int32
  /// Its stream; nil if it never joined.
  public var writer: WriterID?
  /// How it ended.
  public var status: ExitStatus
  /// How the recorder knows.
  public var evidence: EvidenceTier
  /// When the end was seen.
  public var time: HostTime
}

/// Why the host kills a process: goes into its exit event.
public struct Death: Hashable, Sendable {
  /// The cause, such as `jetsam`, `watchdog`, `user`.
  public var cause: String
  /// The termination code, such as 0x8badf00d; nil for the signal's number.
  public var code: UInt64?
  /// Also records that the system took its memory (``EventKind/purge``), once the process is gone.
  public var isPurge: Bool
  /// The signal that does it.
  public var signal: Int32

  /// A death by `signal` (SIGKILL).
  public init(cause: String, code: UInt64? = nil, isPurge: Bool = false, signal: Int32 = 9) {
    self.cause = cause
    self.code = code
    self.isPurge = isPurge
    self.signal = signal
  }
}
