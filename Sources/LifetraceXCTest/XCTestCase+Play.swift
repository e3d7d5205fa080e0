// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
public import LifetraceApp
public import LifetraceTesting
public import XCTest

// A target of its own: on Linux XCTest brings Foundation, which Swift Testing does without.

extension XCTestCase {
  /// Plays the scenario at `path` in virtual time, and keeps its trace when the test fails.
  ///
  ///     final class LifecycleTests: XCTestCase {
  ///       func testSurvivesPurge() throws {
  ///         let life = try play(scenario: "Tests/lost-edit.yml") { NotesDelegate() }
  ///         XCTAssert(life.violations.isEmpty)
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
    let module = String(reflecting: type(of: self)).prefix { $0 != "." }
    let played = PlayedLives(
      test: name,
      module: String(module),
      scenario: try Scenario(contentsOf: path)
    )
    let run = testRun
    addTeardownBlock {
      let outcome = (run?.totalFailureCount ?? 0) > 0 ? "failed" : nil
      MainActor.assumeIsolated {
        played.keep(outcome: outcome) { XCTFail($0, file: file, line: line) }
      }
    }
    return try MainActor.assumeIsolated {
      try played.simulator(configuration: configuration, delegate: delegate).play()
    }
  }
}
