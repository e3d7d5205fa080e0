// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceJudging
import LifetraceReplay
import LifetraceLifecycle
import LifetracePlatform
import LifetraceReports
import LifetraceRules
import LifetraceScenario
import LifetraceTraceFile
import LifetraceTrace

/// Judges the app; whether the file is sound is for `verify`.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Judges the app: which rules does the recording break.",
    discussion: """
      Several files are judged as one recording: an app that ends in one and is launched again in \
      another is one life. --each judges them one by one.

      Exits with 0 if nothing is found, 1 if a rule is broken at or above --fail-on, else 2 if a \
      recording is unreadable, damaged or incomplete.
      """
  )

  @Argument(help: "Recordings; several are judged as one.")
  var files: [String]

  @Flag(help: "Judge each file by itself, under a heading of its own.")
  var each = false

  @Option(help: "How to print: \(CheckFormat.purposes).")
  var format: CheckFormat = .text

  @Option(
    help:
      "Whose deadlines: \(Profile.all.map(\.name).joined(separator: ", ")); by default those of the recording."
  )
  var profile: String?

  @Option(help: "From what on to exit with 1: error, warning, info, undecidable or never.")
  var failOn: FailOn = .error

  @Option(
    parsing: .unconditional,
    help: "Which rules: ids and families, such as DS,BT01, or all but some: -ST07."
  )
  var rules: String?

  @Flag(help: "Name the rules that were kept and those that had no occasion, instead of counts.")
  var verbose = false

  @Flag(help: "Exit with 1 too where an app has declared no data: its losses were not judged.")
  var requireData = false

  @OptionGroup var project: ProjectConfiguration

  /// App lives are judged on as many threads; each takes memory for an open recording.
  private static let coresMax = 2

  enum FailOn: String, ExpressibleByArgument, CaseIterable {
    case error, warning, info, undecidable, never
  }

  func validate() throws {
    guard !files.isEmpty else { throw ValidationError("Which recording? lifetrace check FILE...") }
    _ = try ProjectConfiguration.judgement(profile: profile, rules: rules, nil)
  }

  func run() throws {
    let configuration = try project.load()
    let judgement = try ProjectConfiguration.judgement(
      profile: profile,
      rules: rules,
      configuration
    )
    try Self.check(
      files,
      judgement,
      configuration,
      format,
      failOn,
      each: each,
      verbose: verbose,
      requireData: requireData
    )
  }

  /// Prints the findings in the recordings; throws the exit code where it is not 0.
  static func check(
    _ files: [String],
    _ judgement: Judgement,
    _ configuration: Configuration?,
    _ format: CheckFormat = .text,
    _ failOn: FailOn = .error,
    each: Bool = false,
    verbose: Bool = false,
    requireData: Bool = false
  ) throws {
    var isIncomplete = false
    var readers: [TraceReader] = []
    for file in files {
      do throws(TraceFileError) {
        let reader = try TraceReader(path: file)
        if reader.streams.isEmpty { throw TraceFileError(file, .empty) }
        readers.append(reader)
      } catch {
        let code = TraceOpening.leave(error)
        if error.isIO { throw code }
        isIncomplete = true
      }
    }
    var output = LineOutput(outlivesReader: true)
    var isFailed = false
    for readers in each ? readers.map({ [$0] }) : [readers] where !readers.isEmpty {
      let recording = try join(readers)
      let facts = CheckFacts(
        recording,
        by: judgement,
        named: readers.map(\.path).joined(separator: " "),
        cores: min(availableCores(), coresMax)
      )
      if each && files.count > 1 && format.isForPeople {
        try output.print("== \(Printable.line(facts.file))")
      }
      try output.write(format.write(facts, verbose))
      try output.flush()
      if failOn.isMet(by: facts) { isFailed = true }
      if requireData, let why = facts.missingData {
        isFailed = true
        Failure.say(why)
      }
      if !tellProblems(recording) || facts.hasUnreadable { isIncomplete = true }
    }
    // Where a program reads, text for a person goes elsewhere.
    for line in configuration?.off.map(\.sentence) ?? [] {
      if format.isForPeople { try output.print(line) } else { Failure.say(line) }
    }
    try output.flush()
    if isFailed { throw ExitCode(1) }
    if isIncomplete { throw TraceOpening.damaged }
  }

  private static func join(_ readers: [TraceReader]) throws -> JoinedTraces {
    do throws(TraceFileError) {
      return try JoinedTraces(readers)
    } catch {
      throw TraceOpening.leave(error)
    }
  }

  /// Reports damage of the files; true where they are whole.
  private static func tellProblems(_ recording: JoinedTraces) -> Bool {
    var isWhole = true
    for (index, reader) in recording.readers.enumerated() {
      var facts = FileFacts(reader, recovery: RecoveryHint.text(for: reader))
      facts.problems = recording.problems(of: index)
      for warning in facts.warnings { Failure.say(warning) }
      if !facts.problems.isEmpty { isWhole = false }
    }
    // A repaired copy is whole as a file; what its marks of loss stand for was not judged.
    return isWhole && !recording.streams.contains { $0.chunks.contains(where: \.isStandIn) }
  }
}

extension CheckCommand.FailOn {
  fileprivate func isMet(by facts: CheckFacts) -> Bool {
    switch self {
    case .never: false
    case .undecidable: facts.worst != nil || facts.undecidable > 0
    case .info: facts.worst != nil
    case .warning: facts.worst.map { $0 >= .warning } ?? false
    case .error: facts.worst == .error
    }
  }
}

extension CheckFormat: ExpressibleByArgument {
  package init?(argument: String) {
    guard let format = CheckFormat.named(argument) else { return nil }
    self = format
  }

  package var defaultValueDescription: String { name }

  package static var allValueStrings: [String] { all.map(\.name) }
}
