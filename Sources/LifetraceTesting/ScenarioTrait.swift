// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
public import LifetraceApp
public import Testing

/// Gives a test a scenario to play, and keeps the trace when the test fails.
///
///     @Test(.lifetrace(scenario: "Tests/lost-edit.yml"))
///     func survivesPurge() throws {
///       let life = try Simulator.current { NotesDelegate(options: .init()) }.play()
///       #expect(life.violations.isEmpty)
///     }
///
/// (`life.violations(atLeast: .warning)` has the warnings too.)
///
/// A trace is kept in the directory that `LIFETRACE_KEEP` names, else in that for
/// temporary files, and the command that replays it is printed. A step of the
/// scenario that does not hold fails the test too.
///
/// On a suite it is the trait of each of its tests.
public struct ScenarioTrait: TestTrait, SuiteTrait, TestScoping {
  let path: String
  /// The tests of a suite have it, not the suite as a whole.
  public var isRecursive: Bool { true }

  /// Reads the scenario, runs the test with it, and keeps what it played if need be.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    let scenario: Scenario
    do { scenario = try Scenario(contentsOf: path) } catch {
      // Errors in the file are worded as `lifetrace scenario check` words them.
      Issue.record(Comment(rawValue: "\(error)"), sourceLocation: test.sourceLocation)
      return
    }
    let played = PlayedLives(
      test: test.name,
      suite: test.suiteName,
      module: test.sourceLocation.moduleName,
      file: test.sourceLocation.filePath,
      scenario: scenario
    )
    try await MarkedTest.run(test) {
      do {
        let isFailure = try await MarkedTest.watch(test, testCase) {
          try await PlayedLives.$current.withValue(played) { try await function() }
        }
        let isKept = await Self.keep(
          played,
          outcome: isFailure ? "failed" : nil,
          at: test.sourceLocation
        )
        return await played.outcome(isFailed: isFailure || isKept)
      } catch {
        _ = await Self.keep(played, outcome: "threw", at: test.sourceLocation)
        throw error
      }
    }
  }

  @MainActor
  private static func keep(_ played: PlayedLives, outcome: String?, at place: SourceLocation)
    -> Bool
  {
    played.keep(outcome: outcome) { Issue.record(Comment(rawValue: $0), sourceLocation: place) }
  }
}

extension Trait where Self == ScenarioTrait {
  /// The test plays the scenario at `path`; see ``ScenarioTrait``.
  public static func lifetrace(scenario path: String) -> ScenarioTrait { ScenarioTrait(path: path) }
}

extension Simulator {
  /// The simulator of the scenario that the test's trait names.
  ///
  /// A test without the trait gets an empty scenario and an issue that says so.
  public static func current(
    configuration: Application.Configuration? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    delegate: @escaping @MainActor @Sendable () -> any ApplicationDelegate
  ) -> Simulator {
    guard let played = PlayedLives.current else {
      Issue.record(
        "Simulator.current needs the trait .lifetrace(scenario:) on its test",
        sourceLocation: sourceLocation
      )
      var empty = Scenario(file: "")
      empty.apps = [Scenario.App(name: "app")]
      return Simulator(empty, configuration: configuration, delegate: delegate)
    }
    return played.simulator(configuration: configuration, delegate: delegate)
  }
}
