// SPDX-License-Identifier: Apache-2.0
import Glibc
import Host
import Synchronization
import Testing
import TraceFile

/// The simulations of one test, until it is known whether their traces are worth keeping.
final class PlayedLives: Sendable {
  @TaskLocal static var current: PlayedLives?

  let test: String
  let scenario: Scenario
  let simulators = Mutex<[Simulator]>([])

  init(test: String, scenario: Scenario) {
    self.test = test
    self.scenario = scenario
  }

  /// Writes the traces of lives that broke a rule or an expectation, and says how to look at them.
  @MainActor
  func keep(outcome: String?) {
    for (index, simulator) in simulators.withLock({ $0 }).enumerated() {
      let life = simulator.life
      let failed = outcome != nil || !life.violations.isEmpty || !life.report.failures.isEmpty
      guard failed else { continue }
      for failure in life.report.failures {
        Issue.record(Comment(rawValue: failure.text(file: scenario.file)))
      }
      simulator.endTest(outcome: outcome ?? "failed")
      let path = Self.directory + "/\(Self.word(test))-\(index + 1).lifetrace"
      do {
        try simulator.life.write(to: path)
        print("kept the trace: lifetrace replay \(path)")
      } catch {
        print("could not keep the trace at \(path): \(error)")
      }
    }
  }

  /// `LIFETRACE_KEEP`, else the directory for temporary files.
  private static var directory: String {
    for name in ["LIFETRACE_KEEP", "TMPDIR"] {
      if let value = getenv(name) { return String(cString: value) }
    }
    return "/tmp"
  }

  private static func word(_ name: String) -> String {
    String(name.map { $0.isLetter || $0.isNumber ? $0 : "-" }.prefix(64))
  }
}
