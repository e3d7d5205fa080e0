// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceJudging
import LifetraceLifecycle
import LifetraceReports
import LifetraceRules

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

  @Option(name: [.short, .long], help: "Print into this file; it is replaced.")
  var output: String?

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

  func validate() throws {
    guard !files.isEmpty else { throw ValidationError("Which recording? lifetrace check FILE...") }
    _ = try ProjectConfiguration.judgement(profile: profile, rules: rules, nil)
  }

  func run() throws {
    let configuration = try project.load()
    var run = CheckRun(
      try ProjectConfiguration.judgement(profile: profile, rules: rules, configuration),
      configuration
    )
    run.format = format
    run.report.verbose = verbose
    run.report.failOn = failOn
    run.output = output
    try run.check(files, each: each)
  }
}

extension FailOn: ExpressibleByArgument {}

extension CheckFormat: ExpressibleByArgument {
  package init?(argument: String) {
    guard let format = CheckFormat.named(argument) else { return nil }
    self = format
  }

  package var defaultValueDescription: String { name }

  package static var allValueStrings: [String] { all.map(\.name) }
}
