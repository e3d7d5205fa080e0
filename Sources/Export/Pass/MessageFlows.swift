// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTrace

/// The arrows from sends to receives, known before the first of them is drawn.
///
/// The n-th receive of a flow belongs to its n-th send; where more arrive than were sent, as with a
/// broadcast, the last send has an arrow to each of the others. So a send must know how many
/// receives will come: messages are counted before the pass.
struct MessageFlows {
  /// More flows than this are not counted: each of their sends has one arrow.
  static let flowsMax = 1 << 20

  private struct Count {
    var sends: UInt32 = 0
    var receives: UInt32 = 0
    var sent: UInt32 = 0
    var received: UInt32 = 0
  }

  private var counts: [UInt64: Count] = [:]

  /// Counts the messages of `streams`; only chunks with messages are decoded.
  init(_ timeline: Timeline, _ streams: Set<StreamID>) {
    let kinds = KindSet([.messageSend, .messageReceive])
    for stream in timeline.streams where streams.contains(stream.id) {
      for number in stream.chunks.indices where !stream.chunks[number].kinds.isDisjoint(with: kinds)
      {
        let own = Int(stream.id.rawValue)
        let range = stream.firstIndices[number]..<stream.firstIndices[number + 1]
        timeline.pass(range, of: own) { events, _ in
          guard timeline.canRead(number, of: own) else { return false }
          for index in events.indices { count(events[index]) }
          return true
        }
      }
    }
  }

  private mutating func count(_ event: Event) {
    guard event.kind == .messageSend || event.kind == .messageReceive,
      counts.count < Self.flowsMax || counts[event.identity] != nil
    else { return }
    if event.kind == .messageSend {
      counts[event.identity, default: Count()].sends += 1
    } else {
      counts[event.identity, default: Count()].receives += 1
    }
  }

  /// The arrows that begin at the next send of a flow.
  mutating func send(_ flow: UInt64) -> Flows {
    var flows = Flows()
    guard var count = counts[flow] else { return flows }
    defer { counts[flow] = count }
    let first = count.sent
    count.sent += 1
    let isLast = count.sent == count.sends
    for number in first..<max(first, isLast ? count.receives : min(first + 1, count.receives)) {
      flows.append(Self.number(flow, number))
    }
    return flows
  }

  /// The arrow that ends at the next receive of a flow.
  mutating func receive(_ flow: UInt64) -> Flows {
    var flows = Flows()
    guard var count = counts[flow], count.sends > 0 else { return flows }
    flows.append(Self.number(flow, count.received))
    count.received += 1
    counts[flow] = count
    return flows
  }

  /// The number of an arrow, spread by splitmix64.
  static func number(_ flow: UInt64, _ place: UInt32) -> UInt64 {
    var mixed = flow &+ (UInt64(place) &+ 1) &* 0x9e37_79b9_7f4a_7c15
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
