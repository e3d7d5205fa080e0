// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceCompactJSON
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace

extension Session {
  /// A line for a violation: its number, rule, severity and title.
  func headline(_ finding: Finding) -> String {
    let verdict = finding.verdict
    let style: Style = verdict.severity == .error ? .bad : .warning
    return paint(
      "Violation #\(finding.number), \(verdict.rule) (\(verdict.severity.rawValue)): ",
      style
    )
      + sentence(verdict.title)
  }

  /// A rule's sentence, made printable: with a period, and with the numbers that the prompt uses.
  ///
  /// Rules name an event by its writer and sequence, `notes#1:6`; here it is `#7`.
  func sentence(_ text: String) -> String {
    var result = ""
    var rest = Substring(Printable.line(text))
    while let match = rest.firstMatch(of: /([^\s(]+#[0-9]+):([0-9]+)( to ([0-9]+))?/) {
      result += rest[..<match.range.lowerBound]
      let first = number(String(match.1), match.2)
      let last = match.4.flatMap { number(String(match.1), $0) }
      result += first.map { "#\($0)" + (last.map { " to #\($0)" } ?? "") } ?? String(match.0)
      rest = rest[match.range.upperBound...]
    }
    result += rest
    return result.hasSuffix(".") || result.isEmpty ? result : result + "."
  }

  private func number(_ label: String, _ sequence: Substring) -> Int? {
    guard let stream = player.labels.labels.firstIndex(of: label), let sequence = UInt64(sequence)
    else { return nil }
    return player.timeline.ordinal(of: id(stream), sequence: sequence)
  }

  /// What is said where the list of violations ends, but not the breaches; nil where it is whole.
  func unlisted(_ findings: Findings) -> String? {
    guard !findings.unlisted.isEmpty else { return nil }
    let rules = findings.unlisted.map { "\(Quantity.grouped($0.count)) of \($0.rule)" }
    return "Of an app and a rule, the first are listed; not listed are \(Wording.list(rules))."
  }

  func cells(_ finding: Finding, _ number: String) -> [Cell] {
    let verdict = finding.verdict
    let style: Style =
      switch verdict.severity {
      case .error: .bad
      case .warning: .warning
      case .info: .plain
      }
    var title = Printable.line(verdict.title)
    if verdict.occasions > 1 { title += " (\(verdict.occasions) times)" }
    return [
      Cell(number, .strong, right: true),
      Cell(verdict.rule, style),
      Cell(verdict.severity.rawValue, style),
      Cell(finding.event > 0 ? "event \(finding.event)" : "", .faint),
      Cell(Wording.time(time(verdict.time, of: verdict.stream)), right: true),
      Cell(player.timeline.streams.count > 1 ? player.labels[verdict.stream] : "", .name),
      Cell(title),
    ]
  }

  func json(_ finding: Finding) -> JSON {
    let verdict = finding.verdict
    return .object([
      ("number", JSON(finding.number)),
      ("rule", .string(verdict.rule)),
      ("severity", .string(verdict.severity.rawValue)),
      ("outcome", .string(verdict.outcome.word)),
      ("event", finding.event > 0 ? JSON(finding.event) : .null),
      ("ns", .int(time(verdict.time, of: verdict.stream).rawValue)),
      ("writer", .string(player.labels[verdict.stream])),
      ("title", .string(verdict.title)),
      ("details", .array(verdict.details.map { .string($0) })),
      ("advice", .string(verdict.advice)),
    ])
  }
}
