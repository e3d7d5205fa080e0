// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJudging
import LifetraceReplay
import LifetraceReports
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// The text when a recording is opened: where it stands, and what to try.
///
/// The player is at the first of the gravest violations: two sentences, the
/// source line, three commands. Without a violation it is at the start. A large
/// recording is checked while its user has begun to type.
struct Opening {
  /// Larger recordings are not checked before the first prompt.
  static let checkedEventsMax = 1_000_000

  private let session: Session
  private var finding: Finding?
  private var verdict: Verdict?
  private let isChecked: Bool

  /// `reopen` opens the recording anew; without it there is no user whom a check would delay.
  init(_ session: Session, reopen: (@Sendable () -> (any EventSource)?)?) {
    self.session = session
    isChecked = session.player.timeline.count <= Self.checkedEventsMax || session.recall()
    if !isChecked, let reopen {
      session.background = BackgroundCheck(
        session.settings.judgement,
        events: session.player.timeline.count,
        open: reopen
      )
    }
    guard isChecked, let findings = try? session.findings() else { return }
    finding = findings.gravest
    guard let finding, let told = try? session.verdict(of: finding) else { return }
    verdict = told
    if let place = session.place(of: finding) {
      session.player.open(atEvent: session.player.timeline.number(of: place))
      session.player.violation = finding
    }
  }

  /// The greeting, and what to try.
  var answer: Answer {
    var answer = greeting
    var tries = ("step", "next state", "help")
    if finding != nil, let verdict {
      let object = verdict.witnesses.contains { $0.label == "edit" }
      tries = ("why", object ? "prev dirty" : "back", "violations")
    }
    answer.say("Try: \(tries.0, .strong), \(tries.1, .strong), \(tries.2, .strong)")
    return answer
  }

  /// People read the problems first; without a violation how large the recording is, too.
  var greeting: Answer {
    let timeline = session.player.timeline
    var answer = Answer()
    answer.note(
      Fact("file", .text(session.title)),
      Fact("events", .count(timeline.count)),
      Fact("writers", .count(timeline.streams.count)),
      Fact("checked", .flag(isChecked)),
      Fact("finding", finding.map { .object(session.facts($0, verdict)) } ?? .none)
    )
    answer.say("problems", session.problems, .warning)
    answer.say(damage)
    if let finding, let verdict {
      answer.say(session.headline(finding, verdict))
      answer.say(verdict.details.first.map { Line(session.sentence($0)) })
      for line in source(of: verdict) { answer.say(line) }
      if session.player.violation == finding, let point = session.point {
        answer.list(nil, [.facts([Fact(shown: point)])])
      }
    } else {
      answer.say(
        """
        \(Printable.line(session.title)): \(Quantity.count(timeline.count, "event")) in \
        \(Quantity.duration(timeline.duration)). \(outcome)
        """
      )
    }
    answer.say("remarks", session.remarks)
    answer.say(session.notesAtHand, [Fact("notes", .count(session.notebook.entries.count))])
    answer.say("news", session.notebook.takeNews(), .warning)
    session.tellVerdictNews(in: &answer)
    answer.note(Fact("at", session.point.map { .event($0) } ?? .none))
    return answer
  }

  /// What is said where no violation was found.
  private var outcome: String {
    guard isChecked else {
      return session.background != nil
        ? "It is large: the rules are being checked meanwhile."
        : "It is large and was not checked yet: violations checks it."
    }
    guard !session.isUnjudged else { return Unjudged.nothingJudged }
    let kept = hasLosses ? "No rule is broken in what is left." : "No rule is broken."
    return [kept, session.unjudged].compactMap { $0 }.joined(separator: " ")
  }

  private var hasLosses: Bool {
    session.player.timeline.streams.contains { stream in
      var next: UInt64 = 0
      return stream.chunks.contains { chunk in
        defer { next = chunk.endSequence }
        return chunk.kinds.contains(.loss) || chunk.firstSequence != next
      }
    } || !session.player.timeline.damage.isEmpty
  }

  /// What the check has met that cannot be read; before it nothing was decoded.
  private var damage: Line? {
    let found = session.player.timeline.damage
    guard let first = found.first else { return nil }
    let line = first.description.prefix { $0 != "\n" }
    let rest = found.count == 1 ? "" : ", and \(Quantity.count(found.count - 1, "chunk")) more"
    return Line(
      "Damaged: \(Printable.line(String(line)))\(rest). "
        + "Its events stand here as losses, and what they held is not judged.",
      .warning
    )
  }

  /// The line to look at, as the page and `why` have it, and its text where the file is found.
  private func source(of verdict: Verdict) -> [Line] {
    let player = session.player
    let chain = player.causes(of: verdict)
    guard let place = player.culprit(chain, of: verdict) else { return [] }
    let event = player.timeline.event(at: place)
    guard let source = SourcePlace(event.site, player.names) else { return [] }
    let witness = verdict.witnesses.first {
      $0.stream == place.stream && $0.sequence == event.sequence
    }
    let isCause = place == chain?.cause
    let relation = isCause ? chain?.steps.first?.relation?.rawValue : nil
    let label = [witness?.label, relation].compactMap(\.self).first { !$0.isEmpty } ?? "here"
    let line: Line =
      "  \(label)\(isCause ? ": the cause," : "") at \(Printable.line("\(source)"), .name)"
    return [line] + (session.sourceLine(event).map { [$0] } ?? [])
  }
}
