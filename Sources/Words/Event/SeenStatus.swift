// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// How a process ended that was only seen from outside: as a shell says it, in one number.
package enum SeenStatus {
  /// Nobody could be asked.
  package static let unknown: UInt64 = 256

  /// `exit 3`, `SIGKILL`, `ended`.
  package static func words(_ status: UInt64) -> String {
    switch status {
    case 128..<unknown: SignalName.of(status - 128) ?? "exit \(status)"
    case 0..<128: "exit \(status)"
    default: "ended"
    }
  }
}
