// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// The answer of `lossmap`: over the life of a process, when an end would have lost what.
///
///                 ssssiiaaaaaaaaaiiibbbbbbz
///     draft.txt   ........=============~~.X
///
/// Each column stands for as many events as it takes for the life to fit the line; time in which
/// nothing happens takes no room.
enum LossMapLines {
  /// Columns of the drawing.
  private static let columnsMax = 64
  /// More objects than this are only counted.
  private static let objectsMax = 24
  /// More stretches than this are only counted.
  private static let stretchesMax = 1_000
  /// Of a name at least as much is shown, however narrow the line.
  private static let nameMin = 12

  static func answer(_ session: Session, _ stream: StreamID) throws -> Answer {
    let index = Int(stream.rawValue)
    let timeline = session.player.timeline
    let label = session.player.labels[stream]
    let map = try LossMap(timeline, index, from: session.player.state(of: stream, after: 0)) {
      session.player.isInterrupted()
    }
    var answer = Answer()
    answer.note(Fact("writer", .text(label)))
    let names = session.player.names
    let count = timeline.streams[index].count
    let drawing = LossDrawing(count, columnsMax)
    guard !map.stretches.isEmpty else {
      answer.list("stretches", [])
      answer.say("At no moment of \(label) would an end have lost anything that it edited.")
      answer.say(map.isFull ? overflow : nil)
      return answer
    }
    let objects = map.objects
    let room = max(nameMin, session.columns() - drawing.columns - 2)
    let widest = objects.prefix(objectsMax).map { Columns.width(of: Printable.line(names[$0])) }
    let width = min(room, widest.max() ?? 0)
    answer.say(
      "An end of \(label) would have lost, over its \(Quantity.count(count, "event")):"
    )
    answer.say(Line(pad("state", width) + "  " + drawing.states(map), .name))
    for object in objects.prefix(objectsMax) {
      let name = cut(Printable.line(names[object]), to: width)
      answer.say(Line(pad(name, width) + "  " + drawing.row(map, object)))
    }
    if objects.count > objectsMax {
      answer.say("and \(Quantity.count(objects.count - objectsMax, "more object"))")
    }
    answer.say("s starting, i inactive, a active, b background, z suspended")
    let other = LossMap.Doubt.otherBytes
    let others =
      map.stretches.contains { $0.doubt == other } ? "\(other.sign) \(other.words), " : ""
    answer.say("= would be lost, ~ a save was under way, \(others)X lost at its end, . nothing")
    answer.list(
      "stretches",
      map.stretches.prefix(stretchesMax).map { .facts(row($0, session, stream, names)) }
    )
    if map.stretches.count > stretchesMax {
      let more = Quantity.count(map.stretches.count - stretchesMax, "more stretch")
      let isMost = map.stretches.count >= LossMap.stretchesMax
      answer.say("and \(isMost ? "at least " : "")\(more)")
    }
    answer.say(map.isFull ? overflow : nil, [Fact("atLeast", .flag(map.isFull))])
    Ledgers.tellOwnTime(session, stream, &answer)
    return answer
  }

  private static var overflow: Line {
    let table = BoundedTable.data
    let many = Quantity.count(table.max, table.thing)
    return Line("More than \(many) at once; the rest is not in the map.", .warning)
  }

  private static func row(
    _ one: LossMap.Stretch,
    _ session: Session,
    _ stream: StreamID,
    _ names: Names
  ) -> [Fact] {
    func place(_ key: String, _ place: EventPlace?, _ time: HostTime) -> [Fact] {
      let at = session.time(time, of: stream)
      // As `goto` takes it.
      let number =
        place.map {
          "\(session.player.labels[stream]):\(session.player.timeline.event(at: $0).sequence)"
        }
        ?? "its end"
      return [
        Fact("\(key)Ns", .time(at), "\(number) (\(session.timeText(at)))")
      ]
    }
    return [
      Fact("object", .text(names[one.object]), .strong),
      Fact("version", .count(one.version), "version \(one.version)"),
      Fact("bytes", .bytes(one.bytes), .warning, right: true),
      Fact(words: "from"),
    ] + place("begin", one.first, one.begin) + [Fact(words: "to")]
      + place("end", one.last, one.end) + [
        Fact("lastsNs", .duration(one.end - one.begin)),
        Fact("unsure", .flag(one.doubt != nil), one.doubt?.words ?? ""),
        Fact("lost", .flag(one.isLost), one.isLost ? "lost" : "", .bad),
      ]
  }

  /// The end of a name, which tells files apart, where all of it has no room.
  private static func cut(_ name: String, to width: Int) -> String {
    guard Columns.width(of: name) > width else { return name }
    var end = Substring(name)
    while Columns.width(of: String(end)) >= width { end = end.dropFirst() }
    return "…" + end
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - Columns.width(of: text)))
  }
}

extension LossMap.Doubt {
  fileprivate var sign: Character { self == .otherBytes ? "?" : "~" }

  fileprivate var words: String {
    switch self {
    case .saveUnderWay: "a save was under way"
    case .otherBytes: "its save wrote other bytes"
    }
  }
}

/// Which columns a part of a life takes.
private struct LossDrawing {
  let count: Int
  let columns: Int

  init(_ count: Int, _ columnsMax: Int) {
    self.count = max(1, count)
    columns = min(self.count, columnsMax)
  }

  private func column(_ index: Int) -> Int { min(columns - 1, max(0, index) * columns / count) }

  func states(_ map: LossMap) -> String {
    var row = [Character](repeating: "s", count: columns)
    for (number, one) in map.states.enumerated() {
      let end = map.states.indices.contains(number + 1) ? map.states[number + 1].index : count
      let letter: Character? =
        switch one.state {
        case .inactive: "i"
        case .active: "a"
        case .background: "b"
        case .suspended: "z"
        case .notRunning: number == 0 ? "s" : "."
        case .unknown: "?"
        }
      guard let letter, one.index < end else { continue }
      for place in column(one.index)...column(end - 1) { row[place] = letter }
    }
    return String(row)
  }

  /// A stretch that is short takes a column all the same.
  func row(_ map: LossMap, _ object: NameID) -> String {
    var row = [Character](repeating: ".", count: columns)
    for one in map.stretches where one.object == object {
      let last = one.last.map { $0.index - 1 } ?? count - 1
      let first = column(one.first.index)
      for place in first...max(first, column(last)) { row[place] = one.doubt?.sign ?? "=" }
      if one.isLost { row[columns - 1] = "X" }
    }
    return String(row)
  }
}
