// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceHypotheses
import LifetraceJudging
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// `slack`: by how much one time would have to be another for a rule to say something else.
enum SlackCommand {
  /// As many are listed of those that were kept.
  private static let rowsMax = 10

  static let all: [Command] = [
    Command(
      name: "slack",
      aliases: ["margins"],
      synopsis: "[#N | RULE | all]",
      summary: "tell by how much a deadline was kept, or missed",
      group: .explaining,
      details: [
        "Without #N: the lengths of time that used up the greatest share of what a rule allows, and "
          + "kept it: what was slow, and no violation; of one RULE, or all that are known. With #N: by "
          + "how much less the rule would have been kept.",
        "All other times are taken to be what they are; what the app would have done otherwise is not "
          + "claimed. Where the clock is not exact, it is a range: at least, and at most.",
      ],
      examples: ["slack", "slack DL02", "slack #1"],
      completes: .explanations
    ) { session, words in
      if words.isEmpty { return try nearest(session, .some) }
      if words == ["all"] { return try nearest(session, .all) }
      if words.count == 1, let info = session.settings.judgement.table.info(words[0].uppercased()) {
        return try nearest(session, .rule(info.id))
      }
      return try slack(session, session.violation(words, "slack"))
    }
  ]

  // MARK: What was kept

  /// Which of the lengths that were kept are listed.
  fileprivate enum Selection: Equatable {
    case some, all
    case rule(String)
  }

  private static func nearest(_ session: Session, _ selection: Selection) throws -> Answer {
    let player = session.player
    let progress = session.progress("Measuring", player.timeline.count, "event")
    defer { progress.clear() }
    let slack = try Slack(
      player.timeline,
      by: session.settings.judgement,
      isInterrupted: { player.isInterrupted() },
      progress: { progress.show($0) }
    )
    var answer = Answer()
    answer.note(Fact("kept", .count(slack.keptCount)))
    let wanted = slack.rows.filter { selection.takes($0.rule) }
    let rows = wanted.prefix(selection == .some ? rowsMax : wanted.count)
    let all = "\(Quantity.count(slack.keptCount, "length")) of time that kept the rules"
    switch selection {
    case _ where slack.keptCount == 0:
      answer.say("No rule has measured a length of time that was kept.")
    case .rule(let id) where rows.isEmpty:
      answer.say(Line("\(id) has measured no length of time that was kept."))
    case .rule(let id): answer.say(Line("\(id), the greatest share of its limit first:"))
    case _ where rows.count == slack.keptCount:
      answer.say(Line("\(all), the greatest share of the limit first:"))
    case _ where rows.count < wanted.count:
      answer.say(Line("The greatest shares of the limit, of \(all); for more: slack all"))
    default: answer.say(Line("The greatest shares of the limit of each rule, of \(all):"))
    }
    answer.list("nearest", rows.map { .facts(facts($0, session)) }, indent: 2)
    return answer
  }

  private static func facts(_ row: Slack.Row, _ session: Session) -> [Fact] {
    let margin = row.margin
    let place = session.player.timeline.place(of: margin.stream, sequence: margin.sequence)
    let name = EventName(writer: session.player.labels[margin.stream], sequence: margin.sequence)
    let event = place.map { session.player.timeline.event(at: $0) }
    let words = { (duration: Int64) in session.nominal(duration, of: margin.stream) }
    return [
      Fact("rule", .text(row.rule), .strong),
      Fact("event", .text("\(name)"), "\(name)", .name),
      Fact(
        "atLeastNs",
        row.change.map { .duration($0.lowerBound) } ?? .none,
        "kept by \(row.change.map { words($0.lowerBound) } ?? "")"
      ),
      Fact(
        "lengthNs",
        .duration(margin.length),
        "\(words(margin.length)) of \(words(margin.keptUpTo))"
      ),
      Fact(data: "limitNs", .duration(margin.keptUpTo)),
      Fact(data: "atMostNs", row.change.map { .duration($0.upperBound) } ?? .none),
      Fact(words: event.map { EventText.sentence($0, session.player.names).line } ?? ""),
    ]
  }

  // MARK: What is broken

  private static func slack(_ session: Session, _ finding: Finding) throws -> Answer {
    let player = session.player
    let progress = session.progress("Measuring", player.timeline.count, "event")
    defer { progress.clear() }
    let slack = try Slack(
      of: finding,
      by: session.settings.judgement,
      on: player.timeline,
      isInterrupted: { player.isInterrupted() },
      progress: { progress.show($0) }
    )
    var answer = Answer()
    answer.note(Fact("rule", .text(finding.rule)), Fact("violation", .count(finding.number)))
    let rows = slack.rows.filter { $0.margin.isKept != true }
    guard !rows.isEmpty else {
      answer.say(Line(refusal(finding)))
      answer.list("times", [])
      return answer
    }
    for row in rows { answer.say(sentence(row, session)) }
    answer.list("times", rows.map { .facts(data($0, session)) })
    return answer
  }

  /// The rules of lost data: what they find follows from the order of events.
  private static let ofOrder = ["DS01", "DS02", "DS03"]

  /// Why no length of time is told.
  private static func refusal(_ finding: Finding) -> String {
    let why = "For what it rests on: why #\(finding.number)"
    guard ofOrder.contains(finding.rule) else {
      return
        "\(finding.rule) rests on no length of time here: no shift of one time changes it. \(why)"
    }
    // A save that came before the end would have written another state, and its length is unknown.
    return
      "\(finding.rule) has no slack: it rests on the order of edits, saves and the end, not on a length "
      + "of time. How long a save would have taken that did not end here, no recording says; to play the "
      + "app with another time: rerun --with \"suspend +300ms\". \(why)"
  }

  private static func sentence(_ row: Slack.Row, _ session: Session) -> Line {
    let margin = row.margin
    let label = session.player.labels[margin.stream]
    let words = { (duration: Int64) in session.nominal(duration, of: margin.stream) }
    let end = "\(label):\(margin.sequence)"
    let length = "\(words(margin.length)) of \(words(margin.keptUpTo))"
    let took = "\(row.rule) is broken at \(end): \(length)."
    guard let change = row.change else {
      return Line("\(took) No time decides it: the system has acted, or events are missing.")
    }
    let exact = change.lowerBound == change.upperBound
    let less =
      exact
      ? words(change.lowerBound)
      : "at least \(words(change.lowerBound)), at most \(words(change.upperBound)),"
    guard let begin = margin.begin else {
      return Line(
        "\(took) It would be kept with \(less) less of it, which no single event decides."
      )
    }
    let event = session.player.heldPlace(of: margin.stream, sequence: margin.sequence)
      .map(session.player.timeline.event(at:))
    // Nobody can bring the end of the process forward to be in time.
    if event?.kind == .processExit || event?.kind == .purge {
      return Line(
        "\(took) It would be kept had it been over \(less) before \(end), or had \(label):\(begin) come as "
          + "much later."
      )
    }
    return Line(
      "\(took) It would be kept had \(end) come \(less) sooner, or \(label):\(begin) as much later."
    )
  }

  private static func data(_ row: Slack.Row, _ session: Session) -> [Fact] {
    let margin = row.margin
    return [
      Fact(data: "writer", .text(session.player.labels[margin.stream])),
      Fact(data: "sequence", .count(margin.sequence)),
      Fact(data: "beginSequence", margin.begin.map { .count($0) } ?? .none),
      Fact(data: "lengthNs", .duration(margin.length)),
      Fact(data: "limitNs", .duration(margin.keptUpTo)),
      Fact(data: "atLeastNs", row.change.map { .duration($0.lowerBound) } ?? .none),
      Fact(data: "atMostNs", row.change.map { .duration($0.upperBound) } ?? .none),
    ]
  }
}

extension SlackCommand.Selection {
  fileprivate func takes(_ rule: String) -> Bool {
    if case .rule(let id) = self { return rule == id }
    return true
  }
}

extension Session {
  /// A length of time on the clock of a stream, as rules say it: at the scale of the deadlines.
  func nominal(_ duration: Int64, of stream: StreamID) -> String {
    let scale = Int64(player.timeline.streams[Int(stream.rawValue)].attributes.timeScale)
    guard scale != 0, scale != 1000 else { return Quantity.duration(duration) }
    let (product, overflow) = duration.multipliedReportingOverflow(by: 1000)
    return Quantity.duration(overflow ? duration / scale * 1000 : product / scale)
  }
}
