// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import CLifetracePlatform
import LifetraceExplore
import LifetraceJudging
import LifetracePlatform
import LifetraceScenario
import LifetraceTrace
import LifetraceWords

struct ExploreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explore",
    abstract: "Ends your app at every point of a life, and looks what its next launch finds.",
    discussion: """
      Users lose data when the system takes an app away at the wrong moment, and no tester is quick \
      enough to find that moment. This command plays a scenario once, and then again for each event of \
      the app in it: right behind that event the process ends, as if the system had taken its memory \
      (--acts has other ends), and the app is launched again, twice. It reports each rule that is \
      broken by that, data that had been reported saved and is not there, and launches that do not come \
      up.

      An app that links the SDK ends itself right behind the event, so that the moment is exact. \
      Exits with 0 if nothing is found, and with 1 if something is.
      """
  )

  @Argument(help: "The scenario; lifetrace init writes one to begin with.")
  var scenario: String

  @Option(
    help: """
      What ends the app, of purge, kill (by the user), crash, reboot: several with commas. Each is \
      played at every point where it can happen.
      """,
    transform: Self.acts
  )
  var acts: [ScriptedEnd.Act] = [.purge]

  @Option(
    help: "Begin no other play after this time, such as 30s; the report says what was left out.",
    transform: Self.duration
  )
  var budget: Int64?

  @OptionGroup var project: ProjectConfiguration

  @Argument(parsing: .remaining, help: "The command of the app and its arguments, behind --.")
  var command: [String] = []

  func run() throws {
    TraceOpening.ignoreFileSizeSignal()
    let configuration = try project.load()
    let scenario = try read()
    for app in scenario.apps {
      guard let name = app.command.first ?? command.first else {
        Failure.say("no command starts `\(app.name)`: give one behind `--`, or under `apps`")
        throw ExitCode(EX_USAGE)
      }
      if let code = CommandSearch.problem(with: name) { throw ExitCode(code) }
    }
    var options = ExploreOptions()
    options.acts = acts
    options.budget = budget
    options.judgement = try ProjectConfiguration.judgement(
      profile: scenario.profile,
      rules: nil,
      configuration
    )
    let folder = try scratch()
    defer { cplatform_remove_tree(folder) }
    let stage = ProcessStage(
      command: command,
      profile: options.judgement.profile,
      folder: folder
    )
    var explorer = Explorer(stage, now: cplatform_monotonic)
    let found: Exploration
    do {
      found = try explorer.explore(scenario, options)
    } catch {
      Failure.say("\(error)")
      throw ExitCode(125)
    }
    var lines = LineOutput(outlivesReader: true)
    for line in found.lines(Paint(isOn: isatty(STDOUT_FILENO) == 1)) { try lines.print(line) }
    try lines.flush()
    if !found.failures.isEmpty { throw ExitCode(1) }
  }

  private func read() throws -> Scenario {
    do {
      return try Scenario(contentsOf: scenario)
    } catch let problem as ScenarioProblem {
      let all = (try? Scenario.problems(inFile: scenario)) ?? []
      for problem in all.isEmpty ? [problem] : all { Failure.say(problem.text(file: scenario)) }
    } catch {
      Failure.say("\(error)")
    }
    throw ExitCode(125)
  }

  /// A folder for recordings that nobody keeps.
  private func scratch() throws -> String {
    var template = Array("\(environment("TMPDIR") ?? "/tmp")/lifetrace-explore-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      Failure.say("cannot make a folder for recordings: \(errnoText(errno))")
      throw ExitCode(125)
    }
    return String(cString: made)
  }

  private static func acts(_ text: String) throws -> [ScriptedEnd.Act] {
    try text.split(separator: ",").map { word in
      guard let act = ScriptedEnd.Act(rawValue: String(word)) else {
        let all = ScriptedEnd.Act.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("There is no act \(word); there is \(all).")
      }
      return act
    }
  }

  private static func duration(_ text: String) throws -> Int64 {
    guard let time = TypedQuantity.nanoseconds(text), time > 0 else {
      throw ValidationError("\(text) is no duration: a number and a unit, such as 30s.")
    }
    return time
  }
}
