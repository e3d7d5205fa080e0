// SPDX-License-Identifier: Apache-2.0
import LifetraceRules
import LifetraceTrace

extension CheckFacts {
  /// A violation or doubt in lines, for forms that show it beside the source.
  func story(_ verdict: Verdict, _ report: CheckReport) -> [String] {
    var lines = full(verdict)
    if let doubt = verdict.doubt { lines.insert("  Undecidable, because \(doubt).", at: 2) }
    if let remark = report.place(of: verdict).remark { lines.append("  \(remark).") }
    // Names and sources come from the recording, which may be hostile.
    return lines.map { Printable.line($0) }
  }

  /// The story without its first line and not indented, where that line stands apart.
  func told(_ verdict: Verdict, _ report: CheckReport) -> [Substring] {
    story(verdict, report).dropFirst().map { $0.hasPrefix("  ") ? $0.dropFirst(2) : $0[...] }
  }

  /// What has a place in a list of findings: violations and doubts, the graver first.
  ///
  /// Those that stand under another one are in its story.
  var findings: [Verdict] { allFindings.filter { standing.head(of: $0) == nil } }

  /// The same, and what stands under another one.
  var allFindings: [Verdict] { verdicts.filter { $0.outcome == .violated || $0.doubt != nil } }

  /// In one line, how many of each.
  var totals: String {
    let (errors, warnings) = (violations(.error), violations(.warning))
    let doubts = undecidable > 0 ? ", \(undecidable) undecidable" : ""
    return "\(Quantity.count(errors, "error")), \(Quantity.count(warnings, "warning"))\(doubts)"
  }
}
