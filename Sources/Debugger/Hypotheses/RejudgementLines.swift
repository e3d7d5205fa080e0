// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceHypotheses
import LifetraceJudging
import LifetraceLifecycle
import LifetraceReplay
import LifetraceRules
import LifetraceScenario
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// The answer of `what-if profile` and `what-if deadline`: what would be broken under another system,
/// up to its first act that was not.
enum RejudgementLines {
  /// More findings are only counted.
  private static let rowsMax = 20

  static func profile(_ session: Session, _ words: [String]) throws -> Answer {
    let all = Profile.all.map(\.name)
    guard words.count == 1, let profile = Profile.named(words[0]) else {
      throw CommandError.usage("what-if profile takes one of \(Wording.list(all)).")
    }
    let name = profile.name
    return try answer(
      session,
      profile,
      "profile \(name)",
      again: "rerun --with \"profile \(name)\""
    )
  }

  static func deadline(_ session: Session, _ words: [String]) throws -> Answer {
    guard words.count == 2,
      let time = TypedQuantity.nanoseconds(words[1][...], bareSeconds: false), time > 0
    else {
      throw CommandError.usage(
        "what-if deadline takes a name and a length of time: what-if deadline enter-background 3s."
      )
    }
    var profile = session.profile
    guard let threshold = Threshold.deadlines.first(where: { $0.name == words[0] }),
      let before = threshold.limit(in: profile)
    else {
      let names = Threshold.deadlines.map(\.name)
      let meant = nearest(to: words[0], among: names)
      throw CommandError.usage(
        "There is no deadline \(words[0]).\(meant.map { " Did you mean \($0)?" } ?? "") They are "
          + "\(Wording.list(names))."
      )
    }
    let both = before.warn == before.kill ? "" : " to be too slow and to be killed alike"
    threshold.set(to: time, in: &profile)
    return try answer(
      session,
      profile,
      "\(threshold.name) of \(Quantity.duration(time))\(both)",
      again: "set \(threshold.name) under thresholds in lifetrace.yml, then rerun"
    )
  }

  /// `again` says how it is played.
  private static func answer(
    _ session: Session,
    _ profile: Profile,
    _ what: String,
    again: String
  ) throws -> Answer {
    let player = session.player
    let progress = session.progress("Judging twice", 2 * player.timeline.count, "event")
    defer { progress.clear() }
    let other = try Rejudgement(
      player.timeline,
      by: session.settings.judgement,
      under: profile,
      isInterrupted: { player.isInterrupted() },
      progress: { progress.show($0) }
    )
    var answer = Answer()
    answer.note(Fact("supposed", .text(what)))
    let upTo = other.act.map { "up to \(does($0, session)), " } ?? ""
    if other.news.isEmpty, other.gone.isEmpty {
      let same = Quantity.count(other.sameCount, "violation")
      answer.say(Line("Under \(what), \(upTo)the rules say the same: \(same)."))
    } else {
      let more = Quantity.count(other.news.count, "more rule")
      let less = Quantity.grouped(other.gone.count)
      answer.say(
        Line(
          "Under \(what), \(upTo)\(more) would be broken and \(less) less; "
            + "\(Quantity.grouped(other.sameCount)) as now:"
        )
      )
    }
    answer.note(Fact("same", .count(other.sameCount)), Fact("struck", .count(other.struckCount)))
    list("broken", other.news, "would be broken", .bad, session, &answer)
    list("kept", other.gone, "would be kept", .good, session, &answer)
    guard let act = other.act else {
      answer.say("Nothing that its system would have done otherwise is in the recording.")
      return answer
    }
    say(act, other.struckCount, session, again, &answer)
    return answer
  }

  private static func list(
    _ key: String,
    _ findings: [Finding],
    _ words: String,
    _ style: Style,
    _ session: Session,
    _ answer: inout Answer
  ) {
    answer.list(
      key,
      findings.prefix(rowsMax).map { finding in
        .facts([
          Fact("rule", .text(finding.rule), .strong),
          Fact("event", .text("\(session.name(of: finding))"), .name),
          Fact(words: finding.time.map { Wording.time($0) } ?? "", right: true),
          Fact(words: words, style),
          Fact("object", .text(finding.object)),
        ])
      },
      indent: 2
    )
    if findings.count > rowsMax {
      answer.say(Line("  and \(Quantity.count(findings.count - rowsMax, "more")) that \(words)"))
    }
  }

  /// `+0.735 s, where its system would have killed notes#1 (DL09)`.
  private static func does(_ act: Rejudgement.Act, _ session: Session) -> String {
    let label = session.player.labels[act.stream]
    let does =
      switch act.what {
      case .kills(let rule): "would have killed \(label) (\(rule))"
      case .spares(let rule): "would not have killed \(label) (\(rule))"
      case .grants: "would have given the background task of \(label) another time"
      case .moves: "would have moved \(label) otherwise"
      }
    return "\(Wording.time(act.time)), where its system \(does)"
  }

  private static func say(
    _ act: Rejudgement.Act,
    _ struck: Int,
    _ session: Session,
    _ again: String,
    _ answer: inout Answer
  ) {
    let verdicts = Quantity.count(struck, "violation")
    answer.say(
      Line(
        "From there on the app would have lived another life. Struck out behind it: \(verdicts). "
          + "To see it, play it: \(again)"
      ),
      [
        Fact(data: "actNs", .time(act.time)),
        Fact(data: "actWriter", .text(session.player.labels[act.stream])),
        Fact(data: "act", .text(word(act.what))),
      ]
    )
  }

  private static func word(_ what: Rejudgement.Act.What) -> String {
    switch what {
    case .kills: "kills"
    case .spares: "spares"
    case .grants: "grants"
    case .moves: "moves"
    }
  }
}
