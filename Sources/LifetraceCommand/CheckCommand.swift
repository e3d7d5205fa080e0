// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import Glibc
import Host
import Interop
import Lifecycle
import Rules
import TraceFile

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

  @Option(help: "Which rules: ids and families, such as DS,BT01, or all but some: -ST07.")
  var rules: String?

  @OptionGroup var project: ProjectConfiguration

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, jsonl
  }

  enum FailOn: String, ExpressibleByArgument, CaseIterable {
    case error, warning, info, undecidable, never
  }

  func validate() throws {
    guard !files.isEmpty else { throw ValidationError("Which recording? lifetrace check FILE...") }
    _ = try checker(nil)
  }

  func run() throws {
    let configuration = try project.load()
    let checker = try checker(configuration)
    var isBroken = false
    var isIncomplete = false
    for file in files {
      let reader: TraceReader
      do {
        reader = try TraceReader(path: file)
      } catch {
        complain(error.description)
        if error.isIO { throw ExitCode(EX_IOERR) }
        isIncomplete = true
        continue
      }
      var check = TraceCheck(reader: reader)
      let report = check.run(checker)
      if files.count > 1 && format == .text { print("== \(file)") }
      switch format {
      case .text: print(report.text(file: file), terminator: "")
      case .jsonl: print(report.jsonLines(file: file), terminator: "")
      }
      for problem in reader.problems.map(\.description) + check.unreadable {
        complain("\(file): \(problem)")
        isIncomplete = true
      }
      if isFailure(report) { isBroken = true }
    }
    // With JSON lines, what is for a person goes elsewhere.
    for rule in configuration?.off ?? [] {
      let line = "\(rule.rule) is switched off: \(rule.reason)"
      format == .text ? print(line) : complain(line)
    }
    if isBroken { throw ExitCode(1) }
    if isIncomplete { throw ExitCode(2) }
  }

  private func isFailure(_ report: CheckReport) -> Bool {
    switch failOn {
    case .never: false
    case .undecidable: report.worst != nil || report.isUndecided
    case .info: report.worst != nil
    case .warning: report.worst.map { $0 >= .warning } ?? false
    case .error: report.worst == .error
    }
  }

  private func checker(_ configuration: Configuration?) throws -> Checker {
    var selection = RuleSelection.all
    let off = configuration?.off.map { "-\($0.rule)" } ?? []
    let list = ([rules].compactMap { $0 } + off).joined(separator: ",")
    if rules != nil || !off.isEmpty {
      do { selection = try RuleSelection(list) } catch {
        throw ValidationError(error.description)
      }
    }
    guard let profile else {
      guard let own = configuration?.profile else { return Checker(rules: selection) }
      return Checker(profile: own, rules: selection)
    }
    guard let known = Profile.named(profile) else {
      let all = Profile.all.map(\.name).joined(separator: ", ")
      throw ValidationError("There is no profile \(profile); there are \(all).")
    }
    return Checker(profile: try configuration?.adjusted(known) ?? known, rules: selection)
  }

  private func complain(_ message: String) {
    let bytes = Array("lifetrace: \(message)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
