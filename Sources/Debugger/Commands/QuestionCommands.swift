// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// Commands that ask for values.
enum QuestionCommands {
  /// No more than this are shown after each move.
  static let displaysMax = 8
  /// A history, or a count by a field, has no more rows than this.
  static let rowsMax = 1_000

  static let all: [Command] = [
    Command(
      name: "print",
      aliases: ["p", "eval"],
      synopsis: "EXPRESSION",
      summary: "tell the value of an expression here",
      group: .looking,
      details: [
        "It is about the event here and the writer in focus: help expressions. unknown says that "
          + "events are missing which may have changed it; nothing, that there is no such value."
      ],
      examples: ["print data(\"draft.txt\").unsaved", "print count tasks", "print state"],
      completes: .expressions,
      takesText: true
    ) { try print($0, $1) },
    Command(
      name: "display",
      synopsis: "[EXPRESSION | -d N]",
      summary: "tell a value after each move; without any: list them; forget one with -d",
      group: .looking,
      examples: ["display state", "display -d 1"],
      completes: .expressions,
      takesText: true
    ) { try display($0, $1) },
    Command(
      name: "expect",
      synopsis: "EXPRESSION",
      summary: "check that an expression holds here: in a batch leave with 1 if not, 2 if unknown",
      group: .looking,
      examples: ["expect all data where unsaved == 0"],
      completes: .expressions,
      takesText: true
    ) { try expect($0, $1) },
    Command(
      name: "history",
      synopsis: "EXPRESSION | OBJECT",
      summary: "list where a value of the state has changed, over all lives of the app",
      group: .searching,
      details: [
        "Of a data object also the end of a process that lost what was not saved of it; its name alone "
          + "asks for the bytes of it that are unsaved."
      ],
      examples: ["history draft.txt", "history data(\"draft.txt\").version", "history state"],
      completes: .expressions,
      takesText: true
    ) { try history($0, $1) },
    Command(
      name: "count",
      synopsis: "EXPRESSION [by FIELD]",
      summary: "count the events at which an expression holds, for each value of a field",
      group: .searching,
      details: ["by writer counts for each process; any other FIELD is one of help expressions."],
      examples: [
        "count data.durable by object", "count callback.end && took > 16ms by name",
        "count data.failed by writer", "count work.begin by thread",
      ],
      completes: .expressions,
      takesText: true
    ) { try count($0, $1) },
  ]

  private static func text(_ words: [String], _ command: String) throws(CommandError) -> String {
    guard let text = words.first else { throw .usage("\(command) takes an expression.") }
    return text
  }

  private static func print(_ session: Session, _ words: [String]) throws -> Answer {
    let text = try text(words, "print")
    let question = try session.question(text, isCondition: false, at: session.player.event?.kind)
    var answer = Answer()
    answer.say(
      "\(session.valueLine(question))\(session.whose(question))",
      session.valueFacts(question)
    )
    answer.say(session.otherValue(question).map { Line("\($0).", .faint) })
    answer.say(session.noApp(question).map { Line($0, .faint) })
    if session.player.value(of: question).standing != .known {
      answer.say(session.nothingThere(question).map { Line($0) })
    }
    return answer
  }

  private static func display(_ session: Session, _ words: [String]) throws -> Answer {
    let text = words.first ?? ""
    if text.hasPrefix("-d") {
      let number = Int(text.dropFirst(2).filter { $0 != " " })
      guard let number, session.displays.indices.contains(number - 1) else {
        throw CommandError.usage("display -d takes the number of one that is listed.")
      }
      session.displays.remove(at: number - 1)
    } else if !text.isEmpty {
      guard session.displays.count < displaysMax else {
        throw CommandError.no(
          "There are \(displaysMax) displays already: display -d N forgets one."
        )
      }
      session.displays.append(
        (try session.question(text, isCondition: false), session.player.focus)
      )
    }
    var answer = Answer()
    for (index, display) in session.displays.enumerated() {
      answer.say(Line("\(index + 1)  \(session.valueLine(display.question).text)"))
    }
    if session.displays.isEmpty { answer.say("There are no displays.") }
    let facts = session.displays.map { Value.object(session.valueFacts($0.question)) }
    answer.note(Fact(data: "displays", .list(facts)))
    return answer
  }

  private static func expect(_ session: Session, _ words: [String]) throws -> Answer {
    let text = try text(words, "expect")
    let question = try session.question(text, isCondition: true)
    let value = session.player.value(of: question)
    let here = "at #\(session.player.here.ordinal)\(session.whose(question))"
    let other = session.otherValue(question).map { "\n  \($0)." } ?? ""
    switch value.standing {
    case .known where value.bits != 0:
      return Answer(.line("It holds \(here): \(text)", session.valueFacts(question)))
    case .unknown:
      if question.asksOwn, let notYet = session.notYet(session.player.focus) {
        throw CommandError.unknown("It cannot be decided \(here): \(notYet)")
      }
      throw CommandError.unknown("It cannot be decided \(here), events are missing: \(text)")
    default: throw CommandError.no("It does not hold \(here): \(text)\(other)")
    }
  }

  private static func history(_ session: Session, _ words: [String]) throws -> Answer {
    let player = session.player
    var text = try text(words, "history")
    let isObject: Bool
    (text, isObject) = try expression(of: text, session)
    let question = try session.stateQuestion(text, "history", "For events: count \(text)")
    guard !question.moves else {
      throw CommandError.usage("\(text) changes all the time; history is of what events change.")
    }
    let streams = session.streams(of: question, own: player.allLives(of: player.focus))
    let asking = Asking(question, player, aim: .change, of: streams)
    var hits = player.hits(of: asking.filter)
    var losses = try session.losses(in: question, of: streams)[...]
    var rows: [Listing.Row] = []
    var more = 0
    let values = Values(of: question, player)
    func add(_ place: EventPlace, loss: String? = nil) {
      guard rows.count < rowsMax else {
        more += 1
        return
      }
      let (old, new) = values.around(place)
      let names = player.names
      let before = old.text(question.type, names)
      let after = loss ?? new.text(question.type, names)
      let point = EventPoint(place: place, number: player.timeline.number(of: place))
      let note = player.isBehindGap(place) ? "events are missing before" : ""
      rows.append(
        .facts([
          Fact("before", .text(before), "\(before) ->", right: true),
          Fact("after", .text(after), after, .strong),
          Fact("at", .event(point)), Fact(words: note, .bad),
        ])
      )
    }
    while let place = try hits.next() {
      if player.isInterrupted() { throw SearchInterrupted() }
      let number = player.timeline.number(of: place)
      while let loss = losses.first, loss.number <= number {
        losses.removeFirst()
        if loss.number < number { add(loss.place, loss: loss.word) }
      }
      add(place)
    }
    for loss in losses { add(loss.place, loss: loss.word) }
    var answer = Answer()
    if isObject {
      let others = "one of its fields; others are .version, .saved and .synced"
      answer.say(Line("\(Printable.line(text)), \(others):", .faint))
    }
    answer.list("changes", rows)
    if rows.isEmpty {
      answer.say(
        "\(text) is \(session.valueText(question)) all the time, of \(player.labels[player.focus])."
      )
      answer.say(session.nothingThere(question).map { Line($0) })
    }
    answer.say(
      more > 0 ? "\(Quantity.count(more, "change")) more." : nil,
      [Fact("more", .count(more))]
    )
    return answer
  }

  /// What is asked of a data object whose name alone is given; any expression as it is.
  private static func expression(of text: String, _ session: Session) throws -> (String, Bool) {
    let isExpression = (try? session.question(text, isCondition: false)) != nil
    guard !isExpression, let object = try session.dataObject(text), !object.contains("\"") else {
      return (text, false)
    }
    return ("data(\"\(object)\").unsaved", true)
  }

  private static func count(_ session: Session, _ words: [String]) throws -> Answer {
    let player = session.player
    let text = try text(words, "count")
    let parts = text.split(by: " by ")
    let asking = try session.asking(parts.head)
    var hits = player.hits(of: asking.filter)
    var tally = try parts.tail.map { field throws(CommandError) in try Tally(by: field, session) }
    var total = 0
    while let place = try hits.next() {
      if total & 0xff == 0, player.isInterrupted() { throw SearchInterrupted() }
      total += 1
      tally?.add(place)
    }
    let counts = tally?.texts ?? [:]
    var answer = Answer()
    let rows = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    answer.list(
      tally == nil ? nil : "counts",
      rows.prefix(rowsMax).map { row in
        .facts([
          Fact("count", .count(row.value), Quantity.grouped(row.value), right: true),
          Fact("value", .text(row.key)),
        ])
      }
    )
    let more = rows.count > rowsMax ? ", and \(rows.count - rowsMax) more values" : ""
    answer.say("\(Quantity.count(total, "event"))\(more).", [Fact("events", .count(total))])
    answer.say(session.kindsMeant(asking.question))
    if total == 0 { answer.say(session.nothingThere(asking.question).map { Line($0) }) }
    let (start, finish) = (player.timeline.start, player.timeline.finish)
    answer.say(session.undecided(asking, from: start, to: finish))
    return answer
  }
}

extension String {
  /// What stands before and behind the last `word` in it.
  fileprivate func split(by word: String) -> (head: String, tail: String?) {
    let (own, sought) = (Array(self), Array(word))
    for start in own.indices.reversed() where own[start...].starts(with: sought) {
      return (String(own[..<start]), String(own[(start + sought.count)...]))
    }
    return (self, nil)
  }
}

extension Session {
  /// The value of an expression here, as people read it.
  func valueText(_ question: Question) -> String {
    player.value(of: question).text(question.type, player.names)
  }

  /// An expression and its value.
  func valueLine(_ question: Question) -> Line {
    "\(Printable.line(question.text)) = \(valueText(question), .strong)"
  }

  /// `, of notes#1`, where the event here is another writer's than the one in focus; else empty.
  func whose(_ question: Question) -> String {
    guard question.asksOwn || question.needsEvent, let place = player.place,
      place.stream != player.focus
    else { return "" }
    return ", of \(player.labels[question.needsEvent ? place.stream : player.focus])"
  }

  /// What the writer of the event here has, where that is not the one in focus and has another value;
  /// nil otherwise.
  func otherValue(_ question: Question) -> String? {
    guard question.asksOwn, !question.needsEvent, let place = player.place,
      place.stream != player.focus
    else { return nil }
    let other = player.values(of: question, at: place).after
    let text = other.text(question.type, player.names)
    guard text != valueText(question) else { return nil }
    return "Of \(player.labels[place.stream]), whose event this is, it is \(text)"
  }

  /// That a writer which is asked for the state of its app is none; nil where all are.
  func noApp(_ question: Question) -> String? {
    guard question.type == .field(.state) || question.asksAppState else { return nil }
    let ofEvent = question.needsEvent ? player.place?.stream : nil
    let own = question.asksOwn || question.needsEvent ? [ofEvent ?? player.focus] : []
    let asked = (own + question.writers.flatMap(\.streams).map(id)).filter {
      player.cursor(of: $0) > 0
    }
    let other = asked.last { player.timeline.streams[Int($0.rawValue)].attributes.role != .app }
    guard let other else { return nil }
    let runs = player.state(of: other).process.ending == nil ? "runs" : "has ended"
    return "\(player.labels[other]) is no app: it \(runs), and the system moves it to no state."
  }

  /// The same for programs.
  func valueFacts(_ question: Question) -> [Fact] {
    [
      Fact(data: "expression", .text(question.text)),
      Fact(data: "value", .text(valueText(question))),
      Fact(data: "type", .text(question.type.noun)),
    ]
  }
}
