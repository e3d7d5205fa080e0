// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// How states, levels and lists are said; numbers are said by ``LifetraceTrace/Quantity``.
///
///     Wording.level(.disk)                  // "the disk"
///     Wording.list(["a", "b", "c"])         // "a, b and c"
package enum Wording {
  /// The state in words.
  package static func state(_ state: AppState) -> String {
    state == .notRunning ? "not running" : "\(state)"
  }

  /// The level in words.
  package static func level(_ level: DurabilityLevel) -> String {
    switch level {
    case .process: "the process only"
    case .kernel: "the kernel"
    case .disk: "the disk"
    case .remote: "a server"
    }
  }

  /// The kind of work in words.
  package static func work(_ kind: WorkKind) -> String { kind == .other ? "" : "\(kind)" }

  /// The cause of an end as a reader knows it: where a scenario is over, what still runs is ended with
  /// the cause `harness`.
  package static func endCause(_ cause: String) -> String {
    cause == "harness" ? "scenario over" : cause
  }

  /// A flow as a traceparent has it: 16 digits.
  package static func flow(_ flow: UInt64) -> String {
    let digits = String(flow, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// A trace id as a traceparent has it: 32 digits.
  package static func trace(high: UInt64, low: UInt64) -> String { flow(high) + flow(low) }

  /// `main`, or the number of the thread.
  package static func thread(_ thread: ThreadID) -> String {
    thread == .main ? "main" : "t\(thread.rawValue)"
  }

  /// A list as one says it: `a, b and c`.
  package static func list(_ words: [String]) -> String {
    guard words.count > 1, let last = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " and " + last
  }
}
