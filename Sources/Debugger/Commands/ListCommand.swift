// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// `list`: events around a place, and then the ones that follow.
enum ListCommand {
  /// No more than this at once.
  static let countMax = 10_000

  static func run(_ session: Session, _ words: [String]) throws -> Answer {
    let player = session.player
    let (words, condition) = try split(words)
    if let condition { return try list(session, where: condition, words) }
    guard words.count <= 1 else { throw CommandError.usage("list takes a count, -, or a place.") }
    let size = session.settings.listSize
    switch words.first {
    case nil:
      if let end = session.listedUpTo, end > 0 {
        return try show(session, from: end + 1, count: size)
      }
      return try show(session, from: player.here.ordinal - size / 2, count: size)
    case "-":
      let first = (session.listedFrom ?? player.here.ordinal) - size
      return try show(session, from: first, count: size)
    case let word?:
      if let count = Int(word), count > 0 {
        guard count <= countMax else {
          throw CommandError.usage(
            "list shows at most \(Quantity.grouped(countMax)) events at once."
          )
        }
        return try show(session, from: player.here.ordinal - count / 2, count: count)
      }
      let center = try Places.position(word, session).ordinal
      return try show(session, from: center - size / 2, count: size)
    }
  }

  /// What stands before `where`, and the condition behind it.
  private static func split(_ words: [String]) throws(CommandError) -> ([String], String?) {
    let text = words.first ?? ""
    if text.hasPrefix("where ") { return ([], String(text.dropFirst(6))) }
    let parts = text.split(separator: " ", maxSplits: 2).map(String.init)
    if parts.count == 3, parts[1] == "where", Int(parts[0]) != nil { return ([parts[0]], parts[2]) }
    // A violation, #3, is no remark here.
    return (try CommandWords.split(text, remarks: false), nil)
  }

  /// The next events at which a condition holds, from here on.
  private static func list(_ session: Session, where condition: String, _ words: [String]) throws
    -> Answer
  {
    let player = session.player
    let count = words.first.flatMap { Int($0) } ?? session.settings.listSize
    guard count > 0, count <= countMax else {
      throw CommandError.usage("list shows at most \(Quantity.grouped(countMax)) events at once.")
    }
    let asking = try session.asking(condition)
    var position = player.here
    var rows: [Listing.Row] = []
    while rows.count < count, let place = try player.find(asking.filter, .forward, from: position) {
      position = player.position(at: place)
      rows.append(.event(EventPoint(place: place, number: position.ordinal), marker: " "))
    }
    let end = rows.count < count ? player.timeline.finish : position
    let open = session.undecided(asking, from: player.here, to: end)
    guard !rows.isEmpty else {
      let nothing = session.nothingThere(asking.question).map { " \($0)" } ?? ""
      throw CommandError.no(
        "There is no event where \(condition) behind this place.\(open.map { " \($0.text)" } ?? "")"
          + nothing
      )
    }
    var answer = Answer()
    answer.list("events", rows)
    answer.say(open)
    answer.note(Fact("here", .count(player.here.ordinal)))
    return answer
  }

  private static func show(_ session: Session, from: Int, count: Int) throws -> Answer {
    let player = session.player
    let total = player.timeline.count
    // Near an end the window is moved, not cut.
    let first = max(1, min(from, session.listedUpTo == nil ? total - count + 1 : from))
    guard first <= total else {
      session.listedUpTo = nil
      throw CommandError.no("That was the last event.")
    }
    let lastWanted = min(total, first + count - 1)
    try session.approach(event: first - 1)
    var position = player.timeline.position(ordinal: first - 1)
    var rows: [Listing.Row] = []
    while position.ordinal < lastWanted, let place = player.timeline.stepForward(&position) {
      if player.isInterrupted() { throw SearchInterrupted() }
      if let only = player.only, !only.contains(place.stream) { continue }
      if let missing = missing(before: place, player.timeline) {
        rows.append(.line(Line("   … \(missing)", .bad)))
      }
      let point = EventPoint(place: place, number: position.ordinal)
      let marker = position.ordinal == player.here.ordinal ? ">" : " "
      rows.append(.event(point, marker: session.isConcurrent(point) ? marker + "||" : marker))
    }
    session.listedFrom = first
    session.listedUpTo = lastWanted
    var answer = Answer()
    answer.list("events", rows)
    if rows.isEmpty { answer.say("Nothing of the writer set with only is here.") }
    answer.note(Fact("here", .count(player.here.ordinal)))
    return answer
  }

  /// What is missing just before this event in its stream.
  private static func missing(before place: EventPlace, _ timeline: Timeline) -> String? {
    let stream = timeline.streams[Int(place.stream.rawValue)]
    let chunk = stream.chunk(holding: place.index)
    guard place.index == stream.firstIndices[chunk], stream.hasGap(before: chunk) else {
      return nil
    }
    let before = stream.chunks[chunk - 1]
    let gap = stream.chunks[chunk].firstSequence &- before.endSequence
    return "\(Quantity.count(Int(clamping: gap), "event")) missing here"
  }
}
