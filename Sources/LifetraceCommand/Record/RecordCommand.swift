// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceScenario
import LifetraceProcessWorld
import LifetraceRecorder
import LifetraceReports
import LifetracePlatform
import LifetraceTrace

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Records every process below a command.",
    discussion: """
      Every process below the command that links the SDK joins by itself; the others are seen from \
      outside. Signals reach the command, and its exit code is the one of lifetrace: 128 + N for a \
      signal; 125, 126 and 127 are failures of lifetrace itself, as with env and timeout. Below \
      another recording, these processes are in this one and only seen from outside in the other. \
      A process that links the SDK and cannot join (in another root directory, as another user) says \
      so, and is counted. LIFETRACE_RUN names what recordings of several machines belong to together, at \
      most 256 bytes of UTF-8; without it the trace id in TRACEPARENT does.

      At the end the file is opened anew, and its chunks are compared with what was written. Where it \
      was removed meanwhile, it is written again; where it was moved, it is finished there; where \
      another file stands there, that stays, and the recording is FILE.saved-PID; but a copy of its \
      beginning is gone on with, if it is a plain file with no other name. Where none of that can be \
      done, the session keeps it, and where that has no room either, it is held open for a minute. The \
      exit code is 125 unless the whole recording is where it was asked for. The umask decides who may \
      read it.

      If the recorder is killed, the apps live on, and lifetrace record --recover brings in what \
      they have left, goes on recording those that still live, and says of the others that they \
      ended; what starts without the SDK after the recorder's death is not seen. With --scenario \
      the apps die with it.
      """
  )

  @Option(
    name: [.short, .long],
    help: "The file to write; by default named after the command.",
    completion: .file()
  )
  var output: String?

  @Option(
    help: "Play this scenario: the system around the app, from launch to purge.",
    completion: .file(extensions: ["yml", "yaml"])
  )
  var scenario: String?

  @Option(
    help: """
      Keep at least the last 30s, 5m or 64MiB: whole chunks, and what is in the buffers of the apps \
      besides, so some seconds more. SIGUSR1 writes what is there; --recover finds it after a kill.
      """,
    transform: KeptPast.init(typed:)
  )
  var last: KeptPast?

  @Option(
    help: "Stop growing at this size, 16KiB or more; what comes after is counted as lost.",
    transform: ByteSize.init(typed:)
  )
  var maxSize: ByteSize?

  @Flag(help: "Force every chunk to disk.")
  var sync = false

  @Option(
    help: "What an app does when its buffer is full: drop, or block:MS to wait so long.",
    transform: FullPolicy.init(typed:)
  )
  var onFull: FullPolicy = .init(policy: .drop)

  @Option(
    help: """
      Replace secrets: a glob, and every string in which it matches somewhere goes as a whole; or a \
      regular expression between slashes, and only what matches goes. Text that was cut in the app \
      goes as a whole, since a secret may stand across the cut: what is over 4,096 bytes, a launch \
      reason or version over 31, a name of a process over 63 or of an app over 127. So does, with \
      --capture-output, a printed line over 16,384 bytes, and one that the end of the recording cut.
      """
  )
  var redact: [String] = []

  @Flag(
    help: """
      Record what the command prints as log lines; it is still printed. With --scenario, what goes to \
      stderr is recorded in any case: a crash is told there.
      """
  )
  var captureOutput = false

  @Flag(
    help: """
      Observe programs that know nothing of lifetrace: a library between them and the C library \
      reports locks, slow file access on the main thread, and writes and syncs of the files that \
      `data` in lifetrace.yml names (`data: ["*.sqlite", "~/.local/share/shop/*.json"]`; for all keys: \
      lifetrace init --keys), which DS02 judges at a power cut: a step reboot of a scenario with a disk. \
      Not seen: edits in memory, static and setuid programs, memory mappings \
      (Sources/LifetraceObserve/OBSERVE.md has all).
      """
  )
  var observe = false

  @Flag(
    help: """
      Tell violations as they happen, and judge the recording at the end, as lifetrace check does. A \
      process of its own reads the file meanwhile; the recording does not depend on it.
      """
  )
  var check = false

  @Flag(
    help: """
      Let others follow: dump --follow and replay --follow show each event within half a second, with \
      the number that it keeps. Messages are ordered by their times alone.
      """
  )
  var follow = false

  @Option(help: "With --check: end the command at the first error, warning, info; or never.")
  var stopOn: FailOn = .never

  @Flag(
    name: [.short, .long],
    help: "Replace an existing file; behind a link, the file it leads to."
  )
  var force = false

  @Flag(help: "Bring in what an interrupted recording has left; give session directories or none.")
  var recover = false

  @OptionGroup(title: "OpenTelemetry") var reception: ReceptionOptions

  @OptionGroup(title: "Server") var shipping: ShippingOptions

  @OptionGroup var project: ProjectConfiguration

  @Argument(parsing: .remaining, help: "The command and its arguments, behind --.")
  var command: [String] = []

  func validate() throws {
    if recover { return }
    if let maxSize, maxSize.bytes < RecorderOptions.sizeMaxMin {
      let least = "\(RecorderOptions.sizeMaxMin >> 10)KiB"
      throw ValidationError(
        "--max-size is at least \(least): below it there is no room for the ends of processes."
      )
    }
    guard !follow || last == nil else {
      throw ValidationError("--follow shows what is in the file; --last writes it only at the end.")
    }
    guard shipping.to == nil || last == nil else {
      throw ValidationError("--to sends what is in the file; --last writes it only at the end.")
    }
    guard !shipping.removeShipped || !(follow || check) else {
      throw ValidationError(
        "--remove-shipped takes out of the file what \(follow ? "--follow shows" : "--check judges")."
      )
    }
    guard check || stopOn == .never else {
      throw ValidationError("--stop-on goes with --check.")
    }
    guard !command.isEmpty || scenario != nil else {
      throw ValidationError("Which command? lifetrace record -- CMD...")
    }
  }

  func run() throws {
    TraceOpening.ignoreFileSizeSignal()
    if recover {
      let recovery = RecordRecovery(sessions: command, output: output, say: Failure.say)
      throw ExitCode(recovery.run())
    }
    if let name = command.first, scenario == nil, let code = CommandSearch.problem(with: name) {
      throw ExitCode(code)
    }
    var (plan, played, configuration) = try self.plan()
    for said in Leftovers.hints(beside: plan.options.output) { Failure.say(said) }
    Self.hint()
    // Who follows, or judges at the end, wants the whole recording in the file.
    let ship = try shipping.start(&plan, keepsAll: follow || check)
    let received = try reception.start(plan, isInsecure: shipping.server.insecure)
    guard check else {
      let code = RecordFront(plan).run()
      ship?()
      _ = try received?.finish()
      return try Self.leave(code)
    }
    // What a scenario names for itself holds for what it expects, and for the verdict on it.
    var run = CheckRun(
      try ProjectConfiguration.judgement(profile: played?.profile, rules: nil, configuration),
      configuration,
      project.path
    )
    plan.options.sealAfterNanoseconds = LiveJudge.sealAfter
    let live = LiveJudge(
      path: plan.options.output,
      judgement: run.judgement,
      acceptance: run.acceptance,
      report: run.report,
      stopOn: stopOn
    ).start()
    var code = RecordFront(plan).run()
    // Then it was ended for what the check finds.
    if live?.end() == true { code = 0 }
    let beside = try received?.finish()
    if access(plan.options.output, R_OK) == 0 {
      let files = [plan.options.output] + [beside].compactMap { $0 }
      do { try run.check(files) } catch let verdict as ExitCode {
        if code == 0 { code = verdict.rawValue }
      }
    }
    ship?()
    try Self.leave(code)
  }

  private static func leave(_ code: Int32) throws { if code != 0 { throw ExitCode(code) } }

  /// Everything that the two processes of a recording must know, and by what it is judged then.
  private func plan() throws -> (RecordPlan, Scenario?, Configuration?) {
    let path = output ?? Self.freeName(for: command.first ?? scenario ?? "run")
    let output: String
    do throws(RecorderError) {
      output = try resolvedOutput(path)
    } catch {
      Failure.say("\(error)")
      throw ExitCode(125)
    }
    var options = RecorderOptions(output: output)
    let configuration = try project.load()
    if let profile = configuration?.profile { options.profile = profile.name }
    options.overwrite = force
    options.sync = sync
    options.sizeMax = maxSize?.bytes
    if let last { options.retention = last.retention }
    options.settles = follow
    options.onFull = onFull.policy
    options.seesBystanders = true
    options.reapsDescendants = true
    do {
      options.redactions = try (redact + (configuration?.redactions ?? [])).map {
        pattern throws(RedactionError) in
        try Redaction(pattern)
      }
    } catch {
      throw ValidationError("\(error)")
    }
    if access(path, F_OK) == 0, !force {
      Failure.say(
        "\(Printable.line(path)): exists; choose another name with -o, or replace it with --force"
      )
      throw ExitCode(125)
    }
    var plan = RecordPlan(options: options, path: path, command: command, say: Failure.say)
    plan.capturesOutput = captureOutput
    if observe { plan.options.observation = try Observation.of(configuration) }
    let played = try scenario.map { try play($0, configuration, in: &plan) }
    return (plan, played, configuration)
  }

  /// Makes a recording of the scenario in `file` of the plan; what was read.
  private func play(
    _ file: String,
    _ configuration: Configuration?,
    in plan: inout RecordPlan
  ) throws -> Scenario {
    let scenario = try ScenarioFile.read(file)
    do {
      for app in scenario.apps { try refuse(app) }
      try refuseIdleCommand(scenario)
      let judgement = try ProjectConfiguration.judgement(
        profile: scenario.profile,
        rules: nil,
        configuration
      )
      if let problem = scenario.problem(with: judgement.table) { throw problem }
      ScenarioHost.prepare(&plan.options, for: scenario)
      let player = ScenarioPlayer(
        scenario: scenario,
        file: file,
        capturesOutput: captureOutput,
        judgement: judgement
      )
      let output = plan.options.output
      plan.play = { player.play($0, $1, recording: output) }
      return scenario
    } catch let problem as ScenarioProblem {
      Failure.say(problem.text(file: file))
      throw ExitCode(EX_USAGE)
    }
  }

  /// Leaves where nothing starts an app of the scenario, before a file is made for it.
  private func refuse(_ app: Scenario.App) throws {
    guard let name = app.command.first ?? command.first else {
      Failure.say("no command starts `\(app.name)`: give one behind `--`, or under `apps`")
      throw ExitCode(EX_USAGE)
    }
    if let code = CommandSearch.problem(with: name) { throw ExitCode(code) }
  }

  /// Leaves where the command behind `--` would start nothing: it was typed for a purpose.
  private func refuseIdleCommand(_ scenario: Scenario) throws {
    guard !command.isEmpty, scenario.apps.allSatisfy({ !$0.command.isEmpty }) else { return }
    Failure.say(
      """
      the scenario has a command for each of its `apps`, and would not start \
      `\(command.joined(separator: " "))`: leave out what is behind `--`, or give the scenario names only \
      (`apps: [\(scenario.apps.map(\.name).joined(separator: ", "))]`), which that command starts
      """
    )
    throw ExitCode(EX_USAGE)
  }

  /// `notes.lifetrace`, or `notes-2.lifetrace` where that exists.
  private static func freeName(for command: String) -> String {
    let base = command.split(separator: "/").last.map(String.init) ?? "run"
    let stem = base.split(separator: ".").first.map(String.init) ?? "run"
    var name = "\(stem).lifetrace"
    var number = 2
    while access(name, F_OK) == 0 {
      name = "\(stem)-\(number).lifetrace"
      number += 1
    }
    return name
  }

  /// What a user may want to know before it starts.
  private static func hint() {
    let orphans = SessionDirectory.orphansByRuntime().own
    if let first = orphans.first {
      let others = orphans.count > 1 ? " (and \(orphans.count - 1) more)" : ""
      Failure.say(
        "\(first)\(others): an interrupted recording; bring it in with: lifetrace record --recover"
      )
    }
    if let outer = environment("LIFETRACE_SESSION"), access(outer + "/session", R_OK) == 0 {
      Failure.say(
        "below another recording: these processes are recorded here, and only seen from outside there"
      )
    }
  }
}
