// SPDX-License-Identifier: Apache-2.0
package import LifetraceTimeline
package import LifetraceTrace

/// How times and states are said; plain numbers are said by ``LifetraceTrace/Quantity``.
///
///     Wording.time(TraceTime(rawValue: 2_104_318_000))     // "+2.104 s"
///     Wording.level(.disk)                                 // "the disk"
package enum Wording {
  /// Since the first event, to the millisecond: `+2.104 s`.
  package static func time(_ time: TraceTime, digits: Int = 3) -> String {
    Quantity.sinceStart(time.rawValue, digits: digits) + " s"
  }

  /// The state in words.
  package static func state(_ state: AppState) -> String {
    switch state {
    case .unknown: "unknown"
    case .notRunning: "not running"
    case .inactive: "inactive"
    case .active: "active"
    case .background: "background"
    case .suspended: "suspended"
    }
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
