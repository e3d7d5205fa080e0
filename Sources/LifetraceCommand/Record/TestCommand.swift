// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceJudging
import LifetracePlatform
import LifetraceRecorder
import LifetraceReports
import LifetraceScenario
import LifetraceTrace
import LifetraceTraceFile

/// `record` and `check` in one, for a command that runs tests.
struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Records a command that runs tests, and judges the apps in each test.",
    discussion: """
      What happens in a process that was started for a test (LIFETRACE_TEST or, below pytest, \
      PYTEST_CURRENT_TEST in its environment says which) belongs to that test. Else it belongs to the \
      test that was under way, by the marks of the traits of LifetraceTesting and of LifetraceXCTest; \
      of several that were under way at once nobody knows which, and all are named. Simulated tests \
      stand in the same list, with the traces of those that failed.

      Traces of failures are kept in --keep, which is made; where nothing failed, nothing is left. \
      With --format, what was found in all recordings is one document for a program, in --output or \
      behind what the command prints; the list of the tests goes to standard error then.

      Exits with the code of the command where that is not 0, else with 1 if a rule is broken at or \
      above --fail-on, else 2 if the recording is incomplete.
      """
  )

  @Option(
    help: "The folder for the traces of failures; LIFETRACE_KEEP, or lifetrace-tests.",
    completion: .directory
  )
  var keep: String?

  @Option(help: "From what on a test fails: error, warning, info, undecidable or never.")
  var failOn: FailOn = .error

  @Option(help: "How to print what was found: \(CheckFormat.purposes).")
  var format: CheckFormat = .text

  @Option(name: [.short, .long], help: "Print what was found into this file; it is replaced.")
  var output: String?

  @Option(help: "What is known: only other findings, and graver ones, count.", completion: .file())
  var baseline: String?

  @OptionGroup var project: ProjectConfiguration

  @Argument(parsing: .remaining, help: "The command and its arguments, behind --.")
  var command: [String] = []

  private static let variable = "LIFETRACE_KEEP"

  func validate() throws {
    guard !command.isEmpty else { throw ValidationError("Which command? lifetrace test -- CMD...") }
  }

  func run() throws {
    TraceOpening.ignoreFileSizeSignal()
    if let code = CommandSearch.problem(with: command[0]) { throw ExitCode(code) }
    let configuration = try project.load()
    var judge = CheckRun(
      try ProjectConfiguration.judgement(profile: nil, rules: nil, configuration),
      configuration,
      project.path
    )
    judge.report.failOn = failOn
    judge.format = format
    judge.output = output
    if let baseline { try judge.read(baseline: baseline) }
    let folder = KeptTraces(keep ?? environment(Self.variable) ?? "lifetrace-tests")
    try folder.make()
    setenv(Self.variable, absolutePath(folder.path), 1)
    let path = folder.freeName
    var options = RecorderOptions(output: absolutePath(path))
    if let profile = configuration?.profile { options.profile = profile.name }
    options.seesBystanders = true
    options.reapsDescendants = true
    options.redactions = try (configuration?.redactions ?? []).map { try Redaction($0) }
    let plan = RecordPlan(options: options, path: path, command: command, say: Failure.say)
    let code = RecordFront(plan).run()
    let verdict = try judged(path, by: &judge, folder, isCommandFailed: code != 0)
    if code != 0 { throw ExitCode(code) }
    if let verdict { throw verdict }
  }

  /// Prints the tests and what was found; the exit code that follows, nil for 0.
  private func judged(
    _ path: String,
    by judge: inout CheckRun,
    _ folder: KeptTraces,
    isCommandFailed: Bool
  ) throws -> ExitCode? {
    guard access(path, R_OK) == 0 else { return TraceOpening.damaged }
    var tests = TestFacts(failOn: failOn)
    guard let (facts, runs, isWhole) = try judge.facts(of: path) else {
      return TraceOpening.damaged
    }
    tests.add(facts, runs)
    var all = [facts]
    for trace in folder.simulated {
      guard let (facts, runs, _) = try judge.facts(of: trace) else { continue }
      tests.add(trace: trace, facts, runs)
      all.append(facts)
    }
    let isFailed = tests.isFailed || failOn.isMet(by: facts)
    let isKept = isFailed || isCommandFailed || !isWhole
    var remarks = tests.isEmpty ? [] : tests.lines
    if isKept { remarks.append("kept: lifetrace replay \(CommandText.file(path))") }
    if format.isForPeople {
      var lines = try judge.lines()
      if isFailed || !facts.isJudged && tests.isEmpty { try lines.write(facts.text() + "\n") }
      for line in remarks { try lines.print(line) }
      try lines.flush()
    } else {
      try judge.write(document: all)
      for line in remarks { Failure.say(line) }
    }
    if !isKept {
      unlink(path)
      folder.removeIfEmpty()
    }
    return isFailed ? ExitCode(1) : isWhole ? nil : TraceOpening.damaged
  }
}

/// The folder in which traces of failed tests are kept.
private struct KeptTraces {
  let path: String
  /// What was there before.
  private let before: Set<String>

  init(_ path: String) {
    self.path = path
    before = Set(namesInDirectory(path))
  }

  /// Makes it, with the folders above it.
  func make() throws {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    for count in 1...names.count {
      let folder = names[..<count].joined(separator: "/")
      if folder.isEmpty || mkdir(folder, 0o777) == 0 || errno == EEXIST { continue }
      Failure.say("\(Printable.line(folder)): \(errnoText(errno))")
      throw ExitCode(125)
    }
  }

  /// A name for a recording that is not there yet.
  var freeName: String {
    var number = 1
    while access("\(path)/run-\(number).lifetrace", F_OK) == 0 { number += 1 }
    return "\(path)/run-\(number).lifetrace"
  }

  /// The traces that simulations have left since.
  var simulated: [String] {
    namesInDirectory(path)
      .filter { !before.contains($0) && $0.hasSuffix(".lifetrace") && !$0.hasPrefix("run-") }
      .map { path + "/" + $0 }
  }

  /// Nothing is left of it where nothing failed.
  func removeIfEmpty() { rmdir(path) }
}
