// SPDX-License-Identifier: Apache-2.0

/// Causes of death in the words of the trace.
extension ConsoleLife {
  /// The cause and code behind `domain:NAME(N) code:C`.
  static func ending(
    domain: Int64,
    word: String,
    code: Int64,
    other: String
  ) -> (cause: String, code: UInt64) {
    let bits = UInt64(bitPattern: code)
    switch bits {
    case 0x8BAD_F00D: return ("watchdog", bits)
    case 0xDEAD_10CC: return ("locked-file", bits)
    case 0xC000_10FF: return ("thermal", bits)
    case 0x2182_BAD2, 0x2182_BAD3, 0x2182_BAD4: return ("background-task-timeout", bits)
    default: break
    }
    switch domain {
    case 1: return ("jetsam", bits)
    case 2: return ("signal", bits)
    case 6: return ("dyld", bits)
    case 10 where other.hasPrefix("force-quit"): return ("user", bits)
    default: break
    }
    switch word {
    case "": return ("unknown", bits)
    case "jetsam", "signal", "dyld": return (word, bits)
    default: return (other.isEmpty ? word : "\(word): \(other)", bits)
    }
  }

  /// The kernel's words for the reasons of a jetsam kill, by index.
  private static let jetsamReasons = [
    "", "jettisoned", "highwater", "vnode-limit", "vm-pageshortage", "proc-thrashing",
    "fc-thrashing", "per-process-limit", "disk-space-shortage", "idle-exit", "zone-map-exhaustion",
    "vm-compressor-thrashing", "vm-compressor-space-shortage", "low-swap",
    "sustained-memory-pressure", "vm-pageout-starvation", "", "long-idle-exit",
  ]

  static func jetsamReason(_ code: UInt64) -> String {
    let reason = code < UInt64(jetsamReasons.count) ? jetsamReasons[Int(code)] : ""
    return reason.isEmpty ? "jetsam" : reason
  }

  static func jetsamCode(_ reason: String) -> UInt64 {
    guard !reason.isEmpty, let index = jetsamReasons.firstIndex(of: reason) else { return 0 }
    return UInt64(index)
  }
}
