// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import CLifetracePlatform
import LifetraceExplore
import LifetraceJudging
import LifetracePlatform
import LifetraceRecorder
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
      Exits with 0 if nothing is found, with 1 if something is, and with 2 if no end was played, as where \
      --budget is up before.
      """
  )

  @Argument(
    help: "The scenario; lifetrace init writes one to begin with.",
    completion: .file(extensions: ["yml", "yaml"])
  )
  var scenario: String

  @Option(
    help: """
      What ends the app, of purge, kill (by the user), crash, reboot: several with commas. Each is \
      played at every point where it can happen.
      """,
    completion: .list(ScriptedEnd.Act.allCases.map(\.rawValue)),
    transform: Self.acts
  )
  var acts: [ScriptedEnd.Act] = [.purge]

  @Option(
    help: """
      Begin no other play after this time, such as 30s, and end the first one then; the report says \
      what was left out.
      """,
    transform: Self.duration
  )
  var budget: Int64?

  @Option(
    name: .customLong("in"),
    help: """
      Only in these states of the app, with commas: \(CoverageKey.stateWords.joined(separator: ", ")). \
      Without it all are played, and what a purge takes that an app in front has not saved yet is not \
      counted; with active it is. The system purges suspended apps every day, and an app \
      on the screen hardly ever.
      """,
    completion: .list(CoverageKey.stateWords),
    transform: Self.states
  )
  var states: Set<String>?

  @Option(
    name: [.short, .long],
    help: """
      Where the smallest scenario of each kind of failure is written, with a test and the recording; a \
      folder, which is made. Without it they are not written, and the scenario is printed.
      """,
    completion: .directory
  )
  var output: String?

  @Flag(help: "Print the report as JSON.")
  var json = false

  @Flag(inversion: .prefixedNo, help: "Look for the smallest scenario of each kind of failure.")
  var reduce = true

  @Flag(
    help: """
      Observe an app that knows nothing of lifetrace, as record --observe does: it is ended before and \
      behind each write, sync, rename and removal of a file that `data` in lifetrace.yml names, in the \
      middle of its saves too.
      """
  )
  var observe = false

  @OptionGroup var project: ProjectConfiguration

  @Argument(parsing: .remaining, help: "The command of the app and its arguments, behind --.")
  var command: [String] = []

  func run() throws {
    TraceOpening.ignoreFileSizeSignal()
    let configuration = try project.load()
    let scenario = try ScenarioFile.read(scenario)
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
    PlayInterruption.listen()
    let folder = try scratch()
    defer { cplatform_remove_tree(folder) }
    var stage = ProcessStage(
      command: command,
      profile: options.judgement.profile,
      path: folder + "/play.lifetrace"
    )
    // A life is played many times: what the app prints each time is nobody's answer.
    let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(nowhere) }
    if nowhere >= 0 { stage.output = nowhere }
    if observe { stage.observation = try observation(configuration) }
    stage.looksAtFiles = true
    options.states = states
    options.reduces = reduce
    // A play of processes takes a moment each.
    options.reductionPlaysMax = 60
    var explorer = Explorer(stage, now: cplatform_monotonic)
    explorer.isInterrupted = { PlayInterruption.isPending }
    let files = ExploredFiles(folder: output)
    try files.make()
    let progress = LiveCount()
    explorer.onProgress = { progress.show("\($0) of \($1) ends played") }
    explorer.onReduction = { progress.show("smallest scenarios: \($0) of \($1)") }
    explorer.onNewFailure = { files.keep($1.file, of: $0) }
    let found: Exploration
    do {
      found = try explorer.explore(scenario, options)
    } catch {
      progress.clear()
      Failure.say("\(error)")
      throw ExitCode(125)
    }
    progress.clear()
    try print(found, try files.write(found, isObserved: observe))
    if let why = found.whyNoEnd {
      Failure.say("no end was played: \(why)")
      throw ExitCode(2)
    }
    if !found.failures.isEmpty || !found.asWritten.isEmpty { throw ExitCode(1) }
    if found.playedCount == 0 {
      Failure.say("no end was played: \(doubt(found))")
      throw ExitCode(2)
    }
  }

  /// What may be wrong where there was time for ends, and none to be played.
  private func doubt(_ found: Exploration) -> String {
    if let states, !found.points.isEmpty {
      let words = CoverageKey.stateWords.filter(states.contains).joined(separator: " or ")
      return "this life has no point while \(words); --in names other states"
    }
    return observe
      ? "does the scenario launch the app, and does the app write a file that `data` in lifetrace.yml "
        + "names?"
      : "does the app link the SDK, and does the scenario launch it? An app without the SDK can be "
        + "observed: --observe"
  }

  /// What is observed, every call of it.
  private func observation(_ configuration: Configuration?) throws -> Observation {
    var observation = try Observation.of(configuration)
    observation.tellsCalls = true
    guard observation.patterns.isEmpty else { return observation }
    Failure.say(
      "--observe has nothing to look at: lifetrace.yml names no files as data, such as\n"
        + "  data: [\"*.json\", \"drafts/**\"]"
    )
    throw ExitCode(EX_USAGE)
  }

  private func print(_ found: Exploration, _ files: [[String]]) throws {
    var lines = LineOutput(outlivesReader: true)
    if json {
      try lines.write(found.json(files: files).pretty() + "\n")
    } else {
      let said = zip(found.failures, files).map { failure, paths in
        paths.isEmpty ? Self.inline(failure) : paths
      }
      let paint = Paint(isOn: isatty(STDOUT_FILENO) == 1)
      for line in found.lines(paint, files: said) { try lines.print(line) }
    }
    try lines.flush()
  }

  /// The smallest scenario itself, where it is written nowhere.
  private static func inline(_ failure: Exploration.Failure) -> [String] {
    guard let yaml = failure.smallest?.yaml() else { return [] }
    return ["The smallest scenario that fails so:"]
      + yaml.split(separator: "\n").map { "  \($0)" }
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

  private static func states(_ text: String) throws -> Set<String> {
    let words = text.split(separator: ",").map(String.init)
    for word in words where !CoverageKey.stateWords.contains(word) {
      let all = CoverageKey.stateWords.joined(separator: ", ")
      throw ValidationError("There is no state \(word); there is \(all).")
    }
    return Set(words)
  }

  private static func duration(_ text: String) throws -> Int64 {
    guard let time = TypedQuantity.nanoseconds(text), time > 0 else {
      throw ValidationError("\(text) is no duration: a number and a unit, such as 30s.")
    }
    return time
  }
}
