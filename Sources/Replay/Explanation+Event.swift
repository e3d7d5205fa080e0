// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
package import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

extension Player {
  /// Explains an event: what led to it, where that ends or began which it begins or ends, and what the
  /// time went into.
  ///
  /// It needs no rule. What lasts is explained from its end, as that shows the longest part of it; what
  /// happens at once is told with the time of what it is inside of.
  package func whyEvent(at place: EventPlace) throws(SearchInterrupted) -> Explanation {
    let event = timeline.event(at: place)
    let title = EventText.sentence(named(event, at: place), names)
    var explanation = Explanation(
      title.parts.isEmpty ? Sentence(EventText.kind(event.kind, names)) : title
    )
    let extent = try extent(of: place)
    let graph = CauseGraph(player: self)
    var chain = graph.chain(to: extent?.end ?? place, told: [])
    if !chain.steps.contains(where: { $0.place == place }) {
      chain = graph.chain(to: place, told: [])
    }
    var labels: [EventPlace: String] = [place: "here"]
    if let extent {
      if extent.begin != place { labels[extent.begin] = "began" }
      if let end = extent.end, end != place { labels[end] = "ended" }
    }
    for step in chain.origins + chain.steps where labels[step.place] == nil {
      labels[step.place] = step.relation?.rawValue ?? ""
    }
    explanation.steps = labels.map { step($0.key, $0.value) }
      .sorted { ($0.event ?? 0) < ($1.event ?? 0) }
    explanation.remarks = try timeRemarks(of: event, at: place, extent)
    if isInterrupted() { throw SearchInterrupted() }
    if explanation.steps.count == 1, explanation.remarks.isEmpty {
      explanation.remarks = ["Nothing that is recorded led to it. For the app around it: why state"]
    }
    return explanation
  }

  /// Of what lasts: for how long, and what that went into; of what does not: the same of that around it.
  private func timeRemarks(
    of event: Event,
    at place: EventPlace,
    _ extent: (begin: EventPlace, end: EventPlace?)?
  ) throws(SearchInterrupted) -> [Sentence] {
    guard let extent else {
      let around = state(of: place.stream, after: place.index + 1).openSpans(on: event.thread).last
      guard let around, let begin = heldPlace(of: place.stream, sequence: around.sequence),
        let end = try self.extent(of: begin)?.end, let time = timeText(from: begin, to: end)
      else { return [] }
      return ["It is inside \(name(begin)), which lasts until \(name(end)). \(time)"]
    }
    guard let end = extent.end else {
      let ending = state(
        of: place.stream,
        after: timeline.streams[Int(place.stream.rawValue)].count
      )
      .process.ending
      return [
        ending == nil
          ? "It does not end in this recording." : "It was still open when the process ended."
      ]
    }
    let length = timeline.event(at: end).time - timeline.event(at: extent.begin).time
    return [timeText(from: extent.begin, to: end) ?? "It lasts \(duration: max(0, length))."]
      + meanwhile(from: extent.begin, to: end)
      + comparison(from: extent.begin, to: end)
  }

  private func name(_ place: EventPlace) -> Sentence {
    "\(event: name(of: place), of: place.stream)"
  }

  /// What a thread did in a callback, a turn, work or a wait; nil for all else, and where that is one thing.
  private func timeText(from begin: EventPlace, to end: EventPlace) -> Sentence? {
    breakdown(from: begin, to: end).flatMap {
      $0.isTelling ? $0.sentence(names) { "\(duration: $0)" } : nil
    }
  }

  /// What others did where that was waiting for the most part.
  private func meanwhile(from begin: EventPlace, to end: EventPlace) -> [Sentence] {
    breakdown(from: begin, to: end).map {
      meanwhile(in: $0, of: begin.stream, until: end.index) { "\(duration: $0)" }
    } ?? []
  }

  private func breakdown(from begin: EventPlace, to end: EventPlace) -> TimeBreakdown? {
    let first = timeline.event(at: begin)
    guard timeline.event(at: end).kind.begin == first.kind, !first.isAsynchronousWork,
      end.index - begin.index <= CauseGraph.eventsMax
    else { return nil }
    return CauseGraph(player: self).breakdown(from: begin, to: end, on: first.thread)
  }

  /// From where to where something lasts that an event begins, or ends; nil for what does not last, and
  /// for the end of what began where the recording does not reach.
  private func extent(of place: EventPlace) throws(SearchInterrupted)
    -> (begin: EventPlace, end: EventPlace?)?
  {
    let event = timeline.event(at: place)
    if let ending = event.kind.lastsUntil {
      let key = event.extentKey
      var filter = EventFilter(kinds: KindSet([ending])) { event, _ in event.extentKey == key }
      filter.streams = [place.stream]
      let from = timeline.position(after: place)
      return (place, try find(filter, .forward, from: from))
    }
    let state = state(of: place.stream, after: place.index)
    let sequence: UInt64? =
      switch event.kind {
      case .taskEnd, .taskExpire: state.tasks[event.identity]?.sequence
      case .deadlineClose: state.deadlines[event.identity]?.sequence
      case .wakeCompletion: state.wakes[event.identity]?.sequence
      case .resourceRelease:
        state.hold(of: ResourceKey(releasedBy: event, names), endedOn: event.thread)?
          .sequence
      default: event.kind.begin.flatMap { state.openSpan(event.identity, $0)?.sequence }
      }
    return sequence.flatMap { heldPlace(of: place.stream, sequence: $0) }.map { ($0, place) }
  }
}

/// By what the end of something is known to be of its begin.
private struct ExtentKey: Equatable {
  var identity: UInt64
  var resourceClass: UInt64 = 0
  var id: UInt64 = 0

  init(identity: UInt64, resourceClass: UInt64 = 0, id: UInt64 = 0) {
    (self.identity, self.resourceClass, self.id) = (identity, resourceClass, id)
  }

  init(_ key: ResourceKey) {
    self.init(identity: key.name.word, resourceClass: UInt64(key.classCode), id: key.id)
  }
}

extension Event {
  fileprivate var extentKey: ExtentKey {
    switch kind {
    case .resourceAcquire:
      let taken = Payload.ResourceAcquire(self)
      let code = UInt8(truncatingIfNeeded: taken.class.rawValue)
      return ExtentKey(ResourceKey(taken.name, code, taken.id ?? 0))
    case .resourceRelease:
      let given = Payload.ResourceRelease(self)
      let code = UInt8(truncatingIfNeeded: given.class.rawValue)
      return ExtentKey(ResourceKey(given.name, code, given.id ?? 0))
    default: return ExtentKey(identity: identity)
    }
  }
}

extension EventKind {
  /// The kind that ends what an event of this kind begins: that of a wake is the call of its handler.
  fileprivate var lastsUntil: EventKind? { self == .wakeBegin ? .wakeCompletion : info?.ending }
}
