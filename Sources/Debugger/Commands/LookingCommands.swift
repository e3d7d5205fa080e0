// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJSON
import LifetraceLifecycle
import LifetraceReplay
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
      synopsis: "[COUNT | - | PLACE]",
      summary: "show the events around this place, then the ones that follow",
      group: .looking,
      details: ["list - shows the events before those last shown; COUNT is how many."],
      examples: ["list", "list 20", "list -", "list #1"],
      completes: .places,
      repeats: true,
      repeatsAs: "list"
    ) { session, words in try ListCommand.run(session, words) },
    Command(
      name: "ps",
      aliases: ["writers", "threads"],
      synopsis: "[all]",
      summary: "list the processes and their states here",
      group: .looking,
      details: ["Processes that were only seen from outside are left out; ps all shows them."]
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
    ) { session, words in StateText.reply(session, try session.stream(words)) },
    Command(
      name: "dirty",
      aliases: ["unsaved"],
      synopsis: "[WRITER]",
      summary: "list the data that a purge here would lose",
      group: .looking,
      completes: .writers
    ) { session, words in LedgerText.dirty(session, try session.stream(words)) },
    Command(
      name: "tasks",
      synopsis: "[WRITER]",
      summary: "list the background tasks that are held",
      group: .looking,
      completes: .writers
    ) { session, words in LedgerText.tasks(session, try session.stream(words)) },
    Command(
      name: "queue",
      aliases: ["notifications"],
      synopsis: "[WRITER]",
      summary: "list the notifications that wait to be delivered",
      group: .looking,
      completes: .writers
    ) { session, words in LedgerText.queue(session, try session.stream(words)) },
    Command(
      name: "deadlines",
      synopsis: "[WRITER]",
      summary: "list the time budgets that run, and what is left of them",
      group: .looking,
      completes: .writers
    ) { session, words in LedgerText.deadlines(session, try session.stream(words)) },
    Command(
      name: "spans",
      aliases: ["bt", "backtrace", "stack"],
      synopsis: "[WRITER]",
      summary: "list the callbacks, work and waits that are open, by thread",
      group: .looking,
      completes: .writers
    ) { session, words in LedgerText.spans(session, try session.stream(words)) },
    Command(
      name: "resources",
      aliases: ["locks", "files"],
      synopsis: "[WRITER]",
      summary: "list the locks, files and timers that are held",
      group: .looking,
      completes: .writers
    ) { session, words in LedgerText.resources(session, try session.stream(words)) },
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

  /// What `info` tells about.
  static let topics = ["trace", "event", "marks", "writers", "violations"]

  // MARK: -

  private static func when(_ session: Session) throws -> Reply {
    let player = session.player
    let total = player.timeline.count
    var reply = session.standing()
    let position =
      "Event \(Quantity.grouped(player.here.ordinal)) of \(Quantity.grouped(total)), "
      + Wording.time(player.time, digits: session.settings.digits)
    var words = [position]
    var json: [(String, JSON)] = [("ns", .int(player.time.rawValue))]
    if let wall = player.timeline.alignment.wall {
      let clock = wall.text(HostTime(rawValue: player.time.rawValue))
      words.append(clock)
      json.append(("clock", .string(clock)))
    }
    let state = session.stateWord(player.state(of: player.focus), of: player.focus)
    words.append(
      state == "not started"
        ? "\(player.labels[player.focus]) has not started"
        : "\(player.labels[player.focus]) is \(state)"
    )
    json.append(("writer", .string(player.labels[player.focus])))
    json.append(("state", .string(state)))
    let marks = player.marks.values.filter { $0.position == player.here }.map(\.name).sorted()
    if !marks.isEmpty { words.append("marked \(Wording.list(marks))") }
    reply.lines.insert(words.joined(separator: ", ") + ".", at: 0)
    reply.json += json
    if let finding = session.chosenFinding { reply.lines.append(try session.headline(finding)) }
    return reply
  }

  private static func processes(_ session: Session, _ words: [String]) throws -> Reply {
    guard words.isEmpty || words == ["all"] else {
      throw CommandError.usage("ps takes all, or nothing.")
    }
    let player = session.player
    var table = Table()
    var rows: [JSON] = []
    var hidden = 0
    for number in player.timeline.startOrder {
      let stream = player.timeline.streams[number]
      if stream.attributes.role == .bystander && words.isEmpty {
        hidden += 1
        continue
      }
      let cursor = player.cursor(of: stream.id)
      let state = player.state(of: stream.id)
      let unsaved = state.unsavedBytes()
      let word = session.stateWord(state, of: stream.id)
      let isHere = player.place?.stream == stream.id
      table.add([
        Cell(isHere ? ">" : "", .strong),
        Cell(player.labels[stream.id], .name),
        Cell(stream.attributes.pid == 0 ? "" : "pid \(stream.attributes.pid)", .faint),
        Cell("\(stream.attributes.role)", .faint),
        Cell(word, cursor == 0 ? .faint : .strong),
        Cell(
          "\(Quantity.grouped(cursor)) of \(Quantity.count(stream.count, "event"))",
          right: true
        ),
        Cell(
          unsaved > 0
            ? "\(Quantity.bytes(unsaved)) \(state.process.ending == nil ? "unsaved" : "lost")" : "",
          .warning
        ),
      ])
      rows.append(
        .object([
          ("writer", .string(player.labels[stream.id])),
          ("pid", JSON(Int(stream.attributes.pid))),
          ("role", .string("\(stream.attributes.role)")),
          ("state", .string(word)),
          ("passed", JSON(cursor)),
          ("events", JSON(stream.count)),
          ("unsavedBytes", JSON(unsaved)),
        ])
      )
    }
    var reply = Reply(table.lines(session.paint), json: [("writers", .array(rows))])
    if hidden > 0 {
      reply.lines.append(
        "\(Quantity.count(hidden, "process")) seen only from outside: ps all"
      )
    }
    return reply
  }

  private static func info(_ session: Session, _ words: [String]) throws -> Reply {
    let word = words.first ?? "trace"
    let found = topics.filter { $0.hasPrefix(word) }
    guard found.count == 1, words.count <= (found == ["event"] ? 2 : 1) else {
      throw CommandError.usage("info takes one of \(Wording.list(topics)).")
    }
    switch found[0] {
    case "event":
      guard words.count == 2 else { return try event(session) }
      guard let place = try Places.event(words[1], session) else {
        throw CommandError.usage("\(words[1]) names no event: those are such as notes#1:22.")
      }
      return try session.player.visit(place) { try event(session) }
    case "marks": return marks(session)
    case "writers": return try processes(session, ["all"])
    case "violations":
      return try CommandTable.command("violations").run(session, [])
    default: return trace(session)
    }
  }

  private static func trace(_ session: Session) -> Reply {
    let timeline = session.player.timeline
    var lines = [
      "\(Printable.line(session.title)): \(Quantity.count(timeline.count, "event")) of "
        + "\(Quantity.count(timeline.streams.count, "writer")) in "
        + "\(Quantity.duration(timeline.duration))."
    ]
    if let wall = timeline.alignment.wall {
      lines.append("It begins \(wall.text(HostTime(rawValue: 0))).")
    }
    if timeline.alignment.clockCount > 1 {
      lines.append(
        timeline.alignment.isOneAxis
          ? "Its \(timeline.alignment.clockCount) clocks are laid over each other by real time."
          : "Some of its \(timeline.alignment.clockCount) clocks do not know the real time: those "
            + "writers follow the others, and their order means nothing."
      )
    }
    lines += session.timeScales.sentences
    if !timeline.isCausal {
      lines.append("It is large: messages are ordered by their times alone.")
    }
    lines += session.problems.map { session.paint($0, .warning) }
    lines += timeline.damage.map { session.paint($0.description, .warning) }
    return Reply(
      lines,
      json: [
        ("file", .string(session.title)), ("events", JSON(timeline.count)),
        ("writers", JSON(timeline.streams.count)), ("ns", .int(timeline.duration)),
        (
          "problems",
          .array((session.problems + timeline.damage.map(\.description)).map { .string($0) })
        ),
      ]
    )
  }

  private static func event(_ session: Session) throws -> Reply {
    let player = session.player
    guard let place = player.place else { throw CommandError.no("No event has happened yet.") }
    let event = player.timeline.event(at: place)
    let site = player.names[event.site]
    var table = Table()
    func add(_ name: String, _ value: String) {
      if !value.isEmpty { table.add([Cell(name, .faint), Cell(value)]) }
    }
    add("event", "\(player.name(of: place)) (#\(player.here.ordinal))")
    add("time", Wording.time(player.timeline.time(of: event), digits: 9))
    if let wall = player.timeline.alignment.wall {
      add("clock", wall.text(HostTime(rawValue: player.timeline.time(of: event).rawValue)))
    }
    add("thread", Wording.thread(event.thread))
    add("kind", EventText.kind(event.kind, player.names))
    add("name", Printable.line(player.names[site.name]))
    for (label, value) in event.values(player.names) { add(label, Printable.line("\(value)")) }
    if site.file != .empty {
      add("source", Printable.line("\(player.names[site.file]):\(site.line)"))
    }
    add("seen by", event.observer == .own ? "the process itself" : "the \(event.observer)")
    var flags: [String] = []
    if event.flags.contains(.late) { flags.append("late: it arrived behind events of later times") }
    if event.flags.contains(.inferred) { flags.append("inferred, not observed") }
    if event.flags.contains(.sampled) { flags.append("its time is known to ±20 ms") }
    add("note", flags.joined(separator: "; "))
    return Reply(
      table.lines(session.paint) + (session.sourceLine(event).map { [$0] } ?? []),
      json: [("at", session.json(place, number: player.here.ordinal))]
    )
  }

  static func marks(_ session: Session) -> Reply {
    let player = session.player
    let marks = player.marks.values.sorted()
    guard !marks.isEmpty else {
      return Reply(
        ["There are no marks. To name this place: mark NAME"],
        json: [("marks", .array([]))]
      )
    }
    var table = Table()
    for mark in marks {
      let place = player.timeline.eventBefore(mark.position)
      let cells = place.map { session.cells($0, number: mark.position.ordinal).dropFirst() } ?? []
      table.add([Cell(mark.name, .strong)] + cells)
    }
    return Reply(
      table.lines(session.paint),
      json: [
        (
          "marks",
          .array(
            marks.map {
              .object([("mark", .string($0.name)), ("event", JSON($0.position.ordinal))])
            }
          )
        )
      ]
    )
  }
}
