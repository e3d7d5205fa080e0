// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJudging
import LifetraceJSON
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace

/// What is said when a recording is opened: where it stands, and what to try.
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

  /// `reopen` gives the recording anew; without it nobody is there whom a check would keep waiting.
  init(_ session: Session, reopen: (@Sendable () -> (any EventSource)?)?) {
    self.session = session
    isChecked = session.player.timeline.count <= Self.checkedEventsMax
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
      session.chosenFinding = finding
    }
  }

  var lines: [String] {
    let player = session.player
    let timeline = player.timeline
    let paint = session.paint
    var lines = session.problems.map { paint($0, .warning) } + damage
    guard let finding, let verdict else {
      lines.append(
        "\(Printable.line(session.title)): \(Quantity.count(timeline.count, "event")) in "
          + "\(Quantity.duration(timeline.duration)). "
          + (isChecked
            ? session.isUnjudged
              ? CheckReport.nothingJudged
              : (hasLosses ? "No rule is broken in what is left." : "No rule is broken.")
            : session.background != nil
              ? "It is large: the rules are being checked meanwhile."
              : "It is large and was not checked yet: violations checks it.")
      )
      return lines + session.remarks + tries(["step", "next state", "help"])
    }
    lines.append(session.headline(finding, verdict))
    if let detail = verdict.details.first { lines.append(session.sentence(detail)) }
    lines += source(of: verdict)
    if session.chosenFinding == finding, let place = player.place {
      lines.append(session.line(place, number: player.here.ordinal))
    }
    let object = verdict.witnesses.contains { $0.label == "edit" }
    lines += session.remarks
    return lines + tries(["why", object ? "prev dirty" : "back", "violations"])
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
  private var damage: [String] {
    let found = session.player.timeline.damage
    guard let first = found.first else { return [] }
    let line = first.description.prefix { $0 != "\n" }
    let rest = found.count == 1 ? "" : ", and \(Quantity.count(found.count - 1, "chunk")) more"
    return [
      session.paint(
        "Damaged: \(Printable.line(String(line)))\(rest). "
          + "Its events stand here as losses, and what they held is not judged.",
        .warning
      )
    ]
  }

  private func tries(_ commands: [String]) -> [String] {
    ["Try: " + commands.map { session.paint($0, .strong) }.joined(separator: ", ")]
  }

  /// The first witness with a source line, and its text where the file is found.
  private func source(of verdict: Verdict) -> [String] {
    let timeline = session.player.timeline
    for witness in verdict.witnesses {
      guard let place = timeline.place(of: witness.stream, sequence: witness.sequence) else {
        continue
      }
      let event = timeline.event(at: place)
      let site = session.player.names[event.site]
      guard site.file != .empty else { continue }
      let file = Printable.line(session.player.names[site.file])
      let line = "  \(witness.label) at \(session.paint("\(file):\(site.line)", .name))"
      return [line] + (session.sourceLine(event).map { [$0] } ?? [])
    }
    return []
  }

  var json: JSON {
    let timeline = session.player.timeline
    return .object([
      ("command", .string("open")), ("file", .string(session.title)),
      ("events", JSON(timeline.count)), ("writers", JSON(timeline.streams.count)),
      ("checked", .bool(isChecked)),
      ("finding", finding.map { session.json($0, verdict) } ?? .null),
      ("problems", .array(session.problems.map { .string($0) })),
      ("remarks", .array(session.remarks.map { .string($0) })),
      ("at", session.player.place.map { session.json($0) } ?? .null),
    ])
  }
}
