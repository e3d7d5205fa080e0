// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTrace

/// Brings the two ends of messages together, whichever is met first.
///
/// Which send a receive belongs to is decided by ``MessageFlows``, as in exports.
struct FlowFinder {
  private struct Key: Hashable {
    let flow: UInt64
    let sender: StreamID
  }

  private let messages: MessageFlows
  /// The first send in the span of each: one that is sent again is the same message.
  private var sent: [Key: Layout.Place] = [:]
  /// What arrived before its send is met.
  private var received: [Key: [Layout.Place]] = [:]
  private var waiting = 0
  private var flows: [Layout.Flow] = []
  private var leftOut = 0

  /// Ends that wait for the other one; more are left out.
  private static let waitingMax = 1 << 18

  /// For messages between processes of `streams`.
  init(_ timeline: Timeline, _ streams: Set<StreamID>) {
    messages = MessageFlows(timeline, streams)
  }

  mutating func send(_ event: borrowing Event, at place: Layout.Place) {
    let key = Key(flow: event.identity, sender: place.stream)
    guard event.identity != 0, sent[key] == nil, sent.count < MessageFlows.flowsMax else { return }
    sent[key] = place
    for end in received.removeValue(forKey: key) ?? [] {
      waiting -= 1
      join(place, end)
    }
  }

  mutating func receive(_ event: borrowing Event, at place: Layout.Place) {
    guard let sender = messages.sender(of: event.identity, receivedBy: place.stream) else { return }
    let key = Key(flow: event.identity, sender: sender)
    if let begin = sent[key] { return join(begin, place) }
    guard waiting < Self.waitingMax else {
      leftOut += 1
      return
    }
    waiting += 1
    received[key, default: []].append(place)
  }

  private mutating func join(_ from: Layout.Place, _ to: Layout.Place) {
    guard flows.count < Layout.flowsMax else {
      leftOut += 1
      return
    }
    flows.append(Layout.Flow(from: from, to: to))
  }

  /// In order of their begins, and how many had no room.
  consuming func finish() -> ([Layout.Flow], Int) {
    (flows.sorted { $0.from.time < $1.from.time }, leftOut)
  }
}
