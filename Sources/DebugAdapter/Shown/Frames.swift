// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceDebugger
import LifetraceJSON
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// A line of the call stack.
struct Frame {
  /// The writer whose state it shows.
  var stream: StreamID
  /// What it is.
  var kind: Kind

  enum Kind {
    /// The event on which it stands.
    case event(EventPlace)
    /// What is open around it.
    case span(OpenSpan)
    /// The place in the list of all events.
    case record(Int)
  }
}

extension DebugAdapter {
  /// The event, what is open around it from within, and below it the line in the list of events: so one
  /// click is to where any event can be gone to.
  func listFrames(_ arguments: Arguments) throws -> Reply {
    let session = try session()
    let key = try thread(arguments)
    let all = frames(of: key, session)
    let first = max(0, min(arguments.number("startFrame") ?? 0, all.count))
    guard frames.count < Self.numbersMax else {
      throw Refusal("The stack was asked for too often at one place.")
    }
    let levels = arguments.number("levels") ?? 0
    let shown = levels > 0 ? all[first...].prefix(levels) : all[first...]
    let list = shown.map { frame in
      frames.append(frame)
      return json(frame, frames.count, session)
    }
    return Reply([("stackFrames", .array(list)), ("totalFrames", JSON(all.count))])
  }

  private func frames(of key: ThreadKey, _ session: Session) -> [Frame] {
    let player = session.player
    var found: [Frame] = []
    var own: UInt64?
    if key == hereKey(session), let place = player.place {
      found.append(Frame(stream: key.stream, kind: .event(place)))
      own = player.timeline.event(at: place).sequence
    }
    let spans = player.state(of: key.stream).openSpans(on: key.thread).reversed()
    found += spans.filter { $0.sequence != own }
      .map { Frame(stream: key.stream, kind: .span($0)) }
    return found + [Frame(stream: key.stream, kind: .record(player.here.ordinal))]
  }

  private func json(_ frame: Frame, _ id: Int, _ session: Session) -> JSON {
    let player = session.player
    let name: String
    let source: [(String, JSON)]
    switch frame.kind {
    case .event(let place):
      let event = player.timeline.event(at: place)
      name = session.words(of: event, at: place)
      source = self.source(of: player.named(event, at: place).site, number: player.here.ordinal)
    case .span(let span):
      name = session.title(of: span)
      let number = player.timeline.ordinal(of: frame.stream, sequence: span.sequence)
      source = self.source(of: span.site, number: number ?? player.here.ordinal)
    case .record(let number):
      let time = Wording.time(player.time)
      name =
        number == 0
        ? "start of the recording"
        : "event \(Quantity.grouped(number)) of \(Quantity.grouped(player.timeline.count)), \(time)"
      source = recordSource(number)
    }
    return .object(
      [("id", JSON(id)), ("name", .string(name)), ("column", JSON(client.firstColumn))] + source
    )
  }

  /// The members of a place in the source; where the file is not here, of the line of event `number`.
  private func source(of site: SiteID, number: Int) -> [(String, JSON)] {
    guard let session = opened, let place = SourcePlace(site, session.player.names),
      place.line > 0, let path = session.path(ofSource: place.file)
    else { return recordSource(number) }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return [
      ("source", .object([("name", .string(name)), ("path", .string(path))])),
      ("line", JSON(client.line(Int(place.line)))),
    ]
  }

  /// The members of the place that an event points at, for a text that is shown in the console.
  func place(of place: EventPlace) -> [(String, JSON)] {
    guard let session = opened else { return [] }
    let event = session.player.timeline.event(at: place)
    return source(of: event.site, number: session.player.timeline.number(of: place))
  }
}
