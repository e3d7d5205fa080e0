// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLifecycle
import LifetraceReplay
import LifetraceReports
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// Commands that show what is the case where you stand.
enum LookingCommands {
  static let all: [Command] = [
    Command(
      name: "when",
      aliases: ["where", "frame"],
      summary: "say where you stand: event, time, writer",
      group: .looking
    ) { session, words in
      try CommandWords.none(words, "when")
      return try when(session)
    },
    Command(
      name: "list",
      aliases: ["l", "ls"],
      synopsis: "[COUNT | - | PLACE | [COUNT] where EXPRESSION]",
      summary: "show the events around this place, then the ones that follow",
      group: .looking,
      details: [
        "list - shows the events before those last shown; COUNT is how many. With where: the next "
          + "ones at which the expression holds. || marks one of another machine of which nothing "
          + "proves that it was behind the one before it."
      ],
      examples: [
        "list", "list 20", "list -", "list #1", "list where thread == main && took > 16ms",
      ],
      completes: .places,
      takesText: true,
      repeats: true,
      repeatsAs: "list"
    ) { session, words in try ListCommand.run(session, words) },
    Command(
      name: "ps",
      aliases: ["writers", "threads"],
      synopsis: "[all]",
      summary: "list the processes that live here, and their states",
      group: .looking,
      details: [
        "Those that have ended, have not started, or were only seen from outside are counted; ps all "
          + "shows them. The one in focus is always shown."
      ]
    ) { session, words in try processes(session, words) },
    Command(
      name: "state",
      synopsis: "[WRITER]",
      summary: "tell the state of the app in full",
      group: .looking,
      details: [
        "WRITER is a label such as notes#1, or an app for its last life up to here. Without one: "
          + "the app of the last event."
      ],
      completes: .writers
    ) { session, words in WholeState.answer(session, try session.stream(words)) },
    ledger("dirty", ["unsaved"], "list the data that a purge here would lose", Ledgers.dirty),
    Command(
      name: "lossmap",
      synopsis: "[WRITER]",
      summary: "draw over the life of a process when an end would have lost what",
      group: .looking,
      details: [
        "A column is some of its events: above in which state the app was, below for each object "
          + "whether its edits would have been lost had the process ended there. Then each stretch, "
          + "with its first and last event as `goto` takes them.",
        "`lifetrace explore` ends an app at these moments, and looks.",
      ],
      completes: .writers
    ) { session, words in try LossMapLines.answer(session, try session.stream(words)) },
    ledger("tasks", [], "list the background tasks that are held", Ledgers.tasks),
    ledger(
      "queue",
      ["notifications"],
      "list the notifications that wait to be delivered",
      Ledgers.queue
    ),
    ledger(
      "deadlines",
      [],
      "list the time budgets that run, and what is left of them",
      Ledgers.deadlines
    ),
    ledger(
      "spans",
      ["bt", "backtrace", "stack"],
      "list the callbacks, work and waits that are open, by thread",
      Ledgers.spans
    ),
    ledger(
      "resources",
      ["locks", "files"],
      "list the locks, files and timers that are held",
      Ledgers.resources
    ),
    Command(
      name: "info",
      aliases: ["i"],
      synopsis: "[\(topics.joined(separator: " | "))]",
      summary: "tell about the recording, or about an event in full",
      group: .looking,
      details: ["info event is about the event here; info event WRITER:SEQUENCE about another."],
      examples: ["info", "info event", "info event notes#1:22"],
      completes: .topics
    ) { session, words in try info(session, words) },
  ]

  /// The subjects of `info`.
  static let topics = ["trace", "event", "marks", "writers", "violations", "breakpoints"]

  // MARK: -

  /// A command that lists what is open in one process.
  private static func ledger(
    _ name: String,
    _ aliases: [String],
    _ summary: String,
    _ answer: @escaping @Sendable (Session, StreamID, Int) throws -> Answer
  ) -> Command {
    Command(
      name: name,
      aliases: aliases,
      synopsis: "[WRITER] [COUNT | all]",
      summary: summary,
      group: .looking,
      details: [
        "Of more than \(Ledgers.rowsMax) the first are shown; COUNT is another number of them."
      ],
      completes: .writers
    ) { session, words in
      let (writer, most) = try extent(words, session)
      return try answer(session, try session.stream(writer), most)
    }
  }

  /// The writer that a ledger is asked of, and how many rows of it are wanted; a program takes all.
  private static func extent(_ words: [String], _ session: Session) throws(CommandError) -> (
    writer: [String], most: Int
  ) {
    guard let last = words.last, last == "all" || Int(last) != nil else {
      return (words, session.settings.isJSON ? .max : Ledgers.rowsMax)
    }
    guard last != "all" else { return (words.dropLast(), .max) }
    guard let count = Int(last), count > 0 else {
      throw .usage("\(last) is no number of rows: it is 1 or more, or all.")
    }
    return (words.dropLast(), count)
  }

  private static func when(_ session: Session) throws -> Answer {
    let player = session.player
    var answer = session.standing()
    let number =
      "\(Quantity.grouped(player.here.ordinal)) of \(Quantity.grouped(player.timeline.count))"
    let time = Wording.time(player.time, digits: session.settings.digits)
    var facts = [Fact("ns", .time(player.time), "Event \(number), \(time)")]
    if let wall = player.timeline.alignment.wall {
      facts.append(Fact("clock", .text(wall.text(HostTime(rawValue: player.time.rawValue)))))
    }
    let label = player.labels[player.focus]
    let state = session.stateWord(player.state(of: player.focus), of: player.focus)
    facts.append(Fact(data: "writer", .text(label)))
    let words = state == "not started" ? "has not started" : "is \(state)"
    facts.append(Fact("state", .text(state), "\(label) \(words)"))
    let marks = session.notesHere.map(\.note.mark).filter { !$0.isEmpty }.sorted()
    if !marks.isEmpty { facts.append(Fact(words: "marked \(Wording.list(marks))")) }
    answer.lead = .sentence(facts)
    if let finding = player.violation { answer.say(try session.headline(finding)) }
    return answer
  }

  private static func processes(_ session: Session, _ words: [String]) throws -> Answer {
    guard words.isEmpty || words == ["all"] else {
      throw CommandError.usage("ps takes all, or nothing.")
    }
    let player = session.player
    let streams = player.timeline.startOrder.map { player.timeline.streams[$0] }
    var shown: [StreamIndex] = []
    var left = (ended: 0, toCome: 0, outside: 0)
    for stream in streams {
      if !words.isEmpty {
        shown.append(stream)
      } else if stream.attributes.role == .bystander {
        left.outside += 1
      } else if stream.id == player.focus {
        shown.append(stream)
      } else if player.cursor(of: stream.id) == 0 {
        left.toCome += 1
      } else if hasEnded(stream, player) {
        left.ended += 1
      } else {
        shown.append(stream)
      }
    }
    var answer = Answer()
    answer.list("writers", try rows(session, shown))
    let counts = [
      (left.ended, "ended before"), (left.toCome, "to start later"),
      (left.outside, "seen only from outside"),
    ].filter { $0.0 > 0 }.map { "\(Quantity.count($0.0, "process")) \($0.1)" }
    let facts = [
      Fact("ended", .count(left.ended)), Fact("toCome", .count(left.toCome)),
      Fact("outside", .count(left.outside)),
    ]
    let line: Line? = counts.isEmpty ? nil : Line("\(Wording.list(counts)): ps all")
    answer.say(line, facts)
    return answer
  }

  /// Whether a process has ended; where headers show it, nothing is folded for that.
  private static func hasEnded(_ stream: StreamIndex, _ player: Player) -> Bool {
    let cursor = player.cursor(of: stream.id)
    let ends = KindSet([.processExit, .purge])
    if cursor == stream.count, let last = stream.chunks.last,
      !last.kinds.isDisjoint(with: ends)
    {
      return true
    }
    return player.state(of: stream.id).process.ending != nil
  }

  /// The state of each is folded from its last keyframe, the first time here.
  private static func rows(_ session: Session, _ streams: [StreamIndex]) throws -> [Listing.Row] {
    let progress = session.progress("Looking at each", streams.count, "writer")
    defer { progress.clear() }
    var rows: [Listing.Row] = []
    let hosts = Set(session.player.timeline.streams.map(\.attributes.host))
    for stream in streams {
      if session.player.isInterrupted() { throw SearchInterrupted() }
      progress.show(rows.count)
      rows.append(.facts(process(session, stream, saysHost: hosts.count > 1)))
    }
    return rows
  }

  private static func process(
    _ session: Session,
    _ stream: StreamIndex,
    saysHost: Bool
  ) -> [Fact] {
    let player = session.player
    let attributes = stream.attributes
    let passed = player.cursor(of: stream.id)
    let state = player.state(of: stream.id)
    let unsaved = state.unsavedBytes()
    let fate = state.losesAtEnd(player.names) ? "lost" : "unsaved"
    let least = state.isFull(.data) ? "at least " : ""
    let total = Quantity.count(stream.count, "event")
    return [
      Fact(words: player.place?.stream == stream.id ? ">" : "", .strong),
      Fact("writer", .text(player.labels[stream.id]), .name),
    ] + (saysHost ? [host(stream)] : []) + [
      Fact(
        "pid",
        .count(Int(attributes.pid)),
        attributes.pid == 0 ? "" : "pid \(attributes.pid)",
        .faint
      ),
      Fact("role", .text("\(attributes.role)"), attributes.role.word, .faint),
      Fact(
        "state",
        .text(session.stateWord(state, of: stream.id)),
        passed == 0 ? .faint : .strong
      ),
      Fact("passed", .count(passed), "\(Quantity.grouped(passed)) of \(total)", right: true),
      Fact(data: "events", .count(stream.count)),
      Fact(
        "unsavedBytes",
        .bytes(unsaved),
        unsaved > 0 ? "\(least)\(Quantity.bytes(unsaved)) \(fate)" : "",
        .warning
      ),
      Fact(data: "atLeast", .flag(state.isFull(.data))),
    ]
  }

  /// The host of a process.
  private static func host(_ stream: StreamIndex) -> Fact {
    let host = stream.attributes.host
    return Fact("host", .text(host), host.isEmpty ? "" : "on \(Printable.line(host))", .faint)
  }

  private static func info(_ session: Session, _ words: [String]) throws -> Answer {
    let word = words.first ?? "trace"
    let found = topics.filter { $0.hasPrefix(word) }
    guard found.count == 1, words.count <= (found == ["event"] ? 2 : 1) else {
      throw CommandError.usage("info takes one of \(Wording.list(topics)).")
    }
    switch found[0] {
    case "event": return try event(session, words.dropFirst().first)
    case "marks": return NoteCommands.list(session, marks: true)
    case "writers": return try processes(session, ["all"])
    case "breakpoints": return StopCommands.list(session)
    case "violations":
      return try CommandTable.command("violations").run(session, [])
    default: return trace(session)
    }
  }

  private static func trace(_ session: Session) -> Answer {
    let timeline = session.player.timeline
    let (events, writers) = (timeline.count, timeline.streams.count)
    var answer = Answer()
    answer.say(
      """
      \(Printable.line(session.title)): \(Quantity.count(events, "event")) of \
      \(Quantity.count(writers, "writer")) in \(Quantity.duration(timeline.duration)).
      """,
      [
        Fact("file", .text(session.title)), Fact("events", .count(events)),
        Fact("writers", .count(writers)), Fact("ns", .duration(timeline.duration)),
      ]
    )
    if let wall = timeline.alignment.wall {
      answer.say("It begins \(wall.text(HostTime(rawValue: 0))).")
    }
    answer.say(hosts(session.player))
    let clocks = timeline.alignment.clockCount
    if clocks > 1 {
      answer.say(
        timeline.alignment.isOneAxis
          ? """
          Its \(clocks) clocks are laid over each other by \
          \(timeline.alignment.recording.evidence.isEmpty ? "real time" : "their messages").
          """
          : """
          Some of its \(clocks) clocks do not know the real time: those \
          writers follow the others, and their order means nothing.
          """
      )
    }
    let doubts = timeline.alignment.doubts
    if !doubts.isEmpty { answer.say("clocks", doubts, .warning) }
    for sentence in session.timeScales.sentences { answer.say(Line(sentence)) }
    if !timeline.isCausal {
      let why =
        timeline.source.settles
        ? "It was recorded for followers" : "Its messages contradict each other"
      answer.say("\(why): messages are ordered by their times alone.")
    }
    answer.say("problems", session.problems + timeline.damage.map(\.description), .warning)
    return answer
  }

  /// Which processes run on which host, where there are several.
  private static func hosts(_ player: Player) -> Line? {
    var labels: [String: [String]] = [:]
    for stream in player.timeline.streams {
      labels[stream.attributes.host, default: []].append(player.labels[stream.id])
    }
    guard labels.count > 1 else { return nil }
    let hosts = labels.sorted { $0.key < $1.key }.map { host, labels in
      let name = host.isEmpty ? "a host without a name" : Printable.line(host)
      let some = labels.prefix(hostLabelsMax).joined(separator: ", ")
      let more = labels.count - hostLabelsMax
      return "\(name) (\(some)\(more > 0 ? " and \(more) more" : ""))"
    }
    return Line("\(Quantity.count(labels.count, "host")): \(Wording.list(hosts)).")
  }

  /// More processes of one host are counted.
  private static let hostLabelsMax = 5

  /// The event here, or the one that `name` names.
  private static func event(_ session: Session, _ name: String?) throws -> Answer {
    let player = session.player
    var point = session.point
    if let name {
      guard let place = try Places.event(name, session) else {
        throw CommandError.usage("\(name) names no event: those are such as notes#1:22.")
      }
      point = EventPoint(place: place, number: player.timeline.number(of: place))
    }
    guard let point else { throw CommandError.no("No event has happened yet.") }
    var answer = Answer(.event("at", point, .full))
    let alignment = player.timeline.alignment
    if !alignment.isReference(point.place.stream) {
      let time = player.timeline.event(at: point.place).time
      let width = alignment.interval(time, of: point.place.stream).width
      answer.say(
        width.map { "Another machine's clock: its time is known to ±\(Quantity.duration($0 / 2))." }
          ?? "Another machine's clock: its time is not bounded on both sides."
      )
    }
    return answer
  }
}
