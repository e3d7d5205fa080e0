// SPDX-License-Identifier: GPL-3.0-or-later
import Replay
import Rules
import Timeline
import Trace

extension Session {
  /// A line for a violation: its number, rule, severity and title.
  func headline(_ finding: Finding) -> String {
    let verdict = finding.verdict
    let style: Style = verdict.severity == .error ? .bad : .warning
    return paint(
      "Violation #\(finding.number), \(verdict.rule) (\(verdict.severity.rawValue)): ",
      style
    )
      + Printable.line(verdict.title)
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
