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
  func cells(_ place: EventPlace, number: Int? = nil, marker: String = "") -> [Cell] {
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
    var words = EventText.sentence(named(event, at: place), names).line
    if event.flags.contains(.late) { words += " [late]" }
    if event.flags.contains(.sampled) { words += " [±20 ms]" }
    return [
      Cell(marker, .strong),
      Cell("#\(number ?? player.timeline.number(of: place))", .faint, right: true),
      Cell(time, right: true),
      Cell("\(player.name(of: place))", .name),
      Cell(Wording.thread(event.thread), .faint),
      Cell(EventText.kind(event.kind, names), .faint),
      Cell(words, style),
      Cell(EventText.source(event.site, names), .name),
    ]
  }

  /// A time as listings show it: since the start, or as the clock on the wall did.
  func timeText(_ time: TraceTime) -> String {
    guard settings.showsClock, let wall = player.timeline.alignment.wall else {
      return Wording.time(time, digits: settings.digits)
    }
    return wall.clock(HostTime(rawValue: time.rawValue), digits: settings.digits)
  }

  /// An end with the site of its begin, where it carries none of its own: that has the name.
  private func named(_ event: Event, at place: EventPlace) -> Event {
    let begins: [EventKind: EventKind] = [
      .callbackEnd: .callbackBegin, .turnEnd: .turnBegin, .workEnd: .workBegin,
    ]
    guard player.names[event.site].name == .empty, let begin = begins[event.kind],
      let span = player.state(of: event.stream, after: place.index)
        .spans[SpanKey(event.identity, begin)]
    else { return event }
    var named = event
    named.site = span.site
    return named
  }

  /// An event as one line.
  func line(_ place: EventPlace, number: Int? = nil) -> String {
    var table = Table()
    table.add(Array(cells(place, number: number).dropFirst()))
    return table.lines(paint).joined()
  }

  /// The line of source text that an event points at; once, that it cannot be found.
  func sourceLine(_ event: Event) -> String? {
    let site = player.names[event.site]
    guard site.line > 0 else { return nil }
    let file = player.names[site.file]
    guard let text = sources.line(site.line, of: file) else {
      return sources.absence(of: file).map { paint("    \($0)", .faint) }
    }
    let number = String(site.line)
    return paint("    \(number) | ", .faint) + Printable.line(text)
  }

  /// An event as `--json` prints it: as `dump --json` does, with its number and in words.
  func json(_ place: EventPlace, number: Int? = nil) -> JSON {
    let event = player.timeline.event(at: place)
    let pairs = EventJSON.pairs(
      event,
      at: player.timeline.time(of: event),
      player.names,
      player.labels[event.stream]
    )
    return .object(
      [("event", JSON(number ?? player.timeline.number(of: place)))] + pairs
        + [("text", .string(EventText.sentence(named(event, at: place), player.names).line))]
    )
  }

  /// Where the player stands, as each moving command answers.
  func standing(_ note: String? = nil) -> Reply {
    let total = player.timeline.count
    var reply = Reply()
    if let note { reply.lines.append(note) }
    guard let place = player.place else {
      reply.lines.append("At the start: \(Quantity.count(total, "event")) to come.")
      reply.json = [("at", .null), ("events", JSON(total))]
      return reply
    }
    let event = player.timeline.event(at: place)
    reply.lines.append(line(place, number: player.here.ordinal))
    if let text = sourceLine(event) { reply.lines.append(text) }
    if player.here.ordinal == total { reply.lines.append(paint("That is the last event.", .faint)) }
    reply.json = [("at", json(place, number: player.here.ordinal)), ("events", JSON(total))]
    if let note { reply.json.append(("note", .string(note))) }
    return reply
  }
}
