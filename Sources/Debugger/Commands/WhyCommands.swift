// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJudging
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// `why`: the chain of events from the cause to a violation, to a state, or to unsaved data.
enum WhyCommands {
  static let all: [Command] = [
    Command(
      name: "why",
      aliases: ["explain"],
      synopsis: "[#N | WRITER:SEQUENCE | RULE | state [WRITER] | OBJECT | NOTIFICATION]",
      summary: "explain a violation, an event, the state, or what a purge here would lose",
      group: .explaining,
      details: [
        "Without an argument: the violation at this place, else the data or the notification that "
          + "the last event is about, the state where it changed that, and else the event: what led "
          + "to it, where it began or ends, and what the time around it went into.",
        "For a violation: the event that is to blame, marked as the cause, the events by which it "
          + "led there, what had led to it, and what else the rule points to; `goto` takes the "
          + "number of each.",
        "For an event, WRITER:SEQUENCE: the same as without an argument there.",
        "For a message: the sends and receives that led to it, through all processes and machines.",
        "For an object: when it was edited and saved, which callbacks ran without saving it, and "
          + "when it could last have been saved; before its first edit, where that is.",
        "For a type of notifications: its posts and deliveries, and the suspensions between them.",
      ],
      examples: ["why", "why #1", "why notes#1:22", "why state", "why draft.txt"],
      completes: .explanations
    ) { session, words in try why(session, words) }
  ]

  private static func why(_ session: Session, _ words: [String]) throws -> Answer {
    let player = session.player
    guard let word = words.first else { return try whyHere(session) }
    if word.hasPrefix("#") {
      return try show(session, session.violation(word))
    }
    if word == "state" {
      return show(session, try player.whyState(of: session.stream(Array(words.dropFirst()))))
    }
    let object = try session.plainName(words.joined(separator: " "))
    if let answer = try data(object, session) { return answer }
    if let explanation = try notifications(object, session) { return show(session, explanation) }
    let rule = word.uppercased()
    let findings = try session.findings()
    for list in [findings.violations, findings.undecidable] {
      if let finding = list.first(where: { $0.rule == rule }) { return try show(session, finding) }
    }
    if let place = try Places.event(word, session) {
      return try player.visit(place) { try whyHere(session) }
    }
    if let explanation = try player.whyNotYet(object) { return show(session, explanation) }
    if words.count == 1, let number = Int(word), number > 0 {
      throw CommandError.no(
        "\(number) may be an event or a violation: goto \(number) and then why, or why #\(number)."
      )
    }
    if words.count == 1, (try? Question(word)) != nil {
      throw CommandError.no(
        "Nothing is called \(Printable.line(word)) here. It is said of events: find \(Printable.line(word)) goes to "
          + "one, and why explains it there."
      )
    }
    throw CommandError.no(
      "There is nothing to explain about \(Printable.line(object)): it is no violation, no rule that "
        + "was broken, and no data object or notification of this recording.\(session.didYouMean(object))"
    )
  }

  private static func whyHere(_ session: Session) throws -> Answer {
    let player = session.player
    if let finding = player.violation { return try show(session, finding) }
    let violations = try session.findings().violations
    if let first = violations.range(at: player.here, in: player.timeline).first {
      return try show(session, violations[first])
    }
    if let place = player.place, player.flow(of: place) != nil {
      return show(session, try player.whyMessage(at: place))
    }
    guard let event = player.event, let place = player.place else {
      return show(session, try player.whyState(of: player.focus))
    }
    let name = player.names[event.identityName]
    switch event.kind.family {
    case .data:
      if let answer = try data(name, session) { return answer }
    case .notification:
      if let explanation = try player.whyNotification(name, of: place.stream) {
        return show(session, explanation)
      }
    case .process where event.kind == .processExit:
      let explanation = try player.whyEvent(at: place)
      guard explanation.steps.count > 1 else {
        return show(session, try player.whyState(of: place.stream))
      }
      return show(session, explanation)
    case .state, .process: return show(session, try player.whyState(of: place.stream))
    case .device: return show(session, try player.whyState(of: player.focus))
    default: break
    }
    return show(session, try player.whyEvent(at: place))
  }

  /// The object in the stream of the last event, else in any stream that knows it.
  private static func data(_ object: String, _ session: Session) throws -> Answer? {
    try first(session) { stream in
      guard let explanation = try session.player.whyData(object, of: stream) else { return nil }
      var answer = show(session, explanation)
      Ledgers.tellOwnTime(session, stream, &answer)
      return answer
    }
  }

  /// The same of a type of notifications.
  private static func notifications(_ type: String, _ session: Session) throws -> Explanation? {
    guard session.player.names.find(type) != nil else { return nil }
    return try first(session) { try session.player.whyNotification(type, of: $0) }
  }

  /// What the first stream says that can say something, that in focus before the others.
  private static func first<Found>(_ session: Session, _ ask: (StreamID) throws -> Found?) throws
    -> Found?
  {
    let player = session.player
    let others = player.timeline.startOrder.reversed().map(session.id)
    for stream in [player.focus] + others where player.cursor(of: stream) > 0 {
      if player.isInterrupted() { throw SearchInterrupted() }
      if let found = try ask(stream) { return found }
    }
    return nil
  }

  private static func show(_ session: Session, _ finding: Finding) throws -> Answer {
    let verdict = try session.verdict(of: finding)
    var answer = Answer(.line(nil, [Fact("finding", .object(session.facts(finding, verdict)))]))
    var explanation = try session.player.why(verdict)
    explanation.remarks += session.timeScales.sentences.map { Sentence($0) }
    show(session, explanation, as: session.headline(finding, verdict), in: &answer)
    return answer
  }

  private static func show(_ session: Session, _ explanation: Explanation) -> Answer {
    var answer = Answer()
    let title = Line(explanation.title.line)
    show(session, explanation, as: title, in: &answer)
    return answer
  }

  private static func show(
    _ session: Session,
    _ explanation: Explanation,
    as title: Line,
    in answer: inout Answer
  ) {
    answer.say(title, [Fact("title", .text("\(explanation.title)"))])
    answer.list("steps", explanation.steps.map { .facts(facts($0)) }, indent: 2)
    if let cause = explanation.cause {
      answer.note(Fact("cause", .text("\(session.player.name(of: cause))")))
    }
    for remark in explanation.remarks { answer.say(Line(session.sentence(remark))) }
    answer.note(Fact("remarks", .texts(explanation.remarks.map { "\($0)" })))
    let advice = session.sentence(explanation.advice)
    answer.say(
      advice.isEmpty ? nil : "\("What to do: ", .good)\(advice)",
      [Fact("advice", .text("\(explanation.advice)"))]
    )
  }

  private static func facts(_ step: Explanation.Step) -> [Fact] {
    let label = Fact("label", .text(step.label), step.label, .strong)
    guard let place = step.place, let number = step.event else {
      return [label, Fact("at", .none, "is not in the recording", .bad)]
    }
    return [label, Fact("at", .event(EventPoint(place: place, number: number)))]
  }
}
