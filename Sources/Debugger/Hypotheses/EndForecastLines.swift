// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceHypotheses
import LifetraceLifecycle
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// The answer of `what-if purge` and its like: what an end at a place would lose.
enum EndForecastLines {
  static func answer(_ session: Session, _ end: SupposedEnd, _ words: [String]) throws -> Answer {
    guard words.count <= 1 else {
      throw CommandError.usage("what-if \(end.rawValue) takes one place, or none for here.")
    }
    let player = session.player
    let position = try words.first.map { try Places.position($0, session) } ?? player.here
    guard let place = player.timeline.eventBefore(position) else {
      throw CommandError.no("This is the start of the recording: no process has begun.")
    }
    return try player.visit(place) { try answer(session, end, at: place) }
  }

  private static func answer(_ session: Session, _ end: SupposedEnd, at place: EventPlace) throws
    -> Answer
  {
    let player = session.player
    let streams = end == .powerCut ? try alive(session) : [player.focus]
    var answer = Answer()
    answer.note(
      Fact("supposed", .text(end.rawValue)),
      Fact("at", .event(EventPoint(place: place, number: player.here.ordinal)))
    )
    guard !streams.isEmpty else {
      answer.say("No process is alive there: a power cut would lose nothing.")
      return answer
    }
    for stream in streams {
      let state = player.state(of: stream)
      let label = player.labels[stream]
      if let ending = state.process.ending {
        throw CommandError.no(
          "\(label) has ended before, at \(label):\(ending.sequence): nothing can end it here. "
            + "For what that lost: dirty"
        )
      }
      if let notYet = session.notYet(stream) { throw CommandError.no(notYet) }
      let when = "right behind \(player.name(of: place)) (\(session.stateWord(state, of: stream)))"
      say("\(end.subject) of \(label) \(when)", state, label, end, session, &answer)
    }
    answer.say("Nothing behind that place is claimed.")
    return answer
  }

  /// The processes that have begun, and not ended.
  private static func alive(_ session: Session) throws -> [StreamID] {
    let player = session.player
    return try player.timeline.startOrder.map(session.id).filter {
      if player.isInterrupted() { throw SearchInterrupted() }
      return player.timeline.streams[Int($0.rawValue)].attributes.role.isJudged
        && player.cursor(of: $0) > 0 && player.state(of: $0).process.ending == nil
    }
  }

  private static func say(
    _ subject: String,
    _ state: LifeState,
    _ label: String,
    _ end: SupposedEnd,
    _ session: Session,
    _ answer: inout Answer
  ) {
    let names = session.player.names
    let forecast = EndForecast(state, at: end.level)
    let (losses, kept) = (forecast.losses, forecast.objects.count { $0.fate == .kept })
    let edited = "\(Quantity.count(kept, "object")) that it has edited \(kept == 1 ? "is" : "are")"
    switch (losses.isEmpty, kept) {
    case (true, 0) where forecast.doubt == nil:
      answer.say(Line("\(subject) would lose nothing: it has edited nothing."))
    case (true, _) where forecast.doubt == nil:
      answer.say(Line("\(subject) would lose nothing: \(edited) saved."))
    case (true, _): answer.say(Line("\(subject) would lose nothing that is known to be edited."))
    case (false, 0): answer.say(Line("\(subject) would lose:"))
    case (false, _): answer.say(Line("\(subject) would lose, while \(edited) saved:"))
    }
    answer.list(
      "objects",
      forecast.objects.map { .facts(row($0, label, names)) },
      indent: 2
    )
    if let doubt = forecast.doubt {
      answer.say(
        Line("Of other edits nothing is known: \(doubt.words).", .bad),
        [Fact(data: "doubt", .text("\(doubt.words)"))]
      )
    }
    if end == .purge, state.isForeground {
      answer.say(
        """
        Its user would call that a crash: the system purges suspended apps, then such as execute in \
        the background.
        """
      )
    }
  }

  /// For people only what may be lost.
  private static func row(_ one: EndForecast.Object, _ label: String, _ names: Names) -> [Fact] {
    let (word, reason) = words(one.fate)
    let facts = [
      Fact("object", .text(names[one.name]), .strong),
      Fact("version", .count(one.version), "version \(one.version)"),
      Fact("bytes", .bytes(one.bytes), .warning, right: true),
      Fact("fate", .text(word), one.fate == .lost ? "lost" : "\(reason)", .bad),
      Fact(
        "leavesVersion",
        one.leaves.map { .count($0) } ?? .none,
        one.leaves.map {
          $0 == 0 ? "the next launch finds none" : "the next launch finds version \($0)"
        } ?? ""
      ),
      Fact(data: "writer", .text(label)),
    ]
    guard one.fate == .kept || one.fate == .lostBefore else { return facts }
    return facts.map { Fact(data: $0.key ?? "", $0.value) }
  }

  /// One word for programs, and why it is not certain for people.
  private static func words(_ fate: EndForecast.Fate) -> (word: String, reason: Sentence) {
    switch fate {
    case .kept: ("kept", "")
    case .lost: ("lost", "")
    case .lostBefore: ("lost before", "")
    case .open(.saveUnderWay): ("open", "may be lost: a save is under way")
    case .open(.notSynced): ("open", "may be lost: it was written, and not synced")
    case .open(.copied): ("open", "may be lost: it was written to another file only")
    case .open(.stoodBefore): ("open", "may be lost: the same bytes stood there before")
    case .otherBytes: ("open", "may be lost: its save wrote other bytes than the edit told")
    case .unknown(let doubt): ("unknown", "unknown: a save may be missing: \(doubt.words)")
    }
  }
}
