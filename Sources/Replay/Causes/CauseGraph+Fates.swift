// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import LifetraceTimeline
import LifetraceTrace

/// What became of a message whose answer did not come in time.
extension CauseGraph {
  /// A deadline that was missed leads to what became of the request that its thread made meanwhile, and that
  /// nobody answered within it: it was lost, nobody was there any more, it was dropped, or it took long.
  ///
  /// Where the thread itself was at work for the most part, that is not what the others did.
  func missedReply(_ scene: CauseScene) -> [CauseLink] {
    guard let until = scene.node.until else { return [] }
    let opened = Payload.DeadlineOpen(scene.event)
    let range = scene.index + 1..<until
    let end = timeline.event(at: EventPlace(stream: scene.stream, index: until)).time
    let own = longestPart(range, of: scene.event.thread, from: scene.event.time, to: end, scene)
    guard own.allSatisfy({ timeline.event(at: $0.cause.place).kind == .waitBegin }) else {
      return []
    }
    let late = scene.event.time.advanced(by: Int64(clamping: opened.budget))
    for request in sends(in: range, of: scene.stream, on: scene.event.thread) {
      let isAnswered = replies(to: request).contains { reply in
        arrivals(of: reply).contains {
          $0.stream == scene.stream && timeline.event(at: $0).time <= late
        }
      }
      guard !isAnswered else { continue }
      let whole = end - timeline.event(at: request).time
      if let fate = fate(of: request, whole) { return [fate] }
    }
    return []
  }

  private func fate(of request: EventPlace, _ whole: Int64) -> CauseLink? {
    guard let came = arrivals(of: request).first else { return neverArrived(request) }
    if let reply = sentBack(to: request, from: came.stream) {
      return delay(from: came, to: reply, of: whole).map {
        CauseLink(relation: .otherSide, cause: $0.cause, over: [request, came, reply] + $0.over)
      }
    }
    return dropped(came).map {
      CauseLink(relation: .dropped, cause: CauseNode(place: $0), over: [request, came])
    }
  }

  /// A message that nobody received leads to the end of who was to receive it, where that is proved to be
  /// earlier than the send, else to the send itself; nothing where its receiver is no part of the recording,
  /// or not for as long.
  private func neverArrived(_ request: EventPlace) -> CauseLink? {
    let event = timeline.event(at: request)
    let peers = streams(of: names[Payload.MessageSend(event).peer], but: request.stream)
    guard !peers.isEmpty else { return nil }
    var last: EventPlace?
    for peer in peers {
      guard let end = exit(of: peer), isProved(end, before: request) else {
        guard isRecorded(peer, after: request) else { return nil }
        return CauseLink(relation: .unheard, cause: CauseNode(place: request))
      }
      if last.map({ timeline.isBefore($0, end) }) ?? true { last = end }
    }
    return last.map {
      CauseLink(relation: .gone, cause: CauseNode(place: $0), over: [request])
    }
  }

  private func exit(of stream: StreamID) -> EventPlace? {
    let count = timeline.streams[Int(stream.rawValue)].count
    var end: EventPlace?
    scan(stream, max(0, count - Self.exitsMax)..<count, KindSet([.processExit])) { end = $1 }
    return end
  }

  /// The exit of a process is among the last events of its stream.
  private static let exitsMax = 16

  private func isProved(_ one: EventPlace, before other: EventPlace) -> Bool {
    let time = timeline.event(at: other).time
    let bounds = timeline.alignment.recording.interval(time, of: other.stream, on: one.stream)
    return bounds.low.map { timeline.event(at: one).time.rawValue < $0 } ?? false
  }

  /// Whether something of a process is recorded that is proved to be later than an event of another one.
  private func isRecorded(_ stream: StreamID, after place: EventPlace) -> Bool {
    let count = timeline.streams[Int(stream.rawValue)].count
    guard count > 0 else { return false }
    let last = timeline.event(at: EventPlace(stream: stream, index: count - 1)).time
    let time = timeline.event(at: place).time
    let bounds = timeline.alignment.recording.interval(time, of: place.stream, on: stream)
    return bounds.high.map { $0 < last.rawValue } ?? false
  }

  /// What the thread that received a message gave up next, if that is the next that it did.
  private func dropped(_ came: EventPlace) -> EventPlace? {
    let thread = timeline.event(at: came).thread
    var next: (kind: EventKind, place: EventPlace)?
    let count = timeline.streams[Int(came.stream.rawValue)].count
    let range = came.index + 1..<min(count, came.index + 1 + Self.nextMax)
    scan(came.stream, range, KindSet(KindInfo.all.map(\.kind))) {
      guard next == nil, $0.thread == thread, $0.kind != .messageTrace else { return }
      next = ($0.kind, $1)
    }
    return next.flatMap { $0.kind == .notificationDropped ? $0.place : nil }
  }

  /// As many events of other threads may stand between two of one.
  private static let nextMax = 64

  // MARK: Who took the time

  /// The longest part of what was done between a request that came in and its answer, else the answer,
  /// where that took at least half of `whole`.
  ///
  /// A clock that was set aside says nothing of that: then it is asked for what took so long by the
  /// clocks of those whom its process has asked.
  func delay(from came: EventPlace, to reply: EventPlace, of whole: Int64) -> CauseLink? {
    guard !isSetAside(came.stream) else { return delayElsewhere(came, reply, whole) }
    let event = timeline.event(at: reply)
    let begin = timeline.event(at: came).time
    guard event.time - begin >= whole / 2 else { return nil }
    let scene = CauseScene(player: player, node: CauseNode(place: reply), event: event)
    return longestPart(
      came.index + 1..<reply.index,
      of: event.thread,
      from: begin,
      to: event.time,
      scene
    ).first ?? CauseLink(relation: .sent, cause: CauseNode(place: reply))
  }

  private func delayElsewhere(_ came: EventPlace, _ reply: EventPlace, _ whole: Int64)
    -> CauseLink?
  {
    guard came.index < reply.index else { return nil }
    let thread = timeline.event(at: came).thread
    for request in sends(in: came.index + 1..<reply.index, of: came.stream, on: thread) {
      guard let there = arrivals(of: request).first, !isSetAside(there.stream),
        let answer = sentBack(to: request, from: there.stream),
        let link = delay(from: there, to: answer, of: whole)
      else { continue }
      return CauseLink(
        relation: .otherSide,
        cause: link.cause,
        over: [request, there, answer] + link.over
      )
    }
    return nil
  }

  /// Whether what the clock of a stream shows is contradicted by those of others.
  func isSetAside(_ stream: StreamID) -> Bool {
    let recording = timeline.alignment.recording
    let clock = recording.clockOfStream[Int(stream.rawValue)]
    return recording.graph.contradictions.clocks.contains { $0.clock == clock }
  }

  // MARK: Messages and their ends

  /// No more requests of one thread are followed: for each the whole recording is asked for answers.
  private static let requestsMax = 8

  private func sends(in range: Range<Int>, of stream: StreamID, on thread: ThreadID)
    -> [EventPlace]
  {
    var found: [EventPlace] = []
    scan(stream, range, KindSet([.messageSend])) {
      if $0.thread == thread, $0.identity != 0, found.count < Self.requestsMax { found.append($1) }
    }
    return found
  }

  /// Where a message was received by another process than its sender's.
  private func arrivals(of send: EventPlace) -> [EventPlace] {
    let message = try? player.correspondence(of: timeline.event(at: send).identity)
    return message?.receives.filter { $0.stream != send.stream } ?? []
  }

  /// The sends that say that they are in the course of a request.
  private func replies(to request: EventPlace) -> [EventPlace] {
    let flow = timeline.event(at: request).identity
    let flows = (try? player.flows(inCourseOf: flow)) ?? []
    return flows.compactMap { (try? player.correspondence(of: $0))?.firstSend }
  }

  /// What a process sent back to whom had asked it: what has arrived there, else what was meant for it.
  private func sentBack(to request: EventPlace, from stream: StreamID) -> EventPlace? {
    let sent = replies(to: request).filter { $0.stream == stream }
    return sent.first { arrivals(of: $0).contains { $0.stream == request.stream } }
      ?? sent.last {
        let peer = names[Payload.MessageSend(timeline.event(at: $0)).peer]
        return streams(of: peer, but: stream).contains(request.stream)
      }
  }

  /// Who is meant by a peer's name: the app, else the process, else the host; without `own`.
  private func streams(of peer: String, but own: StreamID) -> [StreamID] {
    let others = timeline.streams.filter { $0.id != own }
    for path in [\WriterAttributes.app, \.process, \.host] {
      let found = others.filter { !peer.isEmpty && $0.attributes[keyPath: path] == peer }
      if !found.isEmpty { return found.map(\.id) }
    }
    return []
  }

  /// The streams of the machine of a stream, by the same clock; at most ``openMax``.
  func sameMachine(as stream: StreamID) -> [StreamID] {
    let clocks = timeline.alignment.recording.clockOfStream
    let host = timeline.streams[Int(stream.rawValue)].attributes.host
    let own = timeline.streams.filter {
      clocks[Int($0.id.rawValue)] == clocks[Int(stream.rawValue)] && $0.attributes.host == host
    }
    return own.prefix(Self.openMax).map(\.id)
  }
}
