// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceJudging
import LifetraceLifecycle
import LifetracePlatform
import LifetraceReports
import LifetraceRules

/// Judges the app; whether the file is sound is for `verify`.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Judges the app: which rules does the recording break.",
    discussion: """
      Several files are judged as one recording: an app that ends in one and is launched again in \
      another is one life. A folder stands for the recordings in it; those of different runs \
      (LIFETRACE_RUN) are judged run by run. --each judges them one by one. What cannot be read is \
      named and passed over.

      Exits with 0 if nothing is found, 1 if a rule is broken at or above --fail-on, else 2 if a \
      recording is unreadable, damaged or incomplete.
      """
  )

  @Argument(
    help: "Recordings, folders of them, or stories; those of one run are judged as one.",
    completion: .file()
  )
  var files: [String] = []

  @Option(
    help: "Also the recordings that this file names, a line each; - for standard input.",
    completion: .file()
  )
  var filesFrom: String?

  @Flag(help: "Judge each file by itself, under a heading of its own; with --files-from always.")
  var each = false

  @Option(help: "How to print: \(CheckFormat.purposes).")
  var format: CheckFormat = .text

  @Option(
    name: [.short, .long],
    help: "Print into this file; it is replaced.",
    completion: .file()
  )
  var output: String?

  @Option(help: "From what on to exit with 1: error, warning, info, undecidable or never.")
  var failOn: FailOn = .error

  @Option(help: "Only what is about this app, which has to be there; may be given several times.")
  var app: [String] = []

  @Flag(help: "Fail where no app took part; with --app and --each, in every recording.")
  var requireApp = false

  @Option(help: "What is known: only other findings, and graver ones, count.", completion: .file())
  var baseline: String?

  @Option(
    help: "Write all that is found into this file, for --baseline, and take it for known.",
    completion: .file()
  )
  var writeBaseline: String?

  @Flag(help: "Exit with 0 whatever was found, damage too; wrong usage is still an error.")
  var exitZero = false

  @Flag(
    help: """
      Name the rules that were kept and those that had no occasion, what took longest on main, and the \
      changes of the system that nobody observes; list what is undecidable rule by rule.
      """
  )
  var verbose = false

  @Flag(help: "Exit with 1 too where an app has declared no data: its losses were not judged.")
  var requireData = false

  @OptionGroup var judging: JudgementOptions
  @OptionGroup var order: OrderOption

  func validate() throws {
    guard !files.isEmpty || filesFrom != nil else {
      throw ValidationError("Which recording? lifetrace check FILE...")
    }
    guard baseline == nil || writeBaseline == nil else {
      throw ValidationError("--write-baseline writes all that is known: leave out --baseline.")
    }
  }

  func run() throws {
    let configuration = try judging.project.load()
    var run = CheckRun(
      try judging.judgement(configuration),
      configuration,
      judging.project.path
    )
    if let baseline { try run.read(baseline: baseline) }
    if let writeBaseline { run.write(baseline: writeBaseline) }
    run.apps = Set(app)
    run.requiresApp = requireApp
    run.requiresData = requireData
    run.exitsZero = exitZero
    run.isStrict = order.strict
    run.format = format
    run.report.verbose = verbose
    run.report.failOn = failOn
    run.output = output
    try run.check(files + listed(), each: each || filesFrom != nil)
  }

  /// The names of the recordings in the file of --files-from.
  private func listed() throws -> [String] {
    guard let filesFrom else { return [] }
    do throws(SmallFile.Failure) {
      let path = filesFrom == "-" ? "/dev/stdin" : filesFrom
      let text = try SmallFile.text(of: path, bytesMax: Self.listBytesMax)
      return text.split(separator: "\n").map(String.init)
    } catch {
      Failure.say("\(error)")
      throw TraceOpening.io
    }
  }

  /// A list of recordings is no larger than this.
  private static let listBytesMax = 64 << 20
}

extension FailOn: ExpressibleByArgument {
  static var defaultCompletionKind: CompletionKind { .list(allCases.map(\.rawValue)) }
}

extension CheckFormat: ExpressibleByArgument {
  package init?(argument: String) {
    guard let format = CheckFormat.named(argument) else { return nil }
    self = format
  }

  package var defaultValueDescription: String { name }

  package static var allValueStrings: [String] { all.map(\.name) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
