// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// Commands that say where going on stops.
enum StopCommands {
  static let all: [Command] = [
    Command(
      name: "break",
      aliases: ["b", "br"],
      synopsis: "[--maybe] [EXPRESSION]",
      summary: "stop continue and reverse-continue where an expression holds",
      group: .stops,
      details: [
        "EXPRESSION is a condition: help expressions. `if` joins as && does. Where missing events "
          + "leave it open whether it holds, it stops with --maybe only. Without EXPRESSION: the "
          + "stops are listed.",
        "FILE:LINE is a line of source, FILE the name of the file or the end of its path; where no "
          + "event stands at it that is said, with the nearest lines at which some do.",
      ],
      examples: [
        "break dirty if object == \"draft.txt\" && bytes > 1kB",
        "break purge if any data where unsaved > 0", "break callback.end if took > 4s",
        "break Editor.swift:43", "break Editor.swift:43 if bytes > 1kB",
      ],
      completes: .expressions,
      takesText: true
    ) { try add($0, $1, isTemporary: false) },
    Command(
      name: "tbreak",
      synopsis: "[--maybe] EXPRESSION",
      summary: "stop there once",
      group: .stops,
      examples: ["tbreak suspend"],
      completes: .expressions,
      takesText: true
    ) { try add($0, $1, isTemporary: true) },
    Command(
      name: "watch",
      synopsis: "EXPRESSION",
      summary: "stop continue and reverse-continue where a value of the state changes",
      group: .stops,
      details: [
        "It is about all lives of the writer in focus. Old and new value are told. Behind missing "
          + "events it stops too, as nobody knows then that it did not change."
      ],
      examples: ["watch data(\"draft.txt\").unsaved", "watch state", "watch count tasks"],
      completes: .expressions,
      takesText: true
    ) { try watch($0, $1) },
    Command(
      name: "until",
      synopsis: "EXPRESSION | PLACE",
      summary: "go forward to the first instant at which an expression holds",
      group: .stops,
      details: [
        "It is about the state of the writer in focus and its next lives. What moves with time, "
          + "as left and age do, may become true between two events: the instant is computed. A "
          + "PLACE is gone to, as goto does."
      ],
      examples: [
        "until state == suspended && count resources where class == lock > 0",
        "until deadline(\"upload\").left < 500ms",
      ],
      completes: .expressions,
      takesText: true
    ) { try until($0, $1) },
    Command(
      name: "reverse-until",
      synopsis: "EXPRESSION",
      summary: "go backward to the last instant at which an expression held",
      group: .stops,
      details: [
        "It is about the state of the writer in focus and its lives before. It stands right before the "
          + "event that ended it, or, of what moves with time, between two events."
      ],
      examples: ["reverse-until count tasks > 0", "reverse-until state == active"],
      completes: .expressions,
      takesText: true
    ) { try reverseUntil($0, $1) },
    Command(
      name: "delete",
      synopsis: "[N … | note N | note NAME]",
      summary: "forget stops, or all of them, or a note or mark",
      group: .stops,
      examples: ["delete 2", "delete note 1", "delete note edit"]
    ) { session, words in
      if ["note", "mark"].contains(words.first) {
        return try NoteCommands.delete(session, words.dropFirst())
      }
      let stops = session.player.stops.all.map(\.number)
      if words.isEmpty {
        for stop in stops { _ = session.player.stops.delete(stop) }
        let forgotten = Fact("forgotten", .count(stops.count))
        return Answer(.line("Forgot \(Quantity.count(stops.count, "stop")).", [forgotten]))
      }
      for number in try numbers(words, "delete", session) {
        _ = session.player.stops.delete(number)
      }
      return list(session)
    },
    Command(
      name: "enable",
      synopsis: "[N …]",
      summary: "let stops count again, or all of them",
      group: .stops
    ) { session, words in try change(session, words, "enable") { $0.isEnabled = true } },
    Command(
      name: "disable",
      synopsis: "[N …]",
      summary: "pass stops over until they are enabled again, or all of them",
      group: .stops
    ) { session, words in try change(session, words, "disable") { $0.isEnabled = false } },
    Command(
      name: "ignore",
      synopsis: "N COUNT",
      summary: "pass a stop over so many times",
      group: .stops,
      examples: ["ignore 1 10"]
    ) { session, words in
      guard words.count == 2, let count = Int(words[1]), count >= 0 else {
        throw CommandError.usage("ignore takes the number of a stop and a count.")
      }
      return try change(session, [words[0]], "ignore") { $0.ignores = count }
    },
    Command(
      name: "commands",
      synopsis: "N [COMMAND; COMMAND …]",
      summary: "run commands when a stop is reached; without any: none",
      group: .stops,
      details: ["They may look, and do not go elsewhere."],
      examples: ["commands 1 dirty; print state"],
      takesText: true
    ) { session, words in
      let parts = (words.first ?? "").split(separator: " ", maxSplits: 1).map(String.init)
      let lines = parts.dropFirst().flatMap { $0.split(separator: ";") }
        .map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
      for line in lines {
        guard let (command, _) = try CommandTable.read(line) else { continue }
        guard [.looking, .explaining].contains(command.group) else {
          throw CommandError.usage("\(command.name) does more than look: a stop runs none such.")
        }
      }
      guard let stop = parts.first else { throw noNumber("commands") }
      return try change(session, [stop], "commands") { $0.commands = lines }
    },
  ]

  private static func none(_ number: Int) -> CommandError {
    .no("There is no stop \(number). break lists them.")
  }

  private static func noNumber(_ command: String) -> CommandError {
    .usage("\(command) takes the number of a stop. break lists them.")
  }

  private static func change(
    _ session: Session,
    _ words: [String],
    _ command: String,
    _ body: (inout Stop) -> Void
  ) throws -> Answer {
    let all = session.player.stops.all.map(\.number)
    for number in words.isEmpty ? all : try numbers(words, command, session) {
      _ = session.player.stops.change(number, body)
    }
    return list(session)
  }

  /// The stops that are named, each of which is there.
  private static func numbers(_ words: [String], _ command: String, _ session: Session)
    throws(CommandError) -> [Int]
  {
    var numbers: [Int] = []
    for word in words {
      guard let number = Int(word) else { throw noNumber(command) }
      guard session.player.stops[number] != nil else { throw none(number) }
      numbers.append(number)
    }
    return numbers
  }

  private static func add(_ session: Session, _ words: [String], isTemporary: Bool) throws
    -> Answer
  {
    var text = words.first ?? ""
    if text.isEmpty {
      guard !isTemporary else { throw CommandError.usage("tbreak takes an expression.") }
      return list(session)
    }
    let maybe = text.hasPrefix("--maybe ")
    if maybe { text = String(text.dropFirst(8).drop { $0 == " " }) }
    let source = SourceLine(text)
    text = source?.text ?? text
    let question = try session.question(text, isCondition: true, ofEvents: true)
    let asking = Asking(question, session.player, aim: .condition(maybe: maybe))
    return try added(session, asking, isTemporary: isTemporary, source)
  }

  private static func watch(_ session: Session, _ words: [String]) throws -> Answer {
    let player = session.player
    guard let text = words.first else { throw CommandError.usage("watch takes an expression.") }
    let question = try session.stateQuestion(text, "watch", "For events: break \(text)")
    guard !question.moves else {
      throw CommandError.usage(
        "\(text) changes all the time. For the instant at which it passes a limit: until \(text) < …"
      )
    }
    let streams = session.streams(of: question, own: player.allLives(of: player.focus))
    let asking = Asking(question, player, aim: .change, of: streams)
    return try added(session, asking, isTemporary: false)
  }

  private static func added(
    _ session: Session,
    _ asking: Asking,
    isTemporary: Bool,
    _ source: SourceLine? = nil
  ) throws -> Answer {
    let home = session.player.focus
    guard let stop = session.player.stops.add(asking, about: home, isTemporary: isTemporary) else {
      throw CommandError.no("There are \(Stop.countMax) stops already: delete one.")
    }
    var answer = Answer()
    answer.say(Line("Stop \(stop.number): \(session.words(for: stop))."), facts(stop))
    if !stop.isWatch { answer.say(session.kindsMeant(asking.question)) }
    if let source {
      answer.say(try session.nothing(at: source))
    } else {
      answer.say(session.nothingThere(asking.question).map { Line($0) })
    }
    return answer
  }

  private static func until(_ session: Session, _ words: [String]) throws -> Answer {
    let player = session.player
    guard let typed = words.first else {
      throw CommandError.usage("until takes an expression or a place.")
    }
    let text = SourceLine(typed)?.text ?? typed
    if Places.isNumber(text) || text.hasPrefix("#") || session.isMark(text)
      || ["start", "end"].contains(text) || EventName(text) != nil
    {
      return session.standing(try Places.go(to: text, session))
    }
    // Of a recording that is being made, writers may come meanwhile, and another life of this one.
    let home = player.focus
    func ask() throws -> Question { try session.question(text, isCondition: true, about: home) }
    var question = try ask()
    if question.needsEvent {
      let found = try session.find(.forward) {
        // A line of source is where it is, in whatever process.
        let streams = text == typed ? player.lives(from: home) : nil
        return Asking(try ask(), player, of: streams).filter
      }
      guard let place = found else {
        let whose = text == typed ? ", of \(session.subject(of: question))" : ""
        throw CommandError.no("\(text) holds nowhere behind this place\(whose).")
      }
      player.seek(to: place)
      return session.standing()
    }
    let whose = session.subject(of: question)
    try mustNotHoldHere(question, player, whose, "To where it ends: until")
    func next() throws -> (time: TraceTime, place: EventPlace?)? {
      let lives = player.lives(from: home)
      return try player.moment(of: question, in: session.streams(of: question, own: lives))
    }
    var moment = try next()
    while moment == nil, try player.awaitMore?() == true {
      question = try ask()
      moment = try next()
    }
    guard let found = moment else {
      let why = session.nothingThere(question).map { " \($0)" } ?? ""
      throw CommandError.no("\(text) does not become true behind this place, of \(whose).\(why)")
    }
    if let place = found.place {
      player.seek(to: place)
      return session.standing("Became true here, of \(whose).")
    }
    player.seek(to: found.time)
    let (last, next) = (player.here.ordinal, player.here.ordinal + 1)
    let when = session.timeText(found.time)
    let between =
      next <= player.timeline.count ? "between #\(last) and #\(next)" : "behind the last event"
    return session.standing(Line("Became true at \(when), \(between), of \(whose)."))
  }

  /// Ends the command where a condition is true at this place, and names the one that is meant then.
  private static func mustNotHoldHere(
    _ question: Question,
    _ player: Player,
    _ whose: String,
    _ other: String
  ) throws {
    let value = player.value(of: question)
    guard value.standing == .known, value.bits != 0 else { return }
    throw CommandError.no(
      "\(question.text) holds here already, of \(whose). \(other) !(\(question.text))"
    )
  }

  private static func reverseUntil(_ session: Session, _ words: [String]) throws -> Answer {
    let player = session.player
    guard let text = words.first else {
      throw CommandError.usage("reverse-until takes an expression.")
    }
    let question = try session.question(text, isCondition: true)
    let lives = player.allLives(of: player.focus)
    if question.needsEvent {
      guard let place = try player.find(Asking(question, player, of: lives).filter, .backward)
      else {
        throw CommandError.no("\(text) holds nowhere before this place.")
      }
      player.seek(to: place)
      return session.standing()
    }
    let whose = session.subject(of: question)
    try mustNotHoldHere(question, player, whose, "To where it began: reverse-until")
    let streams = session.streams(of: question, own: lives)
    guard let found = try player.lastMoment(of: question, in: streams) else {
      let why = session.nothingThere(question).map { " \($0)" } ?? ""
      throw CommandError.no("\(text) was true nowhere before this place, of \(whose).\(why)")
    }
    guard let end = found.end else {
      player.seek(to: found.time)
      let when = session.timeText(found.time)
      return session.standing(Line("Held last at \(when), of \(whose)."))
    }
    let number = player.timeline.number(of: end)
    player.seek(toEvent: number - 1)
    return session.standing(Line("Held here last, of \(whose): #\(number) ended it."))
  }

  static func list(_ session: Session) -> Answer {
    var answer = Answer()
    let rows = session.player.stops.all.map { stop in
      var words = session.words(for: stop)
      if !stop.isEnabled { words += ", disabled" }
      if stop.ignores > 0 { words += ", passed over \(Quantity.count(stop.ignores, "time")) more" }
      if !stop.commands.isEmpty { words += ", then \(stop.commands.joined(separator: "; "))" }
      let reached = stop.hits == 0 ? "" : "reached \(Quantity.count(stop.hits, "time"))"
      return Listing.Row.facts(
        [
          Fact(words: "\(stop.number)", .strong, right: true), Fact(words: words),
          Fact(words: reached),
        ]
          + facts(stop)
      )
    }
    answer.list("stops", rows)
    if rows.isEmpty { answer.say("There are no stops. To set one: break EXPRESSION") }
    return answer
  }

  private static func facts(_ stop: Stop) -> [Fact] {
    [
      Fact(data: "stop", .count(stop.number)), Fact(data: "watch", .flag(stop.isWatch)),
      Fact(data: "expression", .text(stop.asking.question.text)),
      Fact(data: "enabled", .flag(stop.isEnabled)), Fact(data: "hits", .count(stop.hits)),
      Fact(data: "ignores", .count(stop.ignores)),
      Fact(data: "commands", .texts(stop.commands)),
    ]
  }
}
