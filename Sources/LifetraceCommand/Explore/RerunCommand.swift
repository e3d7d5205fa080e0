// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import CLifetracePlatform
import LifetraceExplore
import LifetraceJudging
import LifetraceLifecycle
import LifetracePlatform
import LifetraceProcessWorld
import LifetraceRecorder
import LifetraceReports
import LifetraceRules
import LifetraceScenario
import LifetraceTrace
import LifetraceTraceFile
import LifetraceWords

struct RerunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rerun",
    abstract: "Plays the scenario of a recording again, and says whether the same goes wrong.",
    discussion: """
      A recording that was made with a scenario keeps it, with the command of each app. This plays it \
      again, as often as --times says, with one thing changed where --with says so, and tells of each \
      rule in how many plays it is broken: by its id, the object and the place in the source. Each play \
      is recorded beside the file; the first that breaks just these rules is kept.

      A change is one of:
      \(ScenarioChange.forms.map { "  \($0.0): \($0.1)." }.joined(separator: "\n"))

      STEP is a name (home), the second of that name (tell 2), or a number (step 4).

      It is played where it was recorded, by the rules that lifetrace.yml has there, unless a command \
      stands behind `--`: then here. A recording from elsewhere starts what it says: give such a one a \
      command of your own. A program that has changed since is told, and so is a recording that is only a \
      piece, of `cut` or `record --last`. Exits with 0 if no \
      play had an error (warnings are told, and counted apart), and with 1 if one had; 2 where there \
      is no scenario that can be played.
      """
  )

  @Argument(help: "The recording.", completion: .file())
  var file: String

  @Option(
    name: .customLong("with"),
    help: "Change this first, such as \"suspend +300ms\" (repeatable)."
  )
  var changes: [String] = []

  @Option(help: "Play it so often.")
  var times = 1

  @Option(
    name: [.short, .long],
    help: "The file to record to; by default beside the recording, named after it."
  )
  var output: String?

  @Option(help: "Play this scenario instead of the one in the recording.")
  var scenario: String?

  @Flag(help: "Print the report as JSON.")
  var json = false

  @OptionGroup var project: ProjectConfiguration

  @Argument(parsing: .remaining, help: "Another command for the app, behind --.")
  var command: [String] = []

  /// More plays are refused.
  private static let timesMax = 100_000

  func validate() throws {
    guard 1...Self.timesMax ~= times else {
      throw ValidationError("--times is a number from 1 to 100,000.")
    }
    for change in changes { _ = try Self.change(change) }
  }

  private static func change(_ text: String) throws -> ScenarioChange {
    do throws(ScenarioChange.Problem) {
      return try ScenarioChange(text)
    } catch {
      throw ValidationError(error.description)
    }
  }

  func run() throws {
    TraceOpening.ignoreFileSizeSignal()
    let reader = try TraceOpening.open(file)
    let (kept, asRecorded) = try keptScenario(in: reader)
    var scenario = asRecorded
    for change in try changes.map(Self.change) {
      do throws(ScenarioChange.Problem) {
        try scenario.change(change)
      } catch {
        Failure.say(error.description)
        throw ExitCode(EX_USAGE)
      }
    }
    let (path, configPath) = (absolutePath(file), project.config.map(absolutePath))
    let here = absolutePath("")
    let first = output.map(absolutePath)
    try goWhereItWas(kept)
    if !command.isEmpty { try replaceCommands(of: &scenario) }
    try checkPrograms(of: scenario, kept)
    sayCommands(of: scenario)
    var project = self.project
    project.config = configPath
    let configuration = try project.load()
    let judgement = try ProjectConfiguration.judgement(
      profile: scenario.profile,
      rules: nil,
      configuration
    )
    let recorded = try ProjectConfiguration.judgement(
      profile: asRecorded.profile,
      rules: nil,
      configuration
    )
    var stage = ProcessStage(command: [], profile: judgement.profile, path: "")
    if kept?.observes == true { stage.observation = try Observation.of(configuration) }
    stage.capturesOutput = kept?.capturesOutput ?? false
    stage.redactions = try (configuration?.redactions ?? []).map { try Redaction($0) }
    var reruns = Reruns(
      title: asRecorded.file.isEmpty ? file : asRecorded.file,
      recorded: try StagedLife(reader, ScenarioReport()),
      by: Self.checker(recorded)
    )
    reruns.changes = changes
    try play(scenario, stage, judgement, from: path, to: first, &reruns)
    for number in reruns.plays.indices {
      // As it can be typed where the user is.
      if let file = reruns.plays[number].file, file.hasPrefix(here) {
        reruns.plays[number].file = String(file.dropFirst(here.count))
      }
    }
    try print(reruns)
    if reruns.cleanCount < reruns.plays.count { throw ExitCode(1) }
  }

  private static func checker(_ judgement: Judgement) -> Checker {
    judgement.checker.prepared(for: [.app, .harness])
  }

  // MARK: What is played

  /// What the recording keeps, and the scenario that is to be played.
  private func keptScenario(in reader: TraceReader) throws -> (KeptScenario?, Scenario) {
    let kept = try reader.keptScenario()
    if let scenario {
      var read = try ScenarioFile.read(scenario, wrong: 125)
      // A file mostly leaves the command to who plays it: it is the one that was played.
      let before = kept.flatMap { try? Scenario(parsing: $0.text, file: $0.file) }
      for app in read.apps.indices where read.apps[app].command.isEmpty {
        let same = before?.apps.first { $0.name == read.apps[app].name }
        read.apps[app].command = same?.command ?? []
      }
      return (kept, read)
    }
    guard let kept else {
      guard !reader.streams.contains(where: { $0.chunks.first?.letGoBefore ?? 0 > 0 }) else {
        let name = CommandText.file(file)
        throw leave(
          "is a piece of a recording (of lifetrace cut, or record --last), and the scenario stood in "
            + "the part that is missing",
          "To play it: lifetrace rerun THE-WHOLE-RECORDING, or name the scenario and the app:\n"
            + "  lifetrace rerun \(name) --scenario FILE -- CMD"
        )
      }
      throw leave(
        "holds no scenario: nobody has played one, or an older lifetrace has",
        "To record with one: lifetrace record --scenario FILE -- CMD"
      )
    }
    do throws(HostError) {
      return (kept, try kept.scenario())
    } catch {
      throw leave(
        error.description,
        "To play the file that it came from: lifetrace rerun \(CommandText.file(file)) --scenario "
          + "\(CommandText.file(kept.file))\(kept.text.isEmpty ? " -- CMD" : "")"
      )
    }
  }

  /// Commands of a scenario are meant to be run where it was played.
  private func goWhereItWas(_ kept: KeptScenario?) throws {
    guard command.isEmpty, let kept else { return }
    let name = CommandText.file(file)
    guard !kept.folder.isEmpty else {
      guard scenario == nil else { return }
      throw leave(
        "was played in virtual time, by a test: run that test again",
        "To play it with processes, name the app: lifetrace rerun \(name) -- ./your-app"
      )
    }
    guard chdir(kept.folder) != 0 else { return }
    throw leave(
      "was recorded in \(Printable.line(kept.folder)), which cannot be entered: \(errnoText(errno))",
      "To play it here: lifetrace rerun \(name) -- CMD"
    )
  }

  private func replaceCommands(of scenario: inout Scenario) throws {
    let before = Set(scenario.apps.map(\.command).filter { !$0.isEmpty })
    guard before.count <= 1 else {
      Failure.say(
        "its apps have a command each, and `\(command.joined(separator: " "))` would start all of them: "
          + "write the scenario anew, and name it with --scenario"
      )
      throw ExitCode(EX_USAGE)
    }
    for app in scenario.apps.indices { scenario.apps[app].command = command }
  }

  /// A program that is gone ends it; one that has changed is what people rerun for, and told.
  private func checkPrograms(of scenario: Scenario, _ kept: KeptScenario?) throws {
    for app in scenario.apps {
      guard let name = app.command.first else {
        Failure.say("no command starts `\(app.name)`: give one behind `--`")
        throw ExitCode(EX_USAGE)
      }
      guard let code = CommandSearch.problem(with: name) else { continue }
      Failure.say(
        "to play it with another program: lifetrace rerun \(CommandText.file(file)) -- CMD"
      )
      throw ExitCode(code)
    }
    let now = ProgramPrint.programs(of: scenario.apps.map(\.command))
    for before in kept?.programs ?? [] {
      guard let same = now.first(where: { $0.path == before.path }), same != before else {
        continue
      }
      Failure.say(
        "\(Printable.line(before.path)) is another program than was recorded: "
          + "\(Quantity.bytes(before.bytes)) then, \(Quantity.bytes(same.bytes)) now, and other bytes"
      )
    }
  }

  /// A recording may come from anybody: what it has started here is said before.
  private func sayCommands(of scenario: Scenario) {
    guard command.isEmpty else { return }
    var said: Set<[String]> = []
    for app in scenario.apps where said.insert(app.command).inserted {
      let line = app.command.map { Printable.line($0) }.joined(separator: " ")
      Failure.say("starts \(line), as the recording says")
    }
  }

  /// Says why the recording cannot be played.
  private func leave(_ reason: String, _ advice: String) -> ExitCode {
    Failure.say("\(Printable.line(file)): \(reason)\n  \(advice)")
    return TraceOpening.damaged
  }

  // MARK: Playing

  private func play(
    _ scenario: Scenario,
    _ stage: ProcessStage,
    _ judgement: Judgement,
    from path: String,
    to first: String?,
    _ reruns: inout Reruns
  ) throws {
    if let first, access(first, F_OK) == 0 {
      Failure.say("\(Printable.line(first)): exists; choose another name with -o")
      throw ExitCode(125)
    }
    var stage = stage
    let checker = Self.checker(judgement)
    let progress = LiveCount()
    let begin = cplatform_monotonic()
    PlayInterruption.listen()
    do {
      for number in 0..<times where !PlayInterruption.isPending {
        progress.show("\(number) of \(times) played")
        stage.path = Self.freeName(first ?? path, isAgain: first == nil)
        let life = try stage.play(scenario)
        guard !reruns.add(life, by: checker) else { continue }
        unlink(stage.path)
        reruns.plays[number].file = nil
      }
    } catch {
      progress.clear()
      Failure.say("\(error)")
      throw ExitCode(125)
    }
    progress.clear()
    for notice in stage.notices { Failure.say(notice) }
    reruns.elapsed = cplatform_monotonic() - begin
  }

  /// `run-again.lifetrace` for `run.lifetrace`, or `run-again-2.lifetrace` where that exists.
  private static func freeName(_ path: String, isAgain: Bool) -> String {
    let ending = ".lifetrace"
    var stem = path.hasSuffix(ending) ? String(path.dropLast(ending.count)) : path
    if isAgain { stem += "-again" }
    var name = isAgain ? stem + ending : path
    var number = 2
    while access(name, F_OK) == 0 {
      name = "\(stem)-\(number)\(ending)"
      number += 1
    }
    return name
  }

  private func print(_ reruns: Reruns) throws {
    var lines = LineOutput(outlivesReader: true)
    if json {
      try lines.write(reruns.json.pretty() + "\n")
    } else {
      let paint = Paint(isOn: isatty(STDOUT_FILENO) == 1)
      for line in reruns.lines(paint) { try lines.print(line) }
    }
    try lines.flush()
  }
}

extension TraceReader {
  /// The scenario that the recording keeps; nil where there is none.
  fileprivate func keptScenario() throws -> KeptScenario? {
    for stream in streams where stream.attributes.role == .harness {
      for chunk in stream.chunks where chunk.kinds.contains(.scenario) {
        for event in try decode(chunk).events {
          if let kept = KeptScenario(event, names) { return kept }
        }
      }
    }
    return nil
  }
}
