// SPDX-License-Identifier: Apache-2.0
import Host
public import LifetraceApp
public import Testing

/// Gives a test a scenario to play, and keeps the trace when the test did not go well.
///
///     @Test(.lifetrace(scenario: "Tests/lost-edit.yml"))
///     func survivesPurge() throws {
///       let life = try Simulator.current { NotesDelegate(options: .init()) }.play()
///       #expect(life.violations.isEmpty)
///     }
public struct ScenarioTrait: TestTrait, TestScoping {
  let path: String

  /// Reads the scenario, runs the test with it, and keeps what it played if need be.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    let scenario = try Scenario(contentsOf: path)
    let played = PlayedLives(test: test.name, scenario: scenario)
    do {
      try await PlayedLives.$current.withValue(played) { try await function() }
    } catch {
      await played.keep(outcome: "threw")
      throw error
    }
    await played.keep(outcome: nil)
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
    delegate: @escaping @MainActor @Sendable () -> any ApplicationDelegate
  ) -> Simulator {
    guard let played = PlayedLives.current else {
      Issue.record("Simulator.current needs the trait .lifetrace(scenario:) on its test")
      var empty = Scenario(file: "")
      empty.apps = [Scenario.App(name: "app")]
      return Simulator(empty, configuration: configuration, delegate: delegate)
    }
    let simulator = Simulator(
      played.scenario,
      configuration: configuration,
      delegate: delegate
    )
    simulator.beginTest(named: played.test)
    played.simulators.withLock { $0.append(simulator) }
    return simulator
  }
}
