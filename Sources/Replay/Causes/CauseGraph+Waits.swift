// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// What others did while a thread waited: whoever had the lock, worked on what it waited for, or owed it
/// an answer.
extension CauseGraph {
  /// A lock in the hands of one thread, as far as another one waited for it meanwhile.
  private struct Hold {
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
    if let hold = holds(on, scene).max(by: { $0.length < $1.length }) {
      return [
        CauseLink(
          relation: .holder,
          cause: CauseNode(place: hold.place, until: hold.until, isWaitedFor: true)
        )
      ]
    }
    let work = scene.state.spans.values.filter {
      $0.kind == .workBegin && $0.thread != scene.event.thread
        && ($0.queue == on.word || names[$0.site].name == on)
    }.min { $0.sequence < $1.sequence }
    if let link = link(.holder, work?.sequence, scene, until: scene.node.until) { return [link] }
    guard let answer = answer(to: scene) else { return [] }
    return parts(of: answer).map { CauseLink(relation: .otherSide, cause: $0.cause) }
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
  private func holds(_ name: NameID, _ scene: CauseScene) -> [Hold] {
    let waiting = scene.event.thread
    guard let until = scene.node.until else { return [] }
    let end = timeline.event(at: EventPlace(stream: scene.stream, index: until)).time
    var open: [Hold] = scene.state.resources.values
      .filter { $0.name == name && $0.resourceClass == .lock && $0.thread != waiting }
      .sorted { $0.sequence < $1.sequence }
      .compactMap { lock in
        place(lock.sequence, in: scene.stream).map {
          Hold(place: $0, thread: lock.thread, begin: scene.event.time, until: until, length: 0)
        }
      }
    var holds: [Hold] = []
    func close(_ hold: Hold, at time: HostTime, index: Int) {
      var hold = hold
      (hold.until, hold.length) = (index, max(0, min(time, end) - hold.begin))
      holds.append(hold)
    }
    scan(scene.stream, scene.index + 1..<until, KindSet([.resourceAcquire, .resourceRelease])) {
      event,
      place in
      guard event.identityName == name else { return }
      if event.kind == .resourceAcquire {
        guard event.thread != waiting, Payload.ResourceAcquire(event).class.value == .lock else {
          return
        }
        open.append(
          Hold(place: place, thread: event.thread, begin: event.time, until: until, length: 0)
        )
      } else if let index = open.lastIndex(where: { $0.thread == event.thread })
        ?? open.indices.last
      {
        close(open.remove(at: index), at: event.time, index: place.index)
      }
    }
    for hold in open { close(hold, at: end, index: until) }
    return holds.sorted { $0.place.index < $1.place.index }
  }

  // MARK: The other side

  /// A request that came in at another process, and its answer, which ended a wait.
  private struct Answer {
    let came: EventPlace
    let reply: EventPlace
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
    guard let reply = received.flatMap(sent)?.place, reply.stream != scene.stream,
      let came = cameIn(reply)?.place ?? lastReceived(before: reply, from: scene.stream)
    else { return nil }
    return Answer(came: came, reply: reply)
  }

  /// As many events of other threads may stand between a wait and the message that ended it.
  private static let behindMax = 64

  /// The last message that the thread of a reply had received before it, if it was of that stream.
  private func lastReceived(before reply: EventPlace, from stream: StreamID) -> EventPlace? {
    let thread = timeline.event(at: reply).thread
    var last: EventPlace?
    scan(
      reply.stream,
      max(0, reply.index - Self.eventsMax)..<reply.index,
      KindSet([.messageReceive])
    ) { event, place in
      if event.thread == thread { last = place }
    }
    return last.flatMap { sent($0)?.place.stream == stream ? $0 : nil }
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
    let what: Sentence = parts.parts.first.map { ": \(words($0.length)) \($0.words(names))" } ?? ""
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
    let rest: Sentence = more > 0 ? ", and \(count: UInt64(more), of: "more time")" : ""
    var out: [Sentence] = [
      "Meanwhile \(name: names[on]) was held for \(each.joined(separator: ", for "))\(rest)."
    ]
    guard let longest = holds.max(by: { $0.length < $1.length }) else { return out }
    let end = EventPlace(stream: longest.place.stream, index: longest.until)
    let parts = breakdown(from: longest.place, to: end, on: longest.thread)
    if let part = parts.parts.first, part.length >= parts.length / 2 {
      let thread = Wording.thread(longest.thread)
      out.append("While it had it, \(thread) spent \(words(part.length)) \(part.words(names)).")
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
