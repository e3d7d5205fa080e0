// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace

/// What led to what in the life of an app, as far as its events show.
///
///     player.causes(of: verdict)?.cause       // the edit that was lost
///
/// An arrow goes from an effect to its cause, and follows from the two events and the state between
/// them, not from the rule that found something: an end of work leads to its begin, a kill to what
/// ran, a suspension to what stood open, a lost edit to the save of it that failed. A suspension has
/// many arrows; which of them counts is said by the witnesses of the finding, and by nothing else of
/// its rule. The graph is made while it is walked: it costs the states at a dozen events, and a look
/// at the events between them; what was found once, its player remembers for the next finding.
struct CauseGraph {
  /// More events than this are not looked at between a cause and its effect.
  static let eventsMax = 100_000
  /// More things of one kind that stand open are not followed.
  static let openMax = 64
  /// A chain is no longer than this.
  private static let stepsMax = 12
  /// What led to the cause is no more than this in each process.
  private static let originsMax = 3

  let player: Player
  var timeline: Timeline { player.timeline }
  var names: Names { timeline.names }

  /// The chain of a finding at `event`; `told` are the events that its rule points to.
  func chain(to event: EventPlace, told: [EventPlace]) -> CauseChain {
    let told = told.filter { $0 != event }
    let own = CauseChain.Step(place: event, relation: nil)
    var best = path(from: CauseNode(place: event), Set(told), behind: [])
    if best.isEmpty, isIncidental(timeline.event(at: event)),
      let act = told.last(where: {
        isBefore($0, endOf: CauseNode(place: event)) && !isIncidental(timeline.event(at: $0))
      })
    {
      let link = CauseLink(relation: .told, cause: CauseNode(place: act, until: event.index))
      best = [link] + path(from: link.cause, Set(told), behind: [event])
    }
    if !told.isEmpty { best = endingAtDelay(best, to: event, told) }
    var chain = CauseChain(
      steps: best.reversed().map { CauseChain.Step(place: $0.cause.place, relation: $0.relation) }
        + [own]
    )
    chain.over = best.flatMap(\.over)
    chain.origins = origins(of: chain.cause)
    return chain
  }

  /// From an effect backward, nearest first: the way that meets most of what the rule points to.
  func path(
    from node: CauseNode,
    _ told: Set<EventPlace>,
    behind: [EventPlace]
  ) -> [CauseLink] {
    guard behind.count < Self.stepsMax else { return [] }
    let passed = behind + [node.place]
    var best: (score: (met: Int, isSure: Bool, index: Int), path: [CauseLink])?
    for link in links(to: node, isFinding: behind.isEmpty)
    where !passed.contains(link.cause.place) && isBefore(link.cause.place, endOf: node) {
      let rest = link.relation.isLast ? [] : path(from: link.cause, told, behind: passed)
      let way = [link] + rest
      let met = way.count { told.contains($0.cause.place) }
      if link.isHint, met == 0 { continue }
      let score = (met: met, isSure: !link.isHint, index: link.cause.place.index)
      guard let known = best?.score else {
        best = (score, way)
        continue
      }
      if known.met != score.met {
        if known.met < score.met { best = (score, way) }
      } else if known.isSure != score.isSure {
        if score.isSure { best = (score, way) }
      } else if score.index < known.index {
        best = (score, way)
      }
    }
    return best?.path ?? []
  }

  /// What happened before a thing was over, in its stream or in an earlier life.
  private func isBefore(_ cause: EventPlace, endOf node: CauseNode) -> Bool {
    cause.stream != node.place.stream || cause.index < node.until ?? node.place.index
  }

  /// Whether the event is the system's own doing, or a mere stop: what it found was done before.
  private func isIncidental(_ event: Event) -> Bool {
    switch event.kind.family {
    case .process, .state, .device, .meta: true
    default: false
    }
  }

  /// The arrows that end at an event; `isFinding` where it is what the rule found.
  ///
  /// Thousands of edits may be lost at one end, and each of them is looked at for each of the findings.
  private func links(to node: CauseNode, isFinding: Bool) -> [CauseLink] {
    guard !player.isInterrupted() else { return [] }
    return player.causesKnown.links(to: node, isFinding: isFinding) {
      let links = made(to: node, isFinding: isFinding)
      return player.isInterrupted() ? nil : links
    } ?? []
  }

  private func made(to node: CauseNode, isFinding: Bool) -> [CauseLink] {
    let event = timeline.event(at: node.place)
    let scene = CauseScene(player: player, node: node, event: event)
    switch event.kind {
    case .callbackEnd: return endOfSpan(scene) + (isFinding ? shown(scene) : [])
    case .turnEnd, .workEnd, .waitEnd: return endOfSpan(scene)
    case .callbackBegin, .turnBegin, .workBegin: return partOfSpan(scene) + lostCover(scene)
    case .waitBegin: return holder(scene)
    case .resourceAcquire: return holdersWait(scene)
    case .taskEnd, .taskExpire: return began(scene.state.tasks[event.identity]?.sequence, scene)
    case .deadlineOpen: return missedReply(scene)
    case .deadlineClose: return began(scene.state.deadlines[event.identity]?.sequence, scene)
    case .wakeCompletion, .wakeReported: return completion(scene)
    case .wakeBegin: return hungHandler(scene)
    case .taskBegin: return hungExpiration(scene)
    case .resourceUse: return used(scene)
    case .notificationHandled: return observed(scene)
    case .dataDirty: return lostEdit(scene)
    case .dataFailed: return noRoom(scene)
    case .dataFlushing: return lostCover(scene)
    case .dataDurable, .dataUnchanged: return save(scene, isFinding: isFinding)
    case .dataRestored: return olderThanSaved(scene) + cameBack(scene)
    case .processExit, .purge: return ending(scene) + (isFinding ? standing(scene) : [])
    case .transition: return launch(scene) + (isFinding ? standing(scene) : [])
    case .messageReceive: return link(sent(node.place))
    case .messageSend: return link(cameIn(node.place))
    default: return isFinding && isIncidental(event) ? standing(scene) : []
    }
  }

  private func origins(of place: EventPlace) -> [CauseChain.Step] {
    var steps: [CauseChain.Step] = []
    var at = place
    // Each process that it came through has some of its own.
    var room = Self.originsMax
    while room > 0, steps.count < Self.stepsMax, let step = origin(of: at) {
      steps.append(step)
      room = step.relation == .sent ? Self.originsMax : room - 1
      at = step.place
    }
    return steps.reversed()
  }

  // MARK: Places

  /// The event of that number, if the recording has it.
  func place(_ sequence: UInt64, in stream: StreamID) -> EventPlace? {
    player.heldPlace(of: stream, sequence: sequence)
  }

  func link(
    _ relation: CauseRelation,
    _ sequence: UInt64?,
    _ scene: CauseScene,
    until: Int? = nil,
    isHint: Bool = false
  ) -> CauseLink? {
    sequence.flatMap { place($0, in: scene.stream) }.map {
      CauseLink(relation: relation, cause: CauseNode(place: $0, until: until), isHint: isHint)
    }
  }

  func began(_ sequence: UInt64?, _ scene: CauseScene) -> [CauseLink] {
    [link(.began, sequence, scene, until: scene.index)].compactMap { $0 }
  }

  /// Calls `body` with the events of `kinds` in `range` of a stream, in order; of many, the last.
  ///
  /// It ends where the player is interrupted: what was found is then neither whole nor remembered.
  func scan(
    _ stream: StreamID,
    _ range: Range<Int>,
    _ kinds: KindSet,
    _ body: (Event, EventPlace) -> Void
  ) {
    let index = timeline.streams[Int(stream.rawValue)]
    var at = max(range.lowerBound, range.upperBound - Self.eventsMax)
    while at < range.upperBound, !player.isInterrupted() {
      let number = index.chunk(holding: at)
      let end = min(range.upperBound, index.firstIndices[number + 1])
      defer { at = end }
      guard !index.chunks[number].kinds.isDisjoint(with: kinds) else { continue }
      var place = at
      timeline.pass(at..<end, of: Int(stream.rawValue)) { events, _ in
        for at in events.indices where kinds.contains(events[at].kind) {
          body(events[at], EventPlace(stream: stream, index: place + at))
        }
        place += events.count
        return !player.isInterrupted()
      }
    }
  }
}

/// An event whose causes are looked for, and the state before it.
struct CauseScene {
  let player: Player
  let node: CauseNode
  let event: Event

  /// Made when it is asked for: many arrows follow from the events alone.
  var state: LifeState { player.state(of: stream, after: index) }

  var stream: StreamID { node.place.stream }
  var index: Int { node.place.index }
  /// Up to where it lasts, or itself.
  var end: Int { node.until ?? index }
}
