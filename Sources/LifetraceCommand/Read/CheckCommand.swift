// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceReplay
import LifetraceLifecycle
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
      Exits with 0 if nothing is found, 1 if a rule is broken at or above --fail-on, else 2 if a \
      recording is unreadable, damaged or incomplete.
      """
  )

  @Argument(help: "Recordings.")
  var files: [String]

  @Option(help: "How to print: text, or jsonl for one JSON object a verdict.")
  var format: Format = .text

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

  @OptionGroup var project: ProjectConfiguration

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, jsonl
  }

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
    try Self.check(files, judgement, configuration, format, failOn, verbose: verbose)
  }

  /// Prints what is found in the recordings; throws the exit code where it is not 0.
  static func check(
    _ files: [String],
    _ judgement: Judgement,
    _ configuration: Configuration?,
    _ format: Format = .text,
    _ failOn: FailOn = .error,
    verbose: Bool = false
  ) throws {
    var isIncomplete = false
    var opened: [(file: String, reader: TraceReader)] = []
    for file in files {
      do throws(TraceFileError) {
        let reader = try TraceReader(path: file)
        if reader.streams.isEmpty { throw TraceFileError(file, .empty) }
        opened.append((file, reader))
      } catch {
        let code = TraceOpening.leave(error)
        if error.isIO { throw code }
        isIncomplete = true
      }
    }
    var check = TraceCheck(opened.map(\.reader))
    let reports = check.run(judgement.checker)
    var output = LineOutput(outlivesReader: true)
    for (index, report) in reports.enumerated() {
      let (file, reader) = opened[index]
      if files.count > 1 && format == .text { try output.print("== \(Printable.line(file))") }
      switch format {
      case .text: try output.write(report.text(file: file, verbose: verbose))
      case .jsonl: try output.write(report.jsonLines(file: file))
      }
      try output.flush()
      let problems = reader.problems
      for problem in problems { Failure.say("\(Printable.line(file)): \(problem)") }
      if let hint = RecoveryHint.text(for: reader) {
        Failure.say("\(Printable.line(file)): \(hint)")
      }
      if problems.contains(where: \.isRepairable) {
        Failure.say("to keep what is readable: lifetrace repair \(Printable.line(file)) -o OUT")
      }
      // A repaired copy is whole as a file; what its marks of loss stand for was not judged.
      let hasStandIn = reader.streams.contains { $0.chunks.contains(where: \.isStandIn) }
      if !problems.isEmpty || hasStandIn || check.hasUnreadable[index] { isIncomplete = true }
    }
    // With JSON lines, what is for a person goes elsewhere.
    for line in configuration?.off.map(\.sentence) ?? [] {
      if format == .text { try output.print(line) } else { Failure.say(line) }
    }
    try output.flush()
    if reports.contains(where: failOn.isMet(by:)) { throw ExitCode(1) }
    if isIncomplete { throw TraceOpening.damaged }
  }
}

extension CheckCommand.FailOn {
  fileprivate func isMet(by report: CheckReport) -> Bool {
    switch self {
    case .never: false
    case .undecidable: report.worst != nil || report.isUndecided
    case .info: report.worst != nil
    case .warning: report.worst.map { $0 >= .warning } ?? false
    case .error: report.worst == .error
    }
  }
}
