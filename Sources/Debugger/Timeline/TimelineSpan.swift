// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJudging
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// Which part of the recording a timeline is of.
enum TimelineSpan {
  /// Recordings of no more events are drawn whole.
  private static let wholeEventsMax = 5_000
  /// As many events are drawn before a place, and behind it.
  private static let aroundEvents = 500
  /// What is asked for stands within as much more of its length on both sides.
  private static let margin = 20

  static func find(_ words: [String], _ session: Session) throws -> ClosedRange<Int64> {
    let player = session.player
    let whole = player.whole
    if words.count > 1, let span = try object(words.joined(separator: " "), session) {
      return span
    }
    if words.count > 1, let span = try span(ofAll: words, session) { return span }
    switch words.count {
    case 0:
      if let finding = player.violation { return try span(of: finding, session) }
      guard player.timeline.count > wholeEventsMax else { return whole }
      return around(player.here, player.timeline)
    case 1:
      let word = words[0]
      if word == "all" { return whole }
      if word.hasPrefix("#") { return try span(of: session.violation(word), session) }
      if let span = try object(word, session) { return span }
      let ends = word.components(separatedBy: "..")
      guard ends.count == 2 else {
        return around(try Places.position(word, session), player.timeline)
      }
      return try between(ends[0], ends[1], session)
    case 2: return try between(words[0], words[1], session)
    default:
      throw CommandError.usage("timeline takes two places, one, #N, objects, or all.")
    }
  }

  /// The objects that the words are about.
  static func objects(_ words: [String], _ session: Session) throws -> Set<String> {
    let text = words.joined(separator: " ")
    if words.isEmpty { return Set([session.player.violation?.object].compactMap { $0 }) }
    if text.hasPrefix("#") { return [try session.violation(text).object] }
    return session.player.names.find(text) == nil ? Set(words) : [text]
  }

  /// From the first event about any of several objects to the last; nil where one of them is none.
  private static func span(ofAll words: [String], _ session: Session) throws
    -> ClosedRange<Int64>?
  {
    var all: ClosedRange<Int64>?
    for word in words {
      guard let one = try object(word, session) else { return nil }
      let known = all ?? one
      all = min(known.lowerBound, one.lowerBound)...max(known.upperBound, one.upperBound)
    }
    return all
  }

  private static func between(_ from: String, _ to: String, _ session: Session) throws
    -> ClosedRange<Int64>
  {
    let whole = session.player.whole
    let first = from.isEmpty ? whole.lowerBound : try time(from, session)
    let last = to.isEmpty ? whole.upperBound : try time(to, session)
    guard first <= last else {
      throw CommandError.usage("\(from) is after \(to): a span goes from the earlier place.")
    }
    return first...last
  }

  /// The time of a place; one that is typed as a time is just that.
  private static func time(_ text: String, _ session: Session) throws -> Int64 {
    if text == "start" { return session.player.whole.lowerBound }
    if text.hasPrefix("+"),
      let time = TypedQuantity.nanoseconds(text.dropFirst(), bareSeconds: true)
    {
      return min(time, session.player.whole.upperBound)
    }
    let position = try Places.position(text, session)
    guard let place = session.player.timeline.eventBefore(position) else { return 0 }
    return session.player.timeline.orderTime(of: place)
  }

  private static func around(_ position: Position, _ timeline: Timeline) -> ClosedRange<Int64> {
    let count = timeline.count
    let first = max(1, position.ordinal - aroundEvents)
    let last = min(count, position.ordinal + aroundEvents)
    let times = [first, last].compactMap { timeline.place(ofEvent: $0) }
      .map(timeline.orderTime(of:))
    guard let from = times.first, let to = times.last else { return 0...0 }
    return min(from, to)...max(from, to)
  }

  // MARK: What something is about

  /// From the first event that explains a violation to the next launch.
  private static func span(of finding: Finding, _ session: Session) throws -> ClosedRange<Int64> {
    let player = session.player
    guard let place = session.place(of: finding) else {
      throw CommandError.no("Violation #\(finding.number) is about an event that is missing.")
    }
    let verdict = try session.verdict(of: finding)
    var places = try player.why(verdict).steps.compactMap(\.place)
    places.append(place)
    let times = places.map(player.timeline.orderTime(of:))
    let from = times.min() ?? 0
    let to = try max(times.max() ?? 0, player.nextLaunch(of: finding.stream, after: place))
    return widened(from, to, player)
  }

  /// From the first event about a data object to the last, and to the launch that finds it.
  private static func object(_ name: String, _ session: Session) throws -> ClosedRange<Int64>? {
    let player = session.player
    guard let id = player.names.find(name) else { return nil }
    let kinds = KindSet(KindInfo.all.filter { $0.family == .data }.map(\.kind))
    let filter = EventFilter(kinds: kinds) { event, _ in event.identityName == id }
    let timeline = player.timeline
    guard let first = try player.find(filter, .forward, from: timeline.start),
      let last = try player.find(filter, .backward, from: timeline.finish)
    else { return nil }
    let to = try player.nextLaunch(of: last.stream, after: last)
    return widened(
      timeline.orderTime(of: first),
      max(to, timeline.orderTime(of: last)),
      player
    )
  }

  private static func widened(_ from: Int64, _ to: Int64, _ player: Player) -> ClosedRange<Int64> {
    let whole = player.whole
    let more = max(1_000_000, (to - from) / Int64(margin))
    return max(whole.lowerBound, from - more)...min(whole.upperBound, max(from, to) + more)
  }
}

extension Player {
  /// From the first event of the recording to the last.
  fileprivate var whole: ClosedRange<Int64> {
    let first = timeline.place(ofEvent: 1).map(timeline.orderTime(of:)) ?? 0
    return first...max(first, timeline.duration)
  }

  /// When the next thing was done to the process, and if it ended by that, when its next life had
  /// become active.
  fileprivate func nextLaunch(of stream: StreamID, after place: EventPlace) throws -> Int64 {
    var filter = EventFilter(
      kinds: KindSet([.suspend, .resume, .purge, .processExit])
    ) { _, _ in true }
    filter.streams = [stream]
    guard let next = try find(filter, .forward, from: position(at: place)) ?? ended(stream) else {
      return 0
    }
    let time = timeline.orderTime(of: next)
    let kind = timeline.event(at: next).kind
    guard kind == .purge || kind == .processExit || kind == .suspend,
      let life = timeline.streams.first(where: { previous(of: $0.id) == stream })
    else { return time }
    var launched = EventFilter(kinds: KindSet([.transition])) { event, _ in
      Payload.Transition(event).to.value == .active
    }
    launched.streams = [life.id]
    guard let active = try find(launched, .forward, from: timeline.start) else { return time }
    return timeline.orderTime(of: active)
  }

  private func ended(_ stream: StreamID) -> EventPlace? {
    let count = timeline.streams[Int(stream.rawValue)].count
    return count > 0 ? EventPlace(stream: stream, index: count - 1) : nil
  }
}
