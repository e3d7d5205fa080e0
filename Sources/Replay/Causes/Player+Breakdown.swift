// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
package import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
package import LifetraceWords

extension Player {
  /// What the time went into, of a finding about main that was busy, or a launch that was slow, for
  /// longer than can be felt, or of a deadline that was closed too late; nil for any other.
  ///
  /// It looks at the events of that time, and at nothing where they are more than
  /// ``CauseGraph/eventsMax``.
  package func breakdown(of verdict: Verdict) -> TimeBreakdown? {
    guard let end = heldPlace(of: verdict.stream, sequence: verdict.sequence) else { return nil }
    let graph = CauseGraph(player: self)
    guard let begin = graph.busyBegin(to: end), end.index - begin.index <= CauseGraph.eventsMax
    else {
      return nil
    }
    let last = timeline.event(at: end)
    let isDeadline = last.kind == .deadlineClose
    let parts = graph.breakdown(from: begin, to: end, on: isDeadline ? last.thread : .main)
    if isDeadline { return parts }
    let hang = timeline.streams[Int(end.stream.rawValue)].attributes
      .scaled(profile(of: end.stream).hang.hang)
    return parts.length > hang ? parts : nil
  }

  /// It in words; nil where they say no more than that all of it was one thing.
  package func sentence(_ parts: TimeBreakdown, of verdict: Verdict) -> Sentence? {
    let place = heldPlace(of: verdict.stream, sequence: verdict.sequence)
    // No title of a deadline says what was done instead.
    let isDeadline = place.map { timeline.event(at: $0).kind == .deadlineClose } ?? false
    guard parts.isTelling || isDeadline && !parts.parts.isEmpty else { return nil }
    return parts.sentence(names) { "\(duration: nominal($0, of: verdict.stream))" }
  }

  /// Between which of its events main was silent for most of a slow time; nil where the parts of the
  /// time say so already.
  package func silence(in parts: TimeBreakdown, of verdict: Verdict) -> Sentence? {
    guard parts.thread == .main,
      let end = heldPlace(of: verdict.stream, sequence: verdict.sequence)
    else { return nil }
    let graph = CauseGraph(player: self)
    guard let begin = graph.busyBegin(to: end) else { return nil }
    let gaps = graph.gaps(from: begin, to: end, atLeast: parts.length / Self.silencePart)
    let isKnown = gaps.allSatisfy { gap in parts.parts.contains { $0.length == gap.length } }
    guard !isKnown else { return nil }
    let told: [Sentence] = gaps.map { gap in
      let (length, stream) = (nominal(gap.length, of: verdict.stream), verdict.stream)
      let (first, last) = (name(of: gap.first), name(of: gap.last))
      return
        "\(duration: length) between \(event: first, of: stream) and \(event: last, of: stream)"
    }
    return "Nothing happened on main for \(told.joined(separator: ", "))."
  }

  /// What others did while the thread waited, where the longest wait took most of the time; empty where the
  /// recording does not say.
  package func meanwhile(in parts: TimeBreakdown, of verdict: Verdict) -> [Sentence] {
    let end = heldPlace(of: verdict.stream, sequence: verdict.sequence)?.index
    return meanwhile(in: parts, of: verdict.stream, until: end) {
      "\(duration: self.nominal($0, of: verdict.stream))"
    }
  }

  /// The same of a wait that may not end before the event at `end`.
  func meanwhile(
    in parts: TimeBreakdown,
    of stream: StreamID,
    until end: Int?,
    _ words: (Int64) -> Sentence
  ) -> [Sentence] {
    guard let (wait, until) = longestWait(in: parts, of: stream, until: end) else { return [] }
    let graph = CauseGraph(player: self)
    let deadlock = graph.deadlock(wait, until: until)
    return graph.meanwhile(wait, until: until, words) + [deadlock?.words(names)].compactMap(\.self)
  }

  /// Whether the longest part was a wait in a deadlock.
  func isDeadlocked(in parts: TimeBreakdown, of verdict: Verdict) -> Bool {
    let end = heldPlace(of: verdict.stream, sequence: verdict.sequence)?.index
    guard let (wait, until) = longestWait(in: parts, of: verdict.stream, until: end) else {
      return false
    }
    return CauseGraph(player: self).deadlock(wait, until: until) != nil
  }

  /// The wait that took half of the time or more, and the index at which it was over.
  private func longestWait(in parts: TimeBreakdown, of stream: StreamID, until end: Int?)
    -> (wait: EventPlace, until: Int)?
  {
    guard let longest = parts.parts.first, case .waiting = longest.use,
      longest.length >= parts.length / 2,
      let wait = longest.sequence.flatMap({ heldPlace(of: stream, sequence: $0) }),
      let until = CauseGraph(player: self).end(ofWait: wait) ?? end
    else { return nil }
    return (wait, min(until, end ?? until))
  }

  /// A silence of less than one in so many parts of the whole time is not told.
  private static let silencePart = Int64(5)
}

extension CauseGraph {
  /// Where that began which kept main busy until an event: the span on main that ends there, or was
  /// open when the process was killed, or the launch; of a deadline, where it was set.
  func busyBegin(to end: EventPlace) -> EventPlace? {
    let event = timeline.event(at: end)
    /// The state before it, made when it is asked for.
    var state: LifeState { player.state(of: end.stream, after: end.index) }
    if let kind = event.kind.begin {
      guard event.thread == .main, let span = state.openSpan(event.identity, kind),
        span.thread == .main, let begin = place(span.sequence, in: end.stream),
        !timeline.event(at: begin).isAsynchronousWork
      else { return nil }
      return begin
    }
    switch event.kind {
    case .processExit:
      let exit = Payload.ProcessExit(event)
      guard case .kill = EndKind(cause: names[exit.cause], code: exit.code, isImported: false)
      else {
        return nil
      }
      let spans = state.openSpans(on: .main).compactMap { place($0.sequence, in: end.stream) }
      return spans.first { !timeline.event(at: $0).isAsynchronousWork }
        ?? (exit.code == TerminationCode.watchdog ? launchBegin(state, end.stream) : nil)
    case .deadlineClose:
      return state.deadlines[event.identity].flatMap { place($0.sequence, in: end.stream) }
    case .transition where Payload.Transition(event).to.value == .active:
      return launchBegin(state, end.stream)
    default: return nil
    }
  }

  /// What a thread, by default main, did between two events of a stream.
  func breakdown(from begin: EventPlace, to end: EventPlace, on thread: ThreadID = .main)
    -> TimeBreakdown
  {
    let (first, last) = (timeline.event(at: begin), timeline.event(at: end))
    var parts = TimeBreakdown(length: max(0, last.time - first.time), on: thread)
    /// What has begun on it and not ended, the innermost last.
    var open: [(key: SpanKey, use: TimeBreakdown.Use?, sequence: UInt64)] = []
    var isSuspended = false
    var now = first.time
    func pass(to time: HostTime) {
      // A late event stands where it arrived: time never goes back.
      let time = min(max(time, now), max(last.time, first.time))
      let use = isSuspended ? .suspended : open.last?.use
      parts.add(time - now, use, isSuspended ? nil : open.last?.sequence)
      now = time
    }
    scan(begin.stream, begin.index..<end.index, Self.busyKinds) { event, _ in
      if event.kind == .suspend || event.kind == .resume {
        pass(to: event.time)
        isSuspended = event.kind == .suspend
      } else if let kind = event.kind.begin {
        // Work may end on another thread.
        guard let place = open.lastIndex(where: { $0.key == SpanKey(event.identity, kind) }) else {
          return
        }
        pass(to: event.time)
        open.remove(at: place)
      } else if event.thread == thread, !event.isAsynchronousWork {
        pass(to: event.time)
        open.append((SpanKey(event.identity, event.kind), Self.use(event), event.sequence))
      }
    }
    pass(to: last.time)
    parts.parts.sort { ($0.length, $1.sequence ?? 0) > ($1.length, $0.sequence ?? 0) }
    if last.kind == .callbackEnd { parts.cpu = Payload.CallbackEnd(last).cpu }
    return parts
  }

  /// The stretches between two events of main that are at least so long, the first of them first.
  func gaps(from begin: EventPlace, to end: EventPlace, atLeast least: Int64)
    -> [(first: EventPlace, last: EventPlace, length: Int64)]
  {
    var last = (place: begin, time: timeline.event(at: begin).time)
    var found: [(first: EventPlace, last: EventPlace, length: Int64)] = []
    scan(begin.stream, begin.index + 1..<end.index + 1, Self.allKinds) { event, place in
      guard event.thread == .main, event.time >= last.time else { return }
      let length = event.time - last.time
      if length >= max(1, least) { found.append((last.place, place, length)) }
      last = (place, event.time)
    }
    return found
  }

  private static let allKinds = KindSet(KindInfo.all.map(\.kind))

  private static let busyKinds = KindSet([
    .callbackBegin, .callbackEnd, .turnBegin, .turnEnd, .workBegin, .workEnd, .waitBegin, .waitEnd,
    .suspend, .resume,
  ])

  /// Nothing for a turn: what it did is not known.
  private static func use(_ event: Event) -> TimeBreakdown.Use? {
    switch event.kind {
    case .turnBegin: nil
    case .waitBegin: .waiting(on: Payload.WaitBegin(event).on, event.site)
    default: .running(event.kind, event.site)
    }
  }
}
