// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// Commands that change where you stand.
enum MovingCommands {
  static let all: [Command] = [
    Command(
      name: "step",
      aliases: ["s", "si", "stepi"],
      synopsis: "[COUNT]",
      summary: "go forward by one event, or by COUNT",
      group: .moving,
      details: [
        "Events of all writers are one order; with set only WRITER the others are passed over."
      ],
      examples: ["step", "step 10"],
      repeats: true
    ) { try step($0, $1, .forward) },
    Command(
      name: "back",
      aliases: ["rs", "rsi", "reverse-step", "reverse-stepi"],
      synopsis: "[COUNT]",
      summary: "go backward by one event, or by COUNT",
      group: .moving,
      examples: ["back", "back 10"],
      repeats: true
    ) { try step($0, $1, .backward) },
    Command(
      name: "next",
      aliases: ["n", "forward"],
      synopsis: "[KIND [TEXT] | EXPRESSION]",
      summary: "go forward to the next event of a kind, or at which an expression holds",
      group: .moving,
      details: [
        "KIND is a word from help kinds, a dotted kind such as data.dirty, or a family such as "
          + "data. With TEXT the event must mention it. Without KIND: what was looked for last "
          + "time.",
        "EXPRESSION is a condition of the event and the state: help expressions.",
        "next violation goes to the next place where a rule is broken.",
      ],
      examples: [
        "next state", "next dirty draft.txt", "next took > 16ms && thread == main",
        "next violation",
      ],
      completes: .kinds,
      takesText: true,
      repeats: true
    ) { try next($0, $1, .forward) },
    Command(
      name: "prev",
      aliases: ["rn", "previous", "reverse-next"],
      synopsis: "[KIND [TEXT] | EXPRESSION]",
      summary: "go backward to the previous event of a kind, or at which an expression holds",
      group: .moving,
      details: ["KIND, TEXT and EXPRESSION are as for next."],
      examples: ["prev callback", "prev dirty"],
      completes: .kinds,
      takesText: true,
      repeats: true
    ) { try next($0, $1, .backward) },
    Command(
      name: "continue",
      aliases: ["c"],
      summary: "go forward to the next stop or violation, or to the end",
      group: .moving,
      repeats: true
    ) { try advance($0, $1, .forward) },
    Command(
      name: "reverse-continue",
      aliases: ["rc"],
      summary: "go backward to the previous stop or violation, or to the start",
      group: .moving,
      repeats: true
    ) { try advance($0, $1, .backward) },
    Command(
      name: "finish",
      aliases: ["fin"],
      summary: "go to where the callback, work or wait around here ends",
      group: .moving
    ) { try leave($0, $1, .forward) },
    Command(
      name: "reverse-finish",
      aliases: ["rfin"],
      summary: "go back to where the callback, work or wait around here began",
      group: .moving
    ) { try leave($0, $1, .backward) },
    Command(
      name: "goto",
      aliases: ["g", "jump", "seek", "advance"],
      synopsis: "PLACE",
      summary: "go to an event, a time, a percentage, a violation or a mark",
      group: .moving,
      details: ["PLACE is \(Places.forms)."],
      examples: [
        "goto notes#1:22", "goto 42", "goto +2.104", "goto .-300ms", "goto 50%", "goto #1",
        "goto end",
      ],
      completes: .places
    ) { session, words in
      guard words.count == 1 else {
        try Places.refuse(words, "goto")
        throw CommandError.usage("goto takes one place: \(Places.forms).")
      }
      return session.standing(try Places.go(to: words[0], session))
    },
    Command(
      name: "undo",
      aliases: ["u"],
      synopsis: "[COUNT]",
      summary: "go back to where you stood before the last move",
      group: .moving,
      repeats: true
    ) { try history($0, $1, "undo", "There is nothing to undo.") { $0.undo() } },
    Command(
      name: "redo",
      synopsis: "[COUNT]",
      summary: "undo the last undo",
      group: .moving,
      repeats: true
    ) { try history($0, $1, "redo", "There is nothing to redo.") { $0.redo() } },
  ]

  private static func step(_ session: Session, _ words: [String], _ direction: Direction) throws
    -> Answer
  {
    let count = try CommandWords.count(words)
    let progress = session.progress("Stepping", count, "event")
    defer { progress.clear() }
    let done = try session.player.step(direction, count: count) { progress.show($0) }
    guard done == 0 else { return session.standing() }
    throw CommandError.no(
      direction == .forward
        ? session.endWords : "This is the start of the recording."
    )
  }

  private static func next(_ session: Session, _ words: [String], _ direction: Direction) throws
    -> Answer
  {
    let text = words.first ?? session.lastKind
    let sought = try session.search(kind: text)
    session.lastKind = text
    guard var search = sought else { return try violation(session, direction) }
    let player = session.player
    let from = player.here
    let found = try session.find(direction) {
      search = try session.search(kind: text) ?? search
      return search.filter
    }
    guard let place = found else {
      let where_ = direction == .forward ? "after" : "before"
      let end = direction == .forward ? player.timeline.finish : player.timeline.start
      let open = search.asking.flatMap { session.undecided($0, from: from, to: end) }
      throw CommandError.no(
        "There is no \(search.words) \(where_) this place." + (open.map { " \($0.text)" } ?? "")
          + (search.asking.flatMap { session.nothingThere($0.question) }.map { " \($0)" } ?? "")
      )
    }
    player.seek(to: place)
    var answer = session.standing(
      search.asking.flatMap { session.undecided($0, from: from, to: player.here) }
    )
    if !words.isEmpty { answer.say(session.kindsMeant(search.asking?.question)) }
    return answer
  }

  private static func violation(_ session: Session, _ direction: Direction) throws -> Answer {
    let findings = try session.findings(upToDate: true)
    let unplaced = session.unplaced(findings).map { " \($0.text)" } ?? ""
    guard let found = session.player.nextViolation(direction, in: findings) else {
      throw CommandError.no(
        findings.violations.isEmpty
          ? session.nothingBroken
          : "There is no violation \(direction == .forward ? "after" : "before") this place."
            + unplaced
      )
    }
    let headline = try session.headline(found)
    session.player.seek(to: found)
    return session.standing("\(headline)\(unplaced)")
  }

  private static func advance(_ session: Session, _ words: [String], _ direction: Direction) throws
    -> Answer
  {
    try CommandWords.none(words, direction == .forward ? "continue" : "reverse-continue")
    let player = session.player
    var findings = try session.findings(upToDate: true)
    var halt = try session.nextHalt(direction, at: player.nextViolation(direction, in: findings))
    var end = player.timeline.finish
    while direction == .forward, halt == nil, try player.awaitMore?() == true {
      findings = try session.findings(upToDate: true)
      halt = try session.nextHalt(
        direction,
        at: player.nextViolation(direction, in: findings),
        from: player.timeline.widened(end)
      )
      end = player.timeline.finish
    }
    let unplaced = session.unplaced(findings).map { " \($0.text)" } ?? ""
    if let halt { return try session.go(to: halt, unplaced) }
    let target = direction == .forward ? player.timeline.count : 0
    guard player.here.ordinal != target else {
      throw CommandError.no(
        findings.violations.isEmpty && player.stops.all.isEmpty
          ? session.nothingBroken
          : "There is no \(player.stops.all.isEmpty ? "" : "stop and no ")violation "
            + "\(direction == .forward ? "after" : "before") this place." + unplaced
      )
    }
    player.seek(toEvent: target)
    return session.standing(
      "No \(player.stops.all.isEmpty ? "" : "stop and no ")violation on the way.\(unplaced)"
    )
  }

  private static func leave(_ session: Session, _ words: [String], _ direction: Direction) throws
    -> Answer
  {
    try CommandWords.none(words, direction == .forward ? "finish" : "reverse-finish")
    let player = session.player
    guard let place = player.place else { throw CommandError.no("Nothing has begun yet.") }
    let event = player.timeline.event(at: place)
    // Standing on the begin of a span, that span is meant when going forward only.
    let state =
      direction == .forward
      ? player.state(of: event.stream) : player.state(of: event.stream, after: place.index)
    guard let span = state.openSpans(on: event.thread).last,
      let begin = player.timeline.place(of: event.stream, sequence: span.sequence)
    else {
      throw CommandError.no("Nothing is open around here on \(Wording.thread(event.thread)).")
    }
    player.violation = nil
    if direction == .backward {
      player.seek(to: begin)
      return session.standing()
    }
    guard let end = try session.end(of: span, in: event.stream, waits: true) else {
      throw CommandError.no("It never ends in this recording.")
    }
    player.seek(to: end)
    return session.standing()
  }

  private static func history(
    _ session: Session,
    _ words: [String],
    _ name: String,
    _ none: String,
    _ move: (Player) -> Bool
  ) throws -> Answer {
    let count = try CommandWords.count(words)
    var done = 0
    while done < count, move(session.player) { done += 1 }
    guard done > 0 else { throw CommandError.no(none) }
    return session.standing()
  }
}
