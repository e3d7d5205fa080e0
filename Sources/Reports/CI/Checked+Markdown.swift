// SPDX-License-Identifier: Apache-2.0
import LifetraceRules
import LifetraceTrace

extension Checked {
  /// A section: a table of what was found, and the stories of the errors to unfold.
  func markdown(_ report: CheckReport) -> String {
    switch self {
    case .judged(let facts): facts.markdown(report)
    case .unreadable(let file, let reason):
      "### lifetrace: \(Markdown.text(file))\n\nNot judged: \(Markdown.text(reason))\n\n"
    }
  }
}

/// Text in Markdown; names come from the recording, which may be hostile.
private enum Markdown {
  static func text(_ text: String) -> String {
    tagged(text).reduce(into: "") { out, character in
      if "\\`*_[]|~".contains(character) { out.append("\\") }
      out.append(character)
    }
  }

  /// Between tags, where backslashes stay what they are.
  static func tagged(_ text: String) -> String {
    var out = ""
    for character in Printable.line(text) {
      switch character {
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "&": out += "&amp;"
      // A name with it would call somebody.
      case "@": out += "&#64;"
      default: out.append(character)
      }
    }
    return out
  }

  /// Lines as they are; four blanks make them code, in which nothing has a meaning.
  static func code(_ lines: [String]) -> String {
    lines.map { "    " + Printable.line($0) + "\n" }.joined()
  }
}

extension CheckFacts {
  fileprivate func markdown(_ report: CheckReport) -> String {
    var out = "### lifetrace: \(Markdown.text(file))\n\n"
    let found = findings
    if !found.isEmpty {
      out += "| | rule | where | what |\n|---|---|---|---|\n"
      for verdict in found {
        let place = report.place(of: verdict)
        let line = place.line.map { ":\($0)" } ?? ""
        let source = place.file.map { " " + $0 + line } ?? ""
        let level = verdict.outcome == .violated ? verdict.severity.rawValue : "undecidable"
        out +=
          "| \(level) | \(verdict.rule) | \(Markdown.text(label(verdict.stream) + source)) "
          + "| \(Markdown.text("\(verdict.title.capitalised)")) |\n"
      }
      out += "\n"
    }
    let lines = summary(verbose: report.verbose)
    out += lines.map { Markdown.text($0) + "\n" }.joined(separator: "\n") + "\n"
    for verdict in found where verdict.outcome == .violated && verdict.severity == .error {
      let title = Markdown.tagged("\(verdict.rule) \(label(verdict.stream)): \(verdict.title)")
      out += "<details><summary>\(title)</summary>\n\n"
      out += Markdown.code(story(verdict, report)) + "\n</details>\n\n"
    }
    return out
  }
}
