// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// The arrows from sends to receives, known before the first of them is drawn.
///
/// An arrow says that one was before the other, so it leads from the first send of a flow to each of its
/// receives: a message that is sent again keeps its flow, and which of the sends a receive belongs to is
/// not known. Where two processes have sent it, each receives what the other one sent, and who else
/// receives it has no arrow. A send must know how many receives will come: messages are counted
/// before the pass.
///
/// A picture that passes the streams one after the other asks ``sender(of:receivedBy:)`` instead.
package struct MessageFlows {
  /// More flows than this are not counted: they have no arrows.
  package static let flowsMax = 1 << 20
  /// Nor what is beyond so many sends and receives.
  private static let endsMax = 1 << 23

  /// Who sends a flow, and how many receives its first send has arrows to.
  private struct Pairing {
    /// The streams that send it; the second one is the first where there is but one.
    var senders: (UInt32, UInt32)
    /// How many arrows begin at the first send of each.
    var receives: (UInt32, UInt32) = (0, 0)
    /// How many of those have ended.
    var received: (UInt32, UInt32) = (0, 0)
    var hasSent = (false, false)

    init(_ first: UInt32, _ second: UInt32) { senders = (first, second) }

    /// Whose send a receive in `stream` is behind: the first's, or the second's; nil for neither.
    func isFromFirst(_ stream: UInt32) -> Bool? {
      if senders.0 == senders.1 { return true }
      return stream == senders.1 ? true : stream == senders.0 ? false : nil
    }
  }

  private struct End: Comparable {
    var flow: UInt64
    var stream: UInt32
    var isReceive: Bool

    static func < (one: End, other: End) -> Bool {
      if one.flow != other.flow { return one.flow < other.flow }
      if one.isReceive != other.isReceive { return other.isReceive }
      return one.stream < other.stream
    }
  }

  private var pairings: [UInt64: Pairing] = [:]

  /// Counts the messages of `streams`; of chunks whose headers have a table of them none is decoded.
  package init(_ timeline: Timeline, _ streams: Set<StreamID>) {
    var ends: [End] = []
    let buffer = StrideBuffer()
    for stream in timeline.streams where streams.contains(stream.id) {
      for number in stream.sourceNumbers where ends.count < Self.endsMax {
        for edge in timeline.source.messages(chunk: number, of: stream.id, in: buffer)
        where edge.flow != 0 {
          ends.append(
            End(flow: edge.flow, stream: stream.id.rawValue, isReceive: !edge.isSend)
          )
        }
      }
    }
    ends.sort()
    var start = 0
    while start < ends.count {
      let flow = ends[start].flow
      let end = ends[start...].firstIndex { $0.flow != flow } ?? ends.count
      pair(ends[start..<end])
      start = end
    }
  }

  /// The ends of one flow, the sends first.
  private mutating func pair(_ ends: ArraySlice<End>) {
    let sends = ends.prefix { !$0.isReceive }
    guard let first = sends.first, let last = sends.last, pairings.count < Self.flowsMax,
      sends.allSatisfy({ $0.stream == first.stream || $0.stream == last.stream })
    else { return }
    var pairing = Pairing(first.stream, last.stream)
    for receive in ends[sends.endIndex...] {
      switch pairing.isFromFirst(receive.stream) {
      case true?: pairing.receives.0 += 1
      case false?: pairing.receives.1 += 1
      case nil: break
      }
    }
    pairings[first.flow] = pairing
  }

  /// Whose first send of a flow a receive by `stream` is behind; nil for one without an arrow.
  package func sender(of flow: UInt64, receivedBy stream: StreamID) -> StreamID? {
    guard let pairing = pairings[flow],
      let isFromFirst = pairing.isFromFirst(stream.rawValue)
    else { return nil }
    return StreamID(rawValue: isFromFirst ? pairing.senders.0 : pairing.senders.1)
  }

  /// The arrows that begin at a send of a flow by `stream`: none but at its first.
  package mutating func send(_ flow: UInt64, by stream: StreamID) -> Flows {
    var flows = Flows()
    guard var pairing = pairings[flow] else { return flows }
    if stream.rawValue == pairing.senders.0, !pairing.hasSent.0 {
      pairing.hasSent.0 = true
      for number in pairing.received.0..<pairing.receives.0 {
        flows.append(Self.number(flow, number))
      }
    } else if stream.rawValue == pairing.senders.1, !pairing.hasSent.1 {
      pairing.hasSent.1 = true
      for number in pairing.received.1..<pairing.receives.1 {
        flows.append(Self.number(~flow, number))
      }
    }
    pairings[flow] = pairing
    return flows
  }

  /// The arrow that ends at the next receive of a flow by `stream`; none where its send was not met.
  package mutating func receive(_ flow: UInt64, by stream: StreamID) -> Flows {
    var flows = Flows()
    guard var pairing = pairings[flow],
      let isFromFirst = pairing.isFromFirst(stream.rawValue)
    else { return flows }
    if isFromFirst {
      if pairing.hasSent.0 { flows.append(Self.number(flow, pairing.received.0)) }
      pairing.received.0 += 1
    } else {
      if pairing.hasSent.1 { flows.append(Self.number(~flow, pairing.received.1)) }
      pairing.received.1 += 1
    }
    pairings[flow] = pairing
    return flows
  }

  /// The number of an arrow, spread by splitmix64.
  package static func number(_ flow: UInt64, _ place: UInt32) -> UInt64 {
    var mixed = flow &+ (UInt64(place) &+ 1) &* 0x9e37_79b9_7f4a_7c15
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}

/// Arrows that begin or end at an event: mostly none or one, so that they take no memory.
package struct Flows: Sendable {
  /// The only one, or the first.
  package private(set) var first: UInt64?
  /// The others.
  package private(set) var more: [UInt64] = []

  /// None.
  package init() {}

  /// All of them.
  package var all: [UInt64] { first.map { [$0] + more } ?? [] }

  /// More than this of one event are left out.
  package static let countMax = 1_000

  /// Adds an arrow; the same number stands at its other end.
  package mutating func append(_ flow: UInt64) {
    if first == nil { first = flow } else if more.count + 1 < Self.countMax { more.append(flow) }
  }
}
