// SPDX-License-Identifier: GPL-3.0-or-later
package import LifetraceJudging
import LifetraceReplay
package import LifetraceRules
package import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

extension Session {
  /// The rule's verdict on a finding, judged again where only its place was kept.
  package func verdict(of finding: Finding) throws -> Verdict {
    let count = player.timeline.streams[Int(finding.stream.rawValue)].count
    let progress = progress("Checking the rules", count, "event")
    defer { progress.clear() }
    return try player.verdict(of: finding, by: settings.judgement) { progress.show($0) }
  }

  /// The violation that `#3` means.
  func violation(_ word: String) throws -> Finding {
    let findings = try findings().violations
    guard let number = Int(word.dropFirst()), findings.indices.contains(number - 1) else {
      throw CommandError.no(
        findings.isEmpty
          ? nothingBroken
          : "There is no violation \(word): they are #1 to #\(findings.count)."
      )
    }
    return findings[number - 1]
  }

  /// The violation that the words mean, `#3`; without any, the one at this place.
  func violation(_ words: [String], _ command: String) throws -> Finding {
    guard let word = words.first else {
      let found = try findings().violations
      let here = found.range(at: player.here, in: player.timeline)
      if let finding = player.violation ?? here.first.map({ found[$0] }) { return finding }
      throw CommandError.no("No rule is broken at this place: \(command) #N, or goto #N first.")
    }
    guard words.count == 1, word.hasPrefix("#") else {
      throw CommandError.usage("\(command) takes the number of a violation, such as #1.")
    }
    return try violation(word)
  }

  /// The event at which a finding became so, as every command takes it: `notes#1:22`.
  func name(of finding: Finding) -> EventName {
    EventName(writer: player.labels[finding.stream], sequence: finding.sequence)
  }

  /// Where its event is; nil where the recording lacks it.
  package func place(of finding: Finding) -> EventPlace? {
    player.timeline.place(of: finding.stream, sequence: finding.sequence)
  }

  /// A line for a violation: its number, rule, severity and title.
  func headline(_ finding: Finding) throws -> Line {
    headline(finding, try verdict(of: finding))
  }

  func headline(_ finding: Finding, _ verdict: Verdict) -> Line {
    let style: Style = verdict.severity == .error ? .bad : .warning
    let head = "Violation #\(finding.number), \(verdict.rule) (\(verdict.severity.rawValue)): "
    guard finding.isViolation else {
      return "\(verdict.rule) cannot be decided: \(sentence(verdict.title))"
    }
    return "\(head, style)\(sentence(verdict.title))"
  }

  /// A rule's sentence, made printable, with a period.
  func sentence(_ sentence: Sentence) -> String {
    let result = sentence.line
    return result.hasSuffix(".") || result.isEmpty ? result : result + "."
  }

  /// The remark where a walk over the violations cannot know all of them; nil where it does.
  func unplaced(_ findings: Findings) -> Line? {
    guard !findings.unplaced.isEmpty else { return nil }
    let rules = findings.unplaced.map { "\(Quantity.grouped($0.count)) of \($0.rule)" }
    let known = findings.violations.count + findings.undecidable.count
    return """
      Violations beyond the first \(Quantity.grouped(known)) findings are only counted, and may lie \
      anywhere: \(Wording.list(rules)).
      """
  }

  /// All of a finding; with `verdict` also what the rule says of it, else what it is about.
  ///
  /// `marker` stands for the number before people.
  func facts(_ finding: Finding, _ verdict: Verdict?, marker: String? = nil) -> [Fact] {
    let style: Style =
      switch finding.severity {
      case .error: .bad
      case .warning: .warning
      case .info: .plain
      }
    let time = verdict.map { self.time($0.time, of: $0.stream) } ?? finding.time
    let number = marker ?? "#\(finding.number)"
    let object = Fact(data: "object", .text(finding.object))
    return [
      Fact("number", .count(finding.number), number, .strong, right: true),
      Fact("rule", .text(finding.rule), style),
      Fact("severity", .text(finding.severity.rawValue), style),
      Fact(data: "outcome", .text(finding.isViolation ? "violated" : "undecidable")),
      Fact(data: "event", .number(of: finding.stream, sequence: finding.sequence)),
      Fact(data: "ns", time.map { .time($0) } ?? .none),
      Fact("writer", .text(player.labels[finding.stream]), "\(name(of: finding))", .name),
      Fact(data: "sequence", .count(finding.sequence)),
      Fact(words: time.map { timeText($0, digits: 3) } ?? "", right: true),
    ] + (finding.object.isEmpty ? [] : [object])
      + (verdict.map(words) ?? [Fact(words: Printable.line(finding.object))])
  }

  /// What a rule says.
  private func words(_ verdict: Verdict) -> [Fact] {
    [
      Fact("title", .text("\(verdict.title)")),
      Fact(data: "details", .texts(verdict.details.map { "\($0)" })),
      Fact(data: "advice", .text("\(verdict.advice)")),
    ]
  }
}
