// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetracePlatform
import LifetraceScenario

/// A scenario that is going to be played.
enum ScenarioFile {
  /// Reads it, and looks whether its steps can be played in their order, before a file is made for it.
  ///
  /// All that is wrong is said on stderr.
  ///
  /// - Throws: `ExitCode(code)` for what is wrong with the scenario, 74 where it cannot be read.
  static func read(_ file: String, wrong code: Int32 = EX_USAGE) throws -> Scenario {
    var problems: [ScenarioProblem]
    do {
      let scenario = try Scenario(contentsOf: file)
      problems = scenario.impossibleSteps
      if problems.isEmpty { return scenario }
    } catch let problem as ScenarioProblem {
      problems = (try? Scenario.problems(inFile: file)) ?? []
      if problems.isEmpty { problems = [problem] }
    } catch {
      Failure.say("\(error)")
      throw TraceOpening.io
    }
    for problem in problems { Failure.say(problem.text(file: file)) }
    throw ExitCode(code)
  }
}
