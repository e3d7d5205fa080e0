// SPDX-License-Identifier: Apache-2.0
import LifetraceRules
package import LifetraceTimeline
package import LifetraceTrace
import LifetraceWords

extension Player {
  /// Explains a type of notifications, up to here: the posts, what became of them, and the suspensions
  /// through which they waited.
  ///
  /// Nil where nothing in the stream is of that type up to here. Of many the last are told.
  package func whyNotification(_ type: String, of stream: StreamID) throws(SearchInterrupted)
    -> Explanation?
  {
    let steps = try story(of: type, in: stream, before: here)
    guard let first = steps.first?.place else { return nil }
    let pending = state(of: stream).notifications.values.filter { names[$0.type] == type }
    var explanation = Explanation("")
    if let waiting = pending.max(by: { $0.sequence < $1.sequence }) {
      let value = names[waiting.lastValue]
      let said: Sentence = value.isEmpty ? "" : "; the last said \(name: value)"
      explanation.title =
        "\(name: type) waits to be delivered: \(count: waiting.posts, of: "post")\(said)."
      if let next = try nextOutcome(of: type, in: stream) {
        explanation.steps.append(
          step(next, "\(Self.label(timeline.event(at: next).kind)) later")
        )
      } else {
        explanation.remarks.append("It is delivered nowhere in this recording.")
      }
    } else {
      let posts = steps.count(where: {
        $0.place.map { timeline.event(at: $0).kind } == .notificationPosted
      })
      let all = steps.count >= Self.chainMax ? "the last events of it are told" : "none waits"
      explanation.title =
        "\(name: type) was posted \(count: UInt64(posts), of: "time") up to here; \(all)."
    }
    explanation.steps += steps + (try suspensions(of: stream, since: first))
    explanation.steps.sort { ($0.event ?? 0) < ($1.event ?? 0) }
    return explanation
  }

  /// What became of the posts before a notification that a rule has found: empty for any other finding.
  func notifications(before verdict: Verdict) throws(SearchInterrupted) -> [Explanation.Step] {
    guard let place = heldPlace(of: verdict.stream, sequence: verdict.sequence) else { return [] }
    let event = timeline.event(at: place)
    guard event.kind.family == .notification else { return [] }
    let end = position(at: place)
    let steps = try story(of: names[event.identityName], in: place.stream, before: end)
    guard let first = steps.first?.place else { return [] }
    let asleep = try suspensions(of: place.stream, since: first)
    return steps + asleep.filter { $0.event ?? 0 < end.ordinal }
  }

  /// The last events of a type before a position.
  private func story(of type: String, in stream: StreamID, before position: Position)
    throws(SearchInterrupted) -> [Explanation.Step]
  {
    let filter = filter(ofNotifications: type, Self.notificationKinds, in: stream)
    var steps: [Explanation.Step] = []
    var from = position
    while steps.count < Self.chainMax, let place = try find(filter, .backward, from: from) {
      steps.append(step(place, Self.label(timeline.event(at: place).kind)))
      from = self.position(at: place)
      timeline.stepBackward(&from)
    }
    return steps.reversed()
  }

  /// The suspensions and resumptions between an event and here.
  private func suspensions(of stream: StreamID, since first: EventPlace)
    throws(SearchInterrupted) -> [Explanation.Step]
  {
    var filter = EventFilter(kinds: KindSet([.suspend, .resume])) { _, _ in true }
    filter.streams = [stream]
    let state = state(of: stream, after: first.index)
    var steps: [Explanation.Step] = []
    // It may have been asleep before already.
    if state.appState == .suspended,
      let begun = heldPlace(of: stream, sequence: state.stateSequence)
    {
      steps.append(step(begun, "suspended"))
    }
    var from = position(at: first)
    while steps.count < Self.chainMax, let place = try find(filter, .forward, from: from),
      place.index < cursor(of: stream)
    {
      let isStop = timeline.event(at: place).kind == .suspend
      steps.append(step(place, isStop ? "suspended" : "resumed"))
      from = position(at: place)
    }
    return steps
  }

  /// Where what waits here is delivered, or dropped.
  private func nextOutcome(of type: String, in stream: StreamID) throws(SearchInterrupted)
    -> EventPlace?
  {
    let kinds = KindSet([.notificationDelivered, .notificationDropped])
    return try find(filter(ofNotifications: type, kinds, in: stream), .forward, from: here)
  }

  private func filter(ofNotifications type: String, _ kinds: KindSet, in stream: StreamID)
    -> EventFilter
  {
    var filter = EventFilter(kinds: kinds) { event, names in names[event.identityName] == type }
    filter.mentions = [type]
    filter.streams = [stream]
    return filter
  }

  private static let notificationKinds = kinds(of: .notification)

  private static func label(_ kind: EventKind) -> String {
    kind.info?.name.split(separator: ".").last.map(String.init) ?? ""
  }
}
