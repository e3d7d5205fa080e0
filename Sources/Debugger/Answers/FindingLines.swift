// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJudging
import LifetraceJSON
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

extension Session {
  /// What the rule says of a finding, told again where only its place was kept.
  func verdict(of finding: Finding) throws -> Verdict {
    let count = player.timeline.streams[Int(finding.stream.rawValue)].count
    let progress = ProgressLine(total: count, isShown: isWatched)
    defer { progress.clear() }
    return try player.verdict(of: finding, by: settings.judgement) { progress.show($0) }
  }

  /// The event at which a finding became so, as every command takes it: `notes#1:22`.
  func name(of finding: Finding) -> EventName {
    EventName(writer: player.labels[finding.stream], sequence: finding.sequence)
  }

  /// Where its event is; nil where the recording lacks it.
  func place(of finding: Finding) -> EventPlace? {
    player.timeline.place(of: finding.stream, sequence: finding.sequence)
  }

  /// A line for a violation: its number, rule, severity and title.
  func headline(_ finding: Finding) throws -> String {
    headline(finding, try verdict(of: finding))
  }

  func headline(_ finding: Finding, _ verdict: Verdict) -> String {
    let style: Style = verdict.severity == .error ? .bad : .warning
    return paint(
      "Violation #\(finding.number), \(verdict.rule) (\(verdict.severity.rawValue)): ",
      style
    )
      + sentence(verdict.title)
  }

  /// A rule's sentence, made printable, with a period.
  func sentence(_ sentence: Sentence) -> String {
    let result = sentence.line
    return result.hasSuffix(".") || result.isEmpty ? result : result + "."
  }

  /// What is said where a walk over the violations cannot know all of them; nil where it does.
  func unplaced(_ findings: Findings) -> String? {
    guard !findings.unplaced.isEmpty else { return nil }
    let rules = findings.unplaced.map { "\(Quantity.grouped($0.count)) of \($0.rule)" }
    let known = findings.violations.count + findings.undecidable.count
    return
      "Violations beyond the first \(Quantity.grouped(known)) findings are only counted, and may "
      + "lie anywhere: \(Wording.list(rules))."
  }

  /// A line of a list of findings; without the words of the rule, what it is about.
  func cells(_ finding: Finding, _ number: String) -> [Cell] {
    let style: Style =
      switch finding.severity {
      case .error: .bad
      case .warning: .warning
      case .info: .plain
      }
    let time = finding.kept.map { self.time($0.time, of: $0.stream) } ?? finding.time
    return [
      Cell(number, .strong, right: true),
      Cell(finding.rule, style),
      Cell(finding.severity.rawValue, style),
      Cell("\(name(of: finding))", .name),
      Cell(time.map { Wording.time($0) } ?? "", right: true),
      Cell(Printable.line(finding.kept?.title.description ?? finding.object)),
    ]
  }

  /// A finding in JSON; with `verdict` also what the rule says of it.
  func json(_ finding: Finding, _ verdict: Verdict?) -> JSON {
    let event = player.timeline.ordinal(of: finding.stream, sequence: finding.sequence)
    let time = verdict.map { self.time($0.time, of: $0.stream) } ?? finding.time
    var pairs: [(String, JSON)] = [
      ("number", JSON(finding.number)),
      ("rule", .string(finding.rule)),
      ("severity", .string(finding.severity.rawValue)),
      ("outcome", .string(finding.isViolation ? "violated" : "undecidable")),
      ("event", event.map { JSON($0) } ?? .null),
      ("ns", time.map { .int($0.rawValue) } ?? .null),
      ("writer", .string(player.labels[finding.stream])),
      ("sequence", JSON(finding.sequence)),
    ]
    if !finding.object.isEmpty { pairs.append(("object", .string(finding.object))) }
    if let verdict {
      pairs.append(("title", .string("\(verdict.title)")))
      pairs.append(("details", .array(verdict.details.map { .string("\($0)") })))
      pairs.append(("advice", .string("\(verdict.advice)")))
    }
    return .object(pairs)
  }
}
