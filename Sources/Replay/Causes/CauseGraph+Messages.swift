// SPDX-License-Identifier: Apache-2.0
package import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// From process to process, and from machine to machine.
extension CauseGraph {
  /// A receive leads to the first send of its message, in whatever process that is.
  func sent(_ place: EventPlace) -> CauseChain.Step? {
    let flow = timeline.event(at: place).identity
    guard let message = try? player.correspondence(of: flow) else { return nil }
    return message.sends.first { $0.stream != place.stream }.map {
      CauseChain.Step(place: $0, relation: .sent)
    }
  }

  /// A send leads to the receive in whose course it was, as the sender says.
  func cameIn(_ place: EventPlace) -> CauseChain.Step? {
    let flow = timeline.event(at: place).identity
    guard let parent = (try? player.parent(ofFlow: flow)) ?? nil,
      let message = try? player.correspondence(of: parent)
    else { return nil }
    return message.receives.last { $0.stream == place.stream && $0.index < place.index }.map {
      CauseChain.Step(place: $0, relation: .cameIn)
    }
  }

  /// A way to a finding about a late reply, which ends at who took most of the time: at the longest part of
  /// what ran between the request and the reply there, else at the reply.
  ///
  /// Where the finding stands at the request, as the reply never came, the rule points to the reply.
  func endingAtDelay(_ way: [CauseLink], to finding: EventPlace, _ told: [EventPlace])
    -> [CauseLink]
  {
    func sent(_ place: EventPlace) -> Bool { timeline.event(at: place).kind == .messageSend }
    if way.isEmpty, sent(finding),
      let reply = told.last(where: { $0.stream != finding.stream && sent($0) })
    {
      let link = CauseLink(relation: .told, cause: CauseNode(place: reply))
      let came = cameIn(reply)?.place
      return [link] + (came.map { longest(between: $0, and: reply, Set(told)) } ?? [])
    }
    guard timeline.event(at: finding).kind == .messageReceive, let asked = way.last?.cause.place,
      asked.stream == finding.stream, told.contains(asked)
    else { return way }
    let whole = timeline.event(at: finding).time - timeline.event(at: asked).time
    for (index, link) in way.enumerated() where link.relation == .cameIn && index > 0 {
      let (came, reply) = (link.cause.place, way[index - 1].cause.place)
      guard came.stream == reply.stream, let part = delay(from: came, to: reply, of: whole) else {
        continue
      }
      guard part.cause.place != reply else { return Array(way[..<index]) }
      return Array(way[..<index]) + [part] + path(from: part.cause, Set(told), behind: [reply])
    }
    return way
  }

  /// The way to the longest part of what its thread did between a receive and a send; none where nothing
  /// took half of that.
  private func longest(between came: EventPlace, and reply: EventPlace, _ told: Set<EventPlace>)
    -> [CauseLink]
  {
    let event = timeline.event(at: reply)
    let scene = CauseScene(player: player, node: CauseNode(place: reply), event: event)
    let parts = longestPart(
      came.index + 1..<reply.index,
      of: event.thread,
      from: timeline.event(at: came).time,
      to: event.time,
      scene
    )
    return parts.first.map { [$0] + path(from: $0.cause, told, behind: [reply]) } ?? []
  }

  /// The message that the thread of an event received just before, with nothing else between.
  func receivedJustBefore(_ place: EventPlace) -> CauseChain.Step? {
    let thread = timeline.event(at: place).thread
    var index = place.index
    while index > max(0, place.index - Self.neighboursMax) {
      index -= 1
      let before = EventPlace(stream: place.stream, index: index)
      let event = timeline.event(at: before)
      guard event.thread == thread, event.kind != .messageTrace else { continue }
      return event.kind == .messageReceive
        ? CauseChain.Step(place: before, relation: .cameIn) : nil
    }
    return nil
  }

  /// As many events of other threads may stand between two of one.
  private static let neighboursMax = 64

  func link(_ step: CauseChain.Step?) -> [CauseLink] {
    guard let step, let relation = step.relation else { return [] }
    return [CauseLink(relation: relation, cause: CauseNode(place: step.place))]
  }
}

extension Player {
  /// Explains a message: the sends and receives that led to it, through all processes.
  package func whyMessage(at place: EventPlace) throws(SearchInterrupted) -> Explanation {
    let event = timeline.event(at: place)
    var explanation = Explanation(EventText.sentence(event, names))
    let chain = CauseGraph(player: self).chain(to: place, told: [])
    if isInterrupted() { throw SearchInterrupted() }
    explanation.steps = (chain.origins + chain.steps).map { step in
      self.step(step.place, step.relation?.rawValue ?? "here")
    }
    if event.kind == .messageReceive, chain.steps.count == 1 {
      explanation.remarks.append("Its send is not in the recording.")
    }
    return explanation
  }
}
