// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle

/// Causes of death in the words of the trace.
extension LogLife {
  /// The cause and code behind `domain:NAME(N) code:C`.
  static func ending(
    domain: Int64,
    word: String,
    code: Int64,
    other: String
  ) -> (cause: String, code: UInt64) {
    let bits = UInt64(bitPattern: code)
    switch bits {
    case TerminationCode.watchdog: return (TerminationCause.watchdog.rawValue, bits)
    case TerminationCode.deadLock: return ("locked-file", bits)
    case TerminationCode.thermal: return ("thermal", bits)
    case TerminationCode.backgroundTask, TerminationCode.urlSession, TerminationCode.fetch,
      TerminationCode.badCall:
      return (TerminationCause.watchdog.rawValue, bits)
    default: break
    }
    switch domain {
    case 1: return ("jetsam", bits)
    case 2: return ("signal", bits)
    case 6: return ("dyld", bits)
    case 10 where other.hasPrefix("force-quit"): return ("user", bits)
    default: break
    }
    if bits == 0xDEAD_FA11 { return ("user", bits) }
    switch word {
    case "": return (other.isEmpty ? "unknown" : other, bits)
    case "jetsam", "signal", "dyld": return (word, bits)
    default: return (other.isEmpty ? word : "\(word): \(other)", bits)
    }
  }
}
