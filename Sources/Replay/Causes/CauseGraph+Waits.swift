// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// What others did while a thread waited: whoever had the lock, worked on what it waited for, or owed it
/// an answer.
extension CauseGraph {
  /// A lock in the hands of one thread, as far as another one waited for it meanwhile.
  struct Hold {
    /// Where it was taken.
    let place: EventPlace
    let thread: ThreadID
    /// From the later of taking it and beginning to wait, to the index at which it was free again or waited
    /// for no longer.
    var begin: HostTime
    var until: Int
    var length: Int64
  }

  /// A wait leads to what others do of that for which it waits: to whoever had the lock for the longest
  /// part of it, to the work that was under way there, or to what the other side did before it answered.
  func holder(_ scene: CauseScene) -> [CauseLink] {
    let on = Payload.WaitBegin(scene.event).on
    guard on != .empty else { return [] }
    if let hold = holds(on, scene).max(by: { $0.length < $1.length }) { return [held(hold)] }
    let work = scene.state.spans.values.filter {
      $0.kind == .workBegin && $0.thread != scene.event.thread
        && ($0.queue == on.word || names[$0.site].name == on)
    }.min { $0.sequence < $1.sequence }
    if let link = link(.holder, work?.sequence, scene, until: scene.node.until) { return [link] }
    if let hold = sharedHold(on, scene) { return [held(hold)] }
    guard let answer = answer(to: scene) else { return [] }
    let whole = length(from: scene.node.place, to: scene.end)
    return parts(of: answer).compactMap { part in
      // What takes little of the wait is not what the wait was for.
      guard let last = part.cause.until,
        length(from: part.cause.place, to: last) >= whole / 2
      else { return nil }
      return CauseLink(relation: .otherSide, cause: part.cause, over: answer.messages)
    }
  }

  private func held(_ hold: Hold) -> CauseLink {
    CauseLink(
      relation: .holder,
      cause: CauseNode(place: hold.place, until: hold.until, isWaitedFor: true)
    )
  }

  private func length(from begin: EventPlace, to end: Int) -> Int64 {
    timeline.event(at: EventPlace(stream: begin.stream, index: end)).time
      - timeline.event(at: begin).time
  }

  /// A lock that was waited for leads to what its holder waited for itself for most of that time.
  func holdersWait(_ scene: CauseScene) -> [CauseLink] {
    guard scene.node.isWaitedFor, let until = scene.node.until else { return [] }
    var (begin, end) = (scene.index, until)
    while true {
      let part = longestPart(
        begin + 1..<end,
        of: scene.event.thread,
        from: timeline.event(at: EventPlace(stream: scene.stream, index: begin)).time,
        to: timeline.event(at: EventPlace(stream: scene.stream, index: end)).time,
        scene
      ).first
      guard let part, let last = part.cause.until else { return [] }
      if timeline.event(at: part.cause.place).kind == .waitBegin { return [part] }
      (begin, end) = (part.cause.place.index, last)
    }
  }

  /// The threads that had a lock while another one waited for it, in order.
  ///
  /// A thread has it from the first time that it takes it to the last time that it gives it back: locks are
  /// taken again by who has them, and shared by readers.
  func holds(_ name: NameID, _ scene: CauseScene) -> [Hold] {
    guard let until = scene.node.until else { return [] }
    let end = timeline.event(at: EventPlace(stream: scene.stream, index: until)).time
    return holds(
      name,
      of: scene.stream,
      scene.index..<until,
      from: scene.event.time,
      to: end,
      but: scene.event.thread
    )
  }

  /// The same of any process, between two times; `range` are its events between these.
  private func holds(
    _ name: NameID,
    of stream: StreamID,
    _ range: Range<Int>,
    from begin: HostTime,
    to end: HostTime,
    but waiting: ThreadID?
  ) -> [Hold] {
    let until = range.upperBound
    let from = max(0, range.lowerBound - Self.lookBackMax)
    let state = player.state(of: stream, after: from)
    var open: [(hold: Hold, count: Int)] = state.everyHold.filter {
      $0.name == name && $0.resourceClass == .lock
    }
    .sorted { $0.sequence < $1.sequence }
    .compactMap { lock in
      place(lock.sequence, in: stream).map {
        let hold = Hold(place: $0, thread: lock.thread, begin: lock.time, until: until, length: 0)
        return (hold, Int(state.holds(of: lock)))
      }
    }
    var holds: [Hold] = []
    func close(_ hold: Hold, at time: HostTime, index: Int) {
      var hold = hold
      guard hold.thread != waiting else { return }
      hold.begin = max(hold.begin, begin)
      (hold.until, hold.length) = (index, min(time, end) - hold.begin)
      if index > range.lowerBound { holds.append(hold) }
    }
    scan(stream, from..<until, KindSet([.resourceAcquire, .resourceRelease])) {
      event,
      place in
      guard event.identityName == name else { return }
      let own = open.firstIndex { $0.hold.thread == event.thread }
      if event.kind == .resourceAcquire {
        guard Payload.ResourceAcquire(event).class.value == .lock else { return }
        if let own { return open[own].count += 1 }
        let hold = Hold(
          place: place,
          thread: event.thread,
          begin: event.time,
          until: until,
          length: 0
        )
        open.append((hold, 1))
      } else if let own = own ?? open.indices.first {
        open[own].count -= 1
        if open[own].count == 0 {
          close(open.remove(at: own).hold, at: event.time, index: place.index)
        }
      }
    }
    for (hold, _) in open { close(hold, at: end, index: until) }
    return holds.sorted { $0.place.index < $1.place.index }
  }

  /// Who had a lock of that name in another process of the machine for most of a wait, and let it go before
  /// that was over: a lock of the same name that is another one does not fit so.
  private func sharedHold(_ name: NameID, _ scene: CauseScene) -> Hold? {
    guard let until = scene.node.until else { return nil }
    let last = EventPlace(stream: scene.stream, index: until)
    let (begin, end) = (scene.event.time, timeline.event(at: last))
    let candidates = sameMachine(as: scene.stream).filter { stream in
      stream != scene.stream
        && timeline.streams[Int(stream.rawValue)].chunks.contains {
          !$0.kinds.isDisjoint(with: KindSet([.resourceAcquire]))
        }
    }
    let others = candidates.flatMap { stream in
      let first = timeline.cursor(of: Int(stream.rawValue), after: scene.node.place)
      let range = first..<timeline.cursor(of: Int(stream.rawValue), after: last)
      return holds(name, of: stream, range, from: begin, to: end.time, but: nil)
        .filter { $0.until < range.upperBound || end.kind != .waitEnd }
    }
    let longest = others.max { $0.length < $1.length }
    return longest.flatMap { $0.length >= (end.time - begin) / 2 ? $0 : nil }
  }

  /// Of what lies further back in events, the state says who has a lock: one thread of each.
  private static let lookBackMax = 4_096

  // MARK: The other side

  /// A request that came in at another process, and its answer, which ended a wait.
  private struct Answer {
    let request: EventPlace
    let came: EventPlace
    let reply: EventPlace
    let received: EventPlace

    var messages: [EventPlace] { [request, came, reply, received] }
  }

  /// The answer that ended a wait: the message that its thread received as the last thing in it, or as the
  /// first behind it.
  private func answer(to scene: CauseScene) -> Answer? {
    guard let until = scene.node.until else { return nil }
    let stream = timeline.streams[Int(scene.stream.rawValue)]
    let last = min(stream.count, until + Self.behindMax)
    var received: EventPlace?
    var isOver = false
    scan(scene.stream, scene.index + 1..<last, KindSet(KindInfo.all.map(\.kind))) { event, place in
      guard !isOver, event.thread == scene.event.thread, place.index != until else { return }
      if event.kind == .messageReceive { received = place }
      isOver = place.index > until
    }
    guard let received, let reply = sent(received)?.place, reply.stream != scene.stream,
      let came = cameIn(reply)?.place ?? onlyRequest(before: reply, from: scene.stream),
      let request = sent(came)?.place
    else { return nil }
    return Answer(request: request, came: came, reply: reply, received: received)
  }

  /// As many events of other threads may stand between a wait and the message that ended it.
  private static let behindMax = 64

  /// The request that the thread of a reply had received and not answered yet, if that is one of that
  /// stream, and there is no other.
  private func onlyRequest(before reply: EventPlace, from stream: StreamID) -> EventPlace? {
    let thread = timeline.event(at: reply).thread
    var waiting: [EventPlace] = []
    scan(
      reply.stream,
      max(0, reply.index - Self.eventsMax)..<reply.index,
      KindSet([.messageReceive, .messageSend])
    ) { event, place in
      guard event.thread == thread else { return }
      if event.kind == .messageReceive {
        waiting.append(place)
      } else if !waiting.isEmpty {
        waiting.removeFirst()
      }
    }
    guard waiting.count == 1, sent(waiting[0])?.place.stream == stream else { return nil }
    return waiting[0]
  }

  private func parts(of answer: Answer) -> [CauseLink] {
    let event = timeline.event(at: answer.reply)
    return longestPart(
      answer.came.index + 1..<answer.reply.index,
      of: event.thread,
      from: timeline.event(at: answer.came).time,
      to: event.time,
      CauseScene(player: player, node: CauseNode(place: answer.reply), event: event)
    )
  }

  // MARK: In words

  /// The index at which a wait is over; nil where its end is not within ``eventsMax`` events.
  func end(ofWait wait: EventPlace) -> Int? {
    let identity = timeline.event(at: wait).identity
    let count = timeline.streams[Int(wait.stream.rawValue)].count
    var end: Int?
    scan(
      wait.stream,
      wait.index + 1..<min(count, wait.index + Self.eventsMax),
      KindSet([.waitEnd])
    ) { event, place in
      if end == nil, event.identity == identity { end = place.index }
    }
    return end
  }

  /// What others did during a wait that ends at `until`, in sentences; none where the recording does not
  /// say.
  ///
  /// Of the first wait also what its holder waited for.
  func meanwhile(
    _ wait: EventPlace,
    until: Int,
    isFirst: Bool = true,
    _ words: (Int64) -> Sentence
  ) -> [Sentence] {
    let node = CauseNode(place: wait, until: until)
    let scene = CauseScene(player: player, node: node, event: timeline.event(at: wait))
    let on = Payload.WaitBegin(scene.event).on
    guard on != .empty else { return [] }
    let holds = holds(on, scene).filter { $0.length > 0 }
    guard holds.isEmpty else { return sentences(holds, on, isFirst: isFirst, words) }
    guard let answer = answer(to: scene) else { return [] }
    let (came, reply) = (timeline.event(at: answer.came), timeline.event(at: answer.reply))
    let parts = breakdown(from: answer.came, to: answer.reply, on: reply.thread)
    let took = words(max(0, reply.time - came.time))
    var what: Sentence = parts.parts.first.map { ": \(words($0.length)) \($0.words(names))" } ?? ""
    let whole = length(from: wait, to: until)
    // Where the clocks of the two are not known well enough, nothing is said of the way.
    func way(_ from: EventPlace, _ to: EventPlace) -> Int64? {
      let between = player.time(from: from, to: to)
      guard let error = between.error, between.length - error >= whole / 2 else { return nil }
      return between.length
    }
    if let length = way(answer.request, answer.came) {
      what += ". The request had come in \(words(length)) after it was sent"
    }
    if let length = way(answer.reply, answer.received) {
      what += ". The answer was \(words(length)) on its way"
    }
    let stream = answer.came.stream
    let request: Sentence = "\(event: player.name(of: answer.came), of: stream)"
    return [
      "\(name: player.labels[stream]) answered \(took) after the request had come in, \(request)\(what)."
    ]
  }

  private func sentences(
    _ holds: [Hold],
    _ on: NameID,
    isFirst: Bool,
    _ words: (Int64) -> Sentence
  ) -> [Sentence] {
    let shown = holds.sorted { $0.length > $1.length }.prefix(Self.holdsMax)
      .sorted { $0.place.index < $1.place.index }
    let each: [Sentence] = shown.map { hold in
      "\(words(hold.length)) by \(Wording.thread(hold.thread)) (\(event: player.name(of: hold.place), of: hold.place.stream))"
    }
    let more = holds.count - shown.count
    let all: Sentence =
      more > 0
      ? "\(count: UInt64(holds.count), of: "time"), \(words(holds.reduce(0) { $0 + $1.length })) in all: "
      : ""
    let rest: Sentence = more > 0 ? " and others" : ""
    var out: [Sentence] = [
      "Meanwhile \(name: names[on]) was held \(all)for \(each.joined(separator: ", for "))\(rest)."
    ]
    guard let longest = holds.max(by: { $0.length < $1.length }) else { return out }
    let end = EventPlace(stream: longest.place.stream, index: longest.until)
    let parts = breakdown(from: longest.place, to: end, on: longest.thread)
    if let part = parts.parts.first, part.length >= parts.length / 2 {
      let thread = Wording.thread(longest.thread)
      out.append(
        "Of \(words(parts.length)) that it had it, \(thread) spent \(words(part.length)) \(part.words(names))."
      )
      if case .waiting = part.use, isFirst,
        let wait = part.sequence.flatMap({ place($0, in: end.stream) }),
        let until = self.end(ofWait: wait)
      {
        out += meanwhile(wait, until: until, isFirst: false, words)
      }
    } else if let around = player.state(of: end.stream, after: longest.place.index)
      .innermostWork(on: longest.thread)
    {
      let use = TimeBreakdown.Use.running(.workBegin, around.site)
      let part = TimeBreakdown.Part(use: use, length: 0, sequence: around.sequence)
      out.append("\(Wording.thread(longest.thread)) was \(part.words(names)).")
    }
    return out
  }

  /// Threads that had a lock one after the other, and are named.
  private static let holdsMax = 3
}
