// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetracePlatform
import LifetraceScenario
import LifetraceTrace

struct ScenarioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenario",
    abstract: "Checks and explains scenarios.",
    subcommands: [Check.self, Schema.self, Steps.self]
  )

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Says what is wrong with scenarios, by line and column.",
      discussion: """
        Wrong are words that no scenario has, and steps that cannot be played behind those before them: \
        what is done to an app that none has launched, or told to one that is suspended. A relaunch of an app that no step has ended is said too, and is not wrong.
        """
    )

    @Argument(help: "The scenario files.", completion: .file(extensions: ["yml", "yaml"]))
    var files: [String]

    func run() throws {
      var wrong = false
      var unreadable = false
      for file in files {
        do {
          var problems = try Scenario.problems(inFile: file)
          if problems.isEmpty { problems = try Scenario(contentsOf: file).impossibleSteps }
          guard problems.isEmpty else {
            wrong = true
            let text = Array(problems.map { $0.text(file: file) + "\n" }.joined().utf8)
            _ = write(STDERR_FILENO, text, text.count)
            continue
          }
          let scenario = try Scenario(contentsOf: file)
          let apps = scenario.apps.map(\.name).joined(separator: ", ")
          let steps = Quantity.count(scenario.steps.count, "step")
          let warning = scenario.steps.isEmpty ? ": nothing will be played" : ""
          let profile = scenario.profile.map { "profile \($0)" } ?? "the profile of the project"
          for idle in scenario.idleSteps {
            _ = Descriptor.write(idle.text(file: file) + "\n", to: STDERR_FILENO)
          }
          print("\(Printable.line(file)): \(steps) for \(apps), \(profile)\(warning)")
        } catch {
          unreadable = true
          Failure.say("\(error)")
        }
      }
      if wrong { throw ExitCode(2) }
      if unreadable { throw TraceOpening.io }
    }
  }

  struct Schema: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints the JSON schema of scenarios, for editors."
    )

    func run() { print(Scenario.jsonSchema, terminator: "") }
  }

  struct Steps: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints the keys of a scenario, and every step with its parameters and examples."
    )

    func run() { print(Scenario.manual, terminator: "") }
  }
}
