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
