// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// Commands for what a person keeps: marks and notes, which lie beside the recording.
enum NoteCommands {
  static let all: [Command] = [
    Command(
      name: "mark",
      aliases: ["m", "checkpoint", "bookmark"],
      synopsis: "[NAME [TEXT]]",
      summary: "name this place, or list the marks",
      group: .keeping,
      details: [
        "goto NAME comes back to it, in later sessions too: marks are kept beside the recording, as "
          + "notes are. A name stands for one place."
      ],
      examples: ["mark edit", "mark edit the version that is lost", "goto edit"],
      completes: .places,
      takesText: true
    ) { try mark($0, $1) },
    Command(
      name: "note",
      synopsis: "[PLACE] TEXT",
      summary: "write something down about the event here, or at PLACE",
      group: .keeping,
      details: [
        "PLACE is WRITER:SEQUENCE, #N for a violation, or +TIME; anything else is part of the text. "
          + "Notes are kept in FILE.notes beside the recording, a line each; they stay with their "
          + "events where it grows, is merged or repaired. delete note N forgets one."
      ],
      examples: ["note here the draft is older than the file", "note notes#1:22 never saved"],
      completes: .places,
      takesText: true
    ) { try note($0, $1) },
    Command(
      name: "notes",
      synopsis: "[-o FILE [--force]]",
      summary: "list the notes and marks, or write them to a file in Markdown",
      group: .keeping,
      examples: ["notes", "notes -o findings.md"]
    ) { try notes($0, $1) },
  ]

  // MARK: - Taking down

  private static func mark(_ session: Session, _ words: [String]) throws -> Answer {
    guard let line = words.first else { return list(session, marks: true) }
    let (name, text) = CommandWords.cut(line) ?? (line, "")
    guard let first = name.unicodeScalars.first, first.properties.isAlphabetic,
      !["start", "begin", "end"].contains(name), !name.contains("%"), !name.contains("#")
    else {
      throw CommandError.usage("\(name) cannot name a mark: a name begins with a letter.")
    }
    session.notebook.refresh()
    let before = session.notebook.entries.first { $0.note.mark == name }?.note
    let place = try take(session, session.player.place, mark: name, text: text)
    let number = session.player.timeline.number(of: place)
    let facts = [Fact("mark", .text(name)), Fact("event", .count(number))]
    var answer = Answer(.line("Marked event \(number) as \(Printable.line(name)).", facts))
    if let before { answer.say(moved(before, keeps: text)) }
    answer.say("news", session.notebook.takeNews(), .warning)
    return answer
  }

  /// What a name stood for before it was given anew, and the text that went with that.
  private static func moved(_ before: Note, keeps text: String) -> Line? {
    let name = "\(Printable.line(before.mark)) stood for \(before.event)"
    guard !before.text.isEmpty, before.text != text else { return Line("\(name) before.") }
    return Line(
      "\(name) before, with a text that is gone: \(Printable.line(before.text))",
      .warning
    )
  }

  private static func note(_ session: Session, _ words: [String]) throws -> Answer {
    guard let line = words.first else {
      throw CommandError.usage("note takes a text. notes lists the notes.")
    }
    var (place, text) = (session.player.place, line)
    if let (word, rest) = CommandWords.cut(line), let named = try event(word, session) {
      (place, text) = (named, rest)
    }
    guard !text.isEmpty else { throw CommandError.usage("note takes a text behind the place.") }
    let noted = try take(session, place, mark: "", text: text)
    let number = session.notebook.entries.last?.number ?? 0
    let name = "\(session.player.name(of: noted))"
    let facts = [Fact("note", .count(number)), Fact("event", .text(name))]
    var answer = Answer(.line("Note \(number), about \(name).", facts))
    answer.say("news", session.notebook.takeNews(), .warning)
    return answer
  }

  /// The event of a place in one of the forms that no sentence begins with; nil for other words.
  private static func event(_ word: String, _ session: Session) throws -> EventPlace? {
    let player = session.player
    if let place = try Places.event(word, session) { return place }
    if word.hasPrefix("#"), Int(word.dropFirst()) != nil {
      let finding = try session.violation(word)
      guard let place = session.place(of: finding) else {
        throw CommandError.no("Violation \(word) is about an event that is missing.")
      }
      return place
    }
    guard word.hasPrefix("+"),
      let time = TypedQuantity.nanoseconds(word.dropFirst(), bareSeconds: true)
    else { return nil }
    let position = player.timeline.position(at: TraceTime(rawValue: time))
    guard time <= player.timeline.duration, let place = player.timeline.eventBefore(position) else {
      throw CommandError.no("No event of the recording is at \(word).")
    }
    return place
  }

  private static func take(_ session: Session, _ place: EventPlace?, mark: String, text: String)
    throws -> EventPlace
  {
    guard let place else {
      throw CommandError.no("No event has happened yet: step, or goto one.")
    }
    guard mark.utf8.count + text.utf8.count <= Note.textBytesMax else {
      throw CommandError.usage("A note has at most \(Quantity.grouped(Note.textBytesMax)) bytes.")
    }
    let player = session.player
    let event = player.timeline.event(at: place)
    let kind = EventText.kind(event.kind, player.names)
    let words = EventText.sentence(player.named(event, at: place), player.names).line
    session.notebook.add(
      Note(
        writer: player.timeline.streams[Int(place.stream.rawValue)].writer,
        event: player.name(of: place),
        mark: mark,
        text: text,
        words: "\(kind)  \(words)"
      )
    )
    return place
  }

  /// `delete note`: by number, or a mark by its name.
  static func delete(_ session: Session, _ words: ArraySlice<String>) throws -> Answer {
    guard let word = words.first, words.count == 1 else {
      throw CommandError.usage("delete note takes the number of a note, or the name of a mark.")
    }
    session.notebook.refresh()
    let found = session.notebook.entries.first { "\($0.number)" == word || $0.note.mark == word }
    guard let found else {
      throw CommandError.no("There is no note \(Printable.line(word)). notes lists them.")
    }
    session.notebook.remove(found)
    let what = found.note.mark.isEmpty ? "note \(found.number)" : Printable.line(found.note.mark)
    var answer = Answer(.line("Forgot \(what).", [Fact("forgot", .text(what))]))
    answer.say("news", session.notebook.takeNews(), .warning)
    return answer
  }

  // MARK: - Reading

  private static func notes(_ session: Session, _ words: [String]) throws -> Answer {
    if words.isEmpty { return list(session, marks: false) }
    let isForced = words.contains("--force")
    let rest = words.filter { $0 != "--force" }
    guard rest.count == 2, rest[0] == "-o" else {
      throw CommandError.usage("notes takes -o and a file, or nothing.")
    }
    session.notebook.refresh()
    let path = Paths.expand(rest[1])
    guard !SameFile.isOne(path, of: [session.title, session.title + ".notes"]) else {
      throw CommandError.no(
        "\(Printable.line(rest[1])) is the recording or the file of its notes: name another one."
      )
    }
    let code = WholeFile.write(NotesPage(session).markdown, to: path, replaces: isForced)
    let shown = Printable.line(rest[1])
    if code == EEXIST {
      throw CommandError.no("\(shown) exists already. To replace it: notes -o \(shown) --force")
    }
    guard code == 0 else {
      throw CommandError.no("\(shown) cannot be written: \(errnoText(code)).")
    }
    let count = session.notebook.entries.count
    let facts = [Fact("file", .text(rest[1])), Fact("count", .count(count))]
    return Answer(.line("\(Quantity.count(count, "note")) in \(shown).", facts))
  }

  /// The notes, or those that name a place, in the order of their events.
  static func list(_ session: Session, marks: Bool) -> Answer {
    session.notebook.refresh()
    var answer = Answer()
    let placed = session.placedNotes.filter { !marks || !$0.entry.note.mark.isEmpty }
    if placed.isEmpty {
      answer.say(
        marks
          ? "There are no marks. To name this place: mark NAME"
          : "There are no notes. To write something down about the event here: note TEXT"
      )
    }
    answer.list(marks ? "marks" : "notes", placed.flatMap { rows($0) })
    answer.say("news", session.notebook.takeNews(), .warning)
    return answer
  }

  /// A note as a row: the event, and below it the words.
  private static func rows(_ placed: PlacedNote) -> [Listing.Row] {
    let note = placed.entry.note
    let number = placed.entry.number
    var facts = [
      Fact("note", .count(number), "\(number)", .faint, right: true),
      Fact("mark", .text(note.mark), Printable.line(note.mark), .strong),
      Fact(data: "text", .text(note.text)),
      Fact(data: "event", placed.point.map { .count($0.number) } ?? .none),
      Fact(data: "name", .text("\(placed.name)")),
    ]
    if let point = placed.point {
      facts.append(Fact(shown: point))
    } else {
      facts.append(Fact(words: "not in this recording", .warning))
      facts.append(Fact(words: ""))
      facts.append(Fact(words: Printable.line("\(note.event)"), .name))
      facts.append(Fact(words: Printable.line(note.words), .faint))
    }
    let text = "     \(Printable.line(note.text))"
    return [.facts(facts)] + (note.text.isEmpty ? [] : [.line(Line(text))])
  }
}
