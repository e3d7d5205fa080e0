// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Brings the two ends of messages together, whichever is met first.
struct FlowFinder {
  private struct Key: Hashable {
    let flow: UInt64
    let count: UInt64
  }

  private var sent: [Key: Layout.Place] = [:]
  private var received: [Key: Layout.Place] = [:]
  private var flows: [Layout.Flow] = []
  private var leftOut = 0

  /// Ends that wait for the other one; more are not remembered.
  private static let waitingMax = 1 << 18

  mutating func send(_ event: borrowing Event, at place: Layout.Place) {
    let key = Key(flow: event.identity, count: Payload.MessageSend(event).count)
    if let end = received.removeValue(forKey: key) { return join(place, end) }
    if sent.count < Self.waitingMax { sent[key] = place }
  }

  mutating func receive(_ event: borrowing Event, at place: Layout.Place) {
    let key = Key(flow: event.identity, count: Payload.MessageReceive(event).count)
    if let begin = sent.removeValue(forKey: key) { return join(begin, place) }
    if received.count < Self.waitingMax { received[key] = place }
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
