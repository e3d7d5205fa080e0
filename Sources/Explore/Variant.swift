// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceLifecycle
package import LifetraceScenario

/// A scenario in which one process ends right behind an event, and the app is launched again, twice.
package struct Variant: Sendable {
  package var scenario: Scenario
  /// The start that ends so, from 0; the two launches behind it are the next starts of the app.
  package var start: Int

  /// `scenario` (flat) up to the point, with its end, and both launches.
  ///
  /// Nil where no step can say it: the process was started by another app's step. With `endsWithStep`
  /// what the scenario says behind the step of the point is left out, which holds where each play is
  /// the same.
  package init?(
    _ scenario: Scenario,
    _ starts: [ScenarioReport.Start],
    _ point: Point,
    _ act: ScriptedEnd.Act,
    endsWithStep: Bool = false
  ) {
    // What other apps do goes on; where there is one, nothing happens behind its end.
    let last = endsWithStep && scenario.apps.count == 1 ? point.step + 1 : nil
    self.init(scenario, starts, start: point.start, end: point.end(act), last: last)
  }

  package init?(
    _ scenario: Scenario,
    _ starts: [ScenarioReport.Start],
    start: Int,
    end: ScriptedEnd,
    last: Int? = nil
  ) {
    let app = starts[start].app
    guard let first = starts[start].step, scenario.steps.indices.contains(first),
      var launch = Self.launch(scenario.steps[first])
    else { return nil }
    // What comes behind would start it anew.
    let next = starts.dropFirst(start + 1).first { $0.app == app }.flatMap(\.step)
    launch.arguments += end.arguments
    let count = min(next ?? scenario.steps.count, max(first + 1, last ?? .max))
    var steps = Array(scenario.steps[..<count])
    steps[first] = launch
    let name = scenario.apps[app].name
    let again =
      next.flatMap { Self.launch(scenario.steps[$0]) }.flatMap { Self.isInFront($0) ? $0 : nil }
      ?? Self.relaunch(name)
    steps += [again, Self.step(.purge, [("app", name), ("how", "jetsam")]), Self.relaunch(name)]
    self.scenario = scenario
    // What it expects of the verdicts is about the life as it is written.
    self.scenario.steps = steps.filter { $0.name != .expect }
    self.scenario.numberSteps()
    self.start = start
  }

  /// A step that starts an app, as one that can say how the process ends.
  private static func launch(_ step: Scenario.Step) -> Scenario.Step? {
    var launch = step
    launch.name = .launch
    launch.arguments.removeAll { ["ends", "after", "name", "nth"].contains($0.name) }
    switch step.name {
    case .launch, .relaunch: launch.name = step.name
    case .open, .openURL: break
    case .wake: launch.arguments.removeAll { $0.name == "payload" }
    default: return nil
    }
    return launch
  }

  private static func isInFront(_ launch: Scenario.Step) -> Bool {
    launch["reason"].flatMap(WakeReason.init) == nil
  }

  static func relaunch(_ app: String) -> Scenario.Step { step(.relaunch, [("app", app)]) }

  static func step(_ name: StepName, _ arguments: [(String, String)]) -> Scenario.Step {
    Scenario.Step(
      name: name,
      arguments: arguments.map { Scenario.Argument(name: $0.0, value: $0.1) },
      steps: [],
      place: ScenarioPlace(line: 0, column: 0)
    )
  }
}
