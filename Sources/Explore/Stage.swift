// SPDX-License-Identifier: Apache-2.0
package import LifetraceScenario
package import LifetraceTimeline
package import LifetraceTrace

/// Where scenarios are played over and over: real processes, or virtual time.
///
/// What is explored and how it is judged knows of no more than this.
package protocol Stage {
  /// Plays all steps from a fresh beginning, or those until `isOver` says so, and returns what was
  /// recorded.
  mutating func play(_ scenario: Scenario, until isOver: (@Sendable () -> Bool)?) throws
    -> StagedLife
  /// Whether two plays of one scenario are the same, event by event.
  var isDeterministic: Bool { get }
}

extension Stage {
  /// Plays all steps.
  package mutating func play(_ scenario: Scenario) throws -> StagedLife {
    try play(scenario, until: nil)
  }
}

/// What was recorded of one play of a scenario.
package struct StagedLife: Sendable {
  /// The strings of all events.
  package var names: Names
  /// All writers, those of the device and of helpers too.
  package var writers: [MemorySource.Writer]
  /// Starts of processes, and what the steps said.
  package var report: ScenarioReport
  /// The recording, where it is one.
  package var file: String?
  /// The files of data that each app has at the end, by their names; empty where nobody has looked.
  package var files: [[String: [UInt8]]]

  /// Of one play.
  package init(
    names: Names,
    writers: [MemorySource.Writer],
    report: ScenarioReport,
    file: String? = nil,
    files: [[String: [UInt8]]] = []
  ) {
    (self.names, self.writers, self.report, self.file) = (names, writers, report, file)
    self.files = files
  }

  /// By start of a process, the index of its writer; nil where it has left no stream.
  ///
  /// Processes that an app has forked have streams too, which no step has started. A script that is
  /// replaced by the app, by exec, has one of its own: the last program of such a chain is the app.
  package var streamOfStart: [Int?] {
    let apps = writers.indices.filter {
      [.app, .extension].contains(writers[$0].attributes.role) && !isFork($0) && !isReplaced($0)
    }
    .sorted {
      (writers[$0].attributes.started, $0) < (writers[$1].attributes.started, $1)
    }
    let starts = report.starts.count
    // One that ended before it joined has none: which, is not known.
    guard apps.count == starts else { return Array(repeating: nil, count: starts) }
    return apps
  }

  private func isReplaced(_ writer: Int) -> Bool {
    guard let end = writers[writer].events.last(where: { $0.kind == .processExit }) else {
      return false
    }
    return names[end.endingCause] == "exec"
  }

  private func isFork(_ writer: Int) -> Bool {
    guard let first = writers[writer].events.first(where: { $0.kind == .processStart }) else {
      return true
    }
    return ["fork", "exec"].contains(names[Payload.ProcessStart(first).reason])
  }
}
