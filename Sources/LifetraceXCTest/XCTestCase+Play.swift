// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceScenario
public import LifetraceApp
public import LifetraceRules
public import LifetraceTesting
public import XCTest

extension XCTestCase {
  /// Plays the scenario at `path` in virtual time, and keeps its trace when the test fails.
  ///
  ///     final class LifecycleTests: XCTestCase {
  ///       func testSurvivesPurge() throws {
  ///         let life = try play(scenario: "Tests/lost-edit.yml") { NotesDelegate() }
  ///         XCTAssertNoViolations(life)
  ///       }
  ///     }
  ///
  /// The trace goes to the directory that `LIFETRACE_KEEP` names, else to that
  /// for temporary files, and the command that replays it is printed. A step of
  /// the scenario that does not hold fails the test too. Only for tests that run
  /// on the main thread, as those without `async` do.
  ///
  /// - Throws: When the scenario cannot be read or played.
  public func play(
    scenario path: String,
    configuration: Application.Configuration? = nil,
    file: StaticString = #filePath,
    line: UInt = #line,
    delegate: @escaping @MainActor @Sendable () -> any ApplicationDelegate
  ) throws -> SimulatedLife {
    let module = moduleName
    let played = PlayedLives(
      test: name,
      suite: module,
      module: module,
      file: "\(file)",
      scenario: try Scenario(contentsOf: path)
    )
    let run = testRun
    mark { isFailed in MainActor.assumeIsolated { played.outcome(isFailed: isFailed) } }
    addTeardownBlock {
      let outcome = (run?.totalFailureCount ?? 0) > 0 ? "failed" : nil
      MainActor.assumeIsolated {
        _ = played.keep(outcome: outcome) { XCTFail($0, file: file, line: line) }
      }
    }
    return try MainActor.assumeIsolated {
      try played.simulator(configuration: configuration, delegate: delegate).play()
    }
  }

  /// Marks the test in the recording around it: `lifetrace test -- swift test` then has a verdict on
  /// what apps do in it.
  ///
  ///     override func setUp() { markTest() }
  ///
  /// Without a recorder it costs nothing. ``play(scenario:configuration:file:line:delegate:)`` does
  /// it by itself.
  public func markTest() { mark { $0 ? "failed" : "passed" } }

  private func mark(_ outcome: @escaping @Sendable (_ isFailed: Bool) -> String) {
    let mark = Lifetrace.beginTest(suite: .init(moduleName), name: .init(name))
    let run = testRun
    addTeardownBlock { mark.end(outcome: .init(outcome((run?.totalFailureCount ?? 0) > 0))) }
  }

  private var moduleName: String { String(String(reflecting: type(of: self)).prefix { $0 != "." }) }
}

/// Fails where a rule was broken in a life, with what was broken and what to do.
///
///     try XCTAssertNoViolations(play(scenario: "Tests/lost-edit.yml") { NotesDelegate() })
///
/// Those are errors; `atLeast: .warning` has it fail for warnings too.
public func XCTAssertNoViolations(
  _ life: @autoclosure () throws -> SimulatedLife,
  atLeast severity: Severity = .error,
  file: StaticString = #filePath,
  line: UInt = #line
) rethrows {
  let violations = try life().violations(atLeast: severity)
  guard !violations.isEmpty else { return }
  XCTFail(violations.map(\.description).joined(separator: "\n"), file: file, line: line)
}
