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
      let before = player.here
      let violation = player.violation
      _ = try Places.go(to: word, session)
      let center = player.here.ordinal
      if player.here != before { _ = player.undo() }
      player.violation = violation
      return try show(session, from: center - size / 2, count: size)
    }
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
      let marker = position.ordinal == player.here.ordinal ? ">" : " "
      rows.append(.event(EventPoint(place: place, number: position.ordinal), marker: marker))
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
