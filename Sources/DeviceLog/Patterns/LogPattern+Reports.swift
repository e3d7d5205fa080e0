// SPDX-License-Identifier: Apache-2.0

/// What reports of crashes, of kills for memory and of metrics tell.
extension LogPattern {
  var reportRow: LogPatternInfo {
    let crash = "crash reports"
    return switch self {
    case .reportLaunch:
      .init(
        "launch in a crash report",
        by: crash,
        "the start of a process that was killed before its launch was over",
        ""
      )
    case .reportWatchdog:
      .init(
        "watchdog in a crash report",
        by: crash,
        "the callback that hung, or a turn of the main run loop, from its allowance before the end on",
        .inferred,
        ""
      )
    case .reportTask:
      .init(
        "assertion in a crash report",
        by: crash,
        "a background task held for as long as was permitted",
        .inferred,
        ""
      )
    case .reportState:
      .init(
        "state in a report",
        by: "crash reports, JetsamEvent",
        "the state, where no log knows it",
        .inferred,
        ""
      )
    case .reportMemory:
      .init("rpages", by: "JetsamEvent", "the memory footprint", "")
    case .reportFact:
      .init("words of a report", by: "crash reports, MetricKit", "a note", "")
    default:
      .init("end in a crash report", by: crash, "the process ends, with its cause and code", "")
    }
  }
}
