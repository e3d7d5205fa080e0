// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLayout
import LifetraceReplay
import LifetraceTrace
import LifetraceTimeline
import LifetraceWords

/// A layout in sentences, one an interval and one an event: for those who do not look at pictures.
enum TimelineList {
  /// More lines are counted.
  private static let linesMax = 400

  /// What becomes a line: words are made of those alone that are shown.
  private enum Item {
    case bar(Bar, lane: Int)
    case mark(Instant, lane: Int)
    case sign(Layout.Sign)
  }

  static func lines(_ layout: Layout, _ session: Session) -> [String] {
    let lanes = layout.groups.flatMap(\.lanes)
    var items: [(time: Int64, item: Item)] = []
    for (number, lane) in lanes.enumerated() {
      items += lane.bars.map { ($0.begin, .bar($0, lane: number)) }
      items += lane.instants.map { ($0.time, .mark($0, lane: number)) }
    }
    items += layout.violations.map { ($0.place.time, .sign($0)) }
    items.sort { $0.time < $1.time }
    var lines = items.prefix(linesMax).map { _, item in
      let text =
        switch item {
        case .bar(let bar, let lane): sentence(bar, lanes[lane], session)
        case .mark(let mark, let lane): sentence(mark, lanes[lane], session)
        case .sign(let sign): sentence(sign, session)
        }
      return Printable.line(text)
    }
    let more = items.count - lines.count
    if more > 0 { lines.append("\(Quantity.count(more, "line")) more: a shorter SPAN shows them") }
    if layout.quiet > 0 {
      lines.append("\(Quantity.count(layout.quiet, "quiet process")) not told.")
    }
    return lines
  }

  private static func sentence(_ sign: Layout.Sign, _ session: Session) -> String {
    let label = session.player.labels[sign.place.stream]
    let name = EventName(writer: label, sequence: sign.place.sequence)
    return "\(name) violation #\(sign.number), \(sign.rule), at \(time(sign.place.time, session))"
  }

  private static func time(_ time: Int64, _ session: Session) -> String {
    session.timeText(TraceTime(rawValue: time), digits: 3)
  }

  private static func sentence(_ bar: Bar, _ lane: Lane, _ session: Session) -> String {
    let label = session.player.labels[bar.stream]
    let name = session.player.names[bar.name]
    let what: String
    switch bar.look {
    case .unsaved: what = "\(lane.name) unsaved"
    case .saving: what = "\(lane.name) is being saved"
    case .queue: what = "\(Quantity.count(Int(bar.count), "notification")) waiting"
    case .callback, .turn, .work, .wait:
      let thread = lane.kind == .main ? "main" : lane.name
      what = "\(thread) \(bar.look == .wait ? "waits for" : "\(bar.look)") \(name)"
    case .task, .wake, .deadline, .held: what = "\(bar.look) \(name)"
    default: what = "\(bar.look)"
    }
    let several = bar.look != .queue && bar.count > 1 ? ", \(bar.count) times" : ""
    return "\(label) \(what) from \(time(bar.begin, session)) to \(time(bar.end, session)) "
      + "(\(Quantity.duration(bar.length))\(several))"
  }

  private static func sentence(_ mark: Instant, _ lane: Lane, _ session: Session) -> String {
    let player = session.player
    let name = EventName(writer: player.labels[mark.stream], sequence: mark.sequence)
    let words: String
    switch mark.kind {
    case .lost: words = "\(lane.name) lost"
    case .maybeLost: words = "\(lane.name) may be lost"
    case .eventsLost: words = "\(Quantity.count(Int(mark.count), "event")) missing before this"
    default:
      let place = player.timeline.place(of: mark.stream, sequence: mark.sequence)
      words =
        place.map { EventText.sentence(player.timeline.event(at: $0), player.names).line } ?? ""
    }
    return "\(name) at \(time(mark.time, session)): \(words)"
  }
}

/// The lanes of a layout as programs get them.
enum LaneFacts {
  static func rows(_ layout: Layout, _ session: Session) -> [[Fact]] {
    let player = session.player
    func event(_ stream: StreamID, _ sequence: UInt64) -> Value {
      .text("\(EventName(writer: player.labels[stream], sequence: sequence))")
    }
    return layout.groups.flatMap { group in
      group.lanes.map { lane in
        let bars = lane.bars.map { bar in
          Value.object([
            Fact(data: "look", .text("\(bar.look)")),
            Fact(data: "name", .text(player.names[bar.name])),
            Fact(data: "event", event(bar.stream, bar.sequence)),
            Fact(data: "fromNs", .time(TraceTime(rawValue: bar.begin))),
            Fact(data: "toNs", .time(TraceTime(rawValue: bar.end))),
            Fact(data: "count", .count(UInt64(bar.count))),
          ])
        }
        let instants = lane.instants.map { mark in
          Value.object([
            Fact(data: "kind", .text("\(mark.kind)")),
            Fact(data: "event", event(mark.stream, mark.sequence)),
            Fact(data: "ns", .time(TraceTime(rawValue: mark.time))),
            Fact(data: "count", .count(UInt64(mark.count))),
          ])
        }
        return [
          Fact(data: "process", .text(group.name)), Fact(data: "lane", .text("\(lane.kind)")),
          Fact(data: "name", .text(lane.name)), Fact(data: "bars", .list(bars)),
          Fact(data: "instants", .list(instants)),
        ]
      }
    }
  }
}
