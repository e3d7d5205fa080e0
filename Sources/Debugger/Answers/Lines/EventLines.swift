// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJSON
import LifetraceInterop
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

extension Session {
  /// The columns of an event in a list: number, time, name, thread, kind, words, source.
  func cells(_ point: EventPoint) -> [Cell] {
    let place = point.place
    let event = player.timeline.event(at: place)
    let names = player.names
    let time = timeText(player.timeline.time(of: event))
    let style: Style =
      switch event.kind {
      case .purge, .processExit, .loss, .dataFailed, .notificationDropped: .bad
      case .transition, .suspend, .resume, .processStart: .strong
      case .dataDirty, .taskExpire: .warning
      case .dataDurable: .good
      default: .plain
      }
    var words = EventText.sentence(player.named(event, at: place), names).line
    if event.flags.contains(.late) { words += " [late]" }
    if event.flags.contains(.sampled) { words += " [±20 ms]" }
    return [
      Cell("#\(point.number)", .faint, right: true),
      Cell(time, right: true),
    ] + margin(event) + [
      Cell("\(player.name(of: place))", .name),
      Cell(Wording.thread(event.thread), .faint),
      Cell(EventText.kind(event.kind, names), .faint),
      Cell(words, style),
      Cell(EventText.source(event.site, names), .name),
    ]
  }

  /// Whether nothing proves that an event was behind the one that stands before it.
  func isConcurrent(_ point: EventPoint) -> Bool {
    let timeline = player.timeline
    guard timeline.alignment.clockCount > 1, let before = timeline.place(ofEvent: point.number - 1)
    else { return false }
    return timeline.areConcurrent(timeline.event(at: before), timeline.event(at: point.place))
  }

  /// By how much the time of an event of another machine may be off, a column where there are several
  /// clocks; empty on the clock of the axis.
  private func margin(_ event: Event) -> [Cell] {
    guard player.timeline.alignment.clockCount > 1 else { return [] }
    switch player.timeline.margin(of: event) {
    case 0?: return [Cell("")]
    case let margin?: return [Cell("±\(Quantity.duration(margin))", .faint)]
    case nil: return [Cell("±?", .faint)]
    }
  }

  /// A time as listings show it: since the start, or as the clock on the wall did.
  ///
  /// With as many decimals as listings have, or with `digits` where these are fewer.
  func timeText(_ time: TraceTime, digits: Int = 9) -> String {
    let digits = min(digits, settings.digits)
    guard settings.showsClock, let wall = player.timeline.alignment.wall else {
      return Wording.time(time, digits: digits)
    }
    return wall.clock(HostTime(rawValue: time.rawValue), digits: digits)
  }

  /// An event as one line.
  func line(_ point: EventPoint) -> String {
    var table = Table()
    table.add(cells(point))
    return table.lines(paint).joined()
  }

  /// All of an event, a line a part.
  func table(_ point: EventPoint) -> [String] {
    let event = player.timeline.event(at: point.place)
    let site = player.names[event.site]
    let time = player.timeline.time(of: event)
    var flags: [String] = []
    if event.flags.contains(.late) { flags.append("late: it arrived behind events of later times") }
    if event.flags.contains(.inferred) { flags.append("inferred, not observed") }
    if event.flags.contains(.sampled) { flags.append("its time is known to ±20 ms") }
    let wall = player.timeline.alignment.wall
    let parts =
      [
        ("event", "\(player.name(of: point.place)) (#\(point.number))"),
        ("time", Wording.time(time, digits: 9)),
        ("raw", Places.raw(event.time)),
        ("clock", wall?.text(HostTime(rawValue: time.rawValue)) ?? ""),
        ("thread", Wording.thread(event.thread)),
        ("kind", EventText.kind(event.kind, player.names)),
        ("name", Printable.line(player.names[site.name])),
      ] + event.values(player.names).map { ($0.0, Printable.line("\($0.1)")) } + [
        ("source", SourcePlace(event.site, player.names).map { Printable.line("\($0)") } ?? ""),
        ("seen by", Self.words(for: event.observer)),
        ("note", flags.joined(separator: "; ")),
      ]
    var table = Table()
    for (name, value) in parts where !value.isEmpty {
      table.add([Cell(name, .faint), Cell(value)])
    }
    return table.lines(paint)
  }

  /// Who saw an event.
  private static func words(for observer: Observer) -> String {
    switch observer {
    case .own: "the process itself"
    case .observe: "the library of record --observe, in the process"
    default: "the \(observer)"
    }
  }

  /// The line of source text that an event points at; once, that it cannot be found.
  func sourceLine(_ event: Event) -> Line? {
    let site = player.names[event.site]
    guard site.line > 0 else { return nil }
    let file = player.names[site.file]
    guard let text = sources.line(site.line, of: file) else {
      return sources.absence(of: file).map { Line("    \($0)", .faint) }
    }
    let since =
      isOlder(event, than: file) ? "   (the file was written since: the line may be another)" : ""
    return "\("    \(site.line) | ", .faint)\(Printable.line(text))\(since, .warning)"
  }

  /// Whether a source file was written behind an event that points into it, as far as the recording
  /// knows the time of day.
  private func isOlder(_ event: Event, than file: String) -> Bool {
    let attributes = player.timeline.streams[Int(event.stream.rawValue)].attributes
    guard attributes.clock != .virtual, attributes.evidence != .log,
      let wall = WallClock(of: attributes), wall.hasDay, let written = sources.writeTime(of: file)
    else { return false }
    return written > wall.start + event.time.rawValue
  }

  /// An event as `--json` prints it: as `dump --json` does, with its number and in words.
  func json(_ point: EventPoint) -> JSON {
    let event = player.timeline.event(at: point.place)
    let pairs = EventJSON.pairs(
      event,
      at: player.timeline.time(of: event),
      player.names,
      player.labels[event.stream]
    )
    return .object(
      [("event", JSON(point.number))] + pairs
        + (isConcurrent(point) ? [("concurrent", JSON.bool(true))] : [])
        + [
          (
            "text",
            .string(EventText.sentence(player.named(event, at: point.place), player.names).line)
          )
        ]
    )
  }

  /// The event on which the player stands, if it stands on one.
  var point: EventPoint? {
    player.place.map { EventPoint(place: $0, number: player.here.ordinal) }
  }

  /// Where the player stands, as each moving command answers.
  func standing(_ note: Line? = nil) -> Answer {
    let total = player.timeline.count
    let start: Line = "At the start: \(Quantity.count(total, "event")) to come."
    let end = Line("That is the last event.", .faint)
    var answer = Answer(
      point.map { .event("at", $0, .withSource) } ?? .line(start, [Fact("at", .none)]),
      .line(point?.number == total ? end : nil, [Fact("events", .count(total))])
    )
    for display in displays { answer.say(valueLine(display.question)) }
    if !displays.isEmpty {
      let facts = displays.map { Value.object(valueFacts($0.question)) }
      answer.note(Fact(data: "displays", .list(facts)))
    }
    answer.addNotes(notesHere)
    if note == nil, let instant = player.instant {
      let next = player.here.ordinal < total ? ", before #\(player.here.ordinal + 1)" : ""
      let words = Line("Here at \(timeText(instant))\(next).")
      answer.say(words, [Fact(data: "instant", .time(instant))])
    }
    if let note { answer.lead = .line(note, [Fact("note", .text(note.text))]) }
    return answer
  }
}
