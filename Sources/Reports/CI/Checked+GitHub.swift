// SPDX-License-Identifier: Apache-2.0
import LifetraceRules
import LifetraceTrace

extension Checked {
  /// Annotations of GitHub Actions, a line each, and a line that sums up.
  ///
  ///     ::error file=Sources/Notes/Editor.swift,line=41,title=DS02 notes#1::draft.txt lost …
  func gitHub(_ report: CheckReport) -> String {
    switch self {
    case .judged(let facts):
      return facts.findings.map { facts.annotation($0, report) }.joined()
        + facts.unmet.map { Annotation.line("error", [("title", "lifetrace")], $0) }.joined()
        + facts.remainder(report)
    case .unreadable(_, let reason):
      return Annotation.line("error", [("title", "lifetrace")], reason)
    }
  }
}

/// A command to the runner of GitHub Actions, which reads them from what a step prints.
private enum Annotation {
  static func line(_ level: String, _ values: [(String, String)], _ message: String) -> String {
    let words = values.map { "\($0)=\(property($1))" }.joined(separator: ",")
    return "::\(level) \(words)::\(data(message))\n"
  }

  static func data(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }

  private static func property(_ text: String) -> String {
    data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}

extension CheckFacts {
  fileprivate func annotation(_ verdict: Verdict, _ report: CheckReport) -> String {
    let place = report.place(of: verdict)
    var values: [(String, String)] = []
    if let file = place.file { values.append(("file", file)) }
    if let line = place.line { values.append(("line", "\(line)")) }
    values.append(("title", Printable.line("\(verdict.rule) \(label(verdict.stream))")))
    let lines = told(verdict, report)
    return Annotation.line(verdict.annotationLevel, values, lines.joined(separator: "\n"))
  }

  /// What has no annotation; a name in it cannot begin a command.
  fileprivate func remainder(_ report: CheckReport) -> String {
    var lines = summary(verbose: report.verbose)
    if report.isOneOfMany { lines = lines.map { "\(file): \($0)" } }
    return lines.map { Printable.line($0).replacing("::", with: ": :") + "\n" }.joined()
  }
}

extension Verdict {
  fileprivate var annotationLevel: String {
    guard outcome == .violated else { return "notice" }
    switch severity {
    case .error: return "error"
    case .warning: return "warning"
    case .info: return "notice"
    }
  }
}
