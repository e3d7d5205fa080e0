// SPDX-License-Identifier: Apache-2.0

import LifetraceLifecycle
package import LifetraceTrace

/// How a process ended, as exactly as it can be known.
package enum ExitStatus: Hashable, Sendable {
  /// It returned or called `exit` with this code.
  case code(Int32)
  /// A signal ended it.
  case signal(Int32)
  /// It is gone, and the cause cannot be known here.
  case unknown

  /// Whether a fault of its own has ended it.
  package var isCrash: Bool {
    guard case .signal(let number) = self else { return false }
    return EndKind(cause: "signal", code: UInt64(number), isImported: false).isCrash
  }

  /// What a shell would report: the code, or 128 + the signal.
  package var shellCode: Int32 {
    switch self {
    case .code(let code): code
    case .signal(let number): 128 + number
    case .unknown: 125
    }
  }
}

/// A process that the recorder followed has ended.
package struct ProcessExit: Sendable {
  /// Its id while it lived.
  package var pid: Int32
  /// Its stream; nil if it never joined.
  package var writer: WriterID?
  /// The status with which it ended.
  package var status: ExitStatus
  /// How the recorder knows.
  package var evidence: EvidenceTier
  /// When the end was seen.
  package var time: HostTime
}
