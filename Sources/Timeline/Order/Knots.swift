// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Receives that stand at the same order time as their sends.
///
/// Inside such a group of equal times the order by writer could put a receive
/// first, so there the merge waits for the send.
struct Knots {
  /// The send that an event waits for.
  typealias Group = [EventPlace: EventPlace]

  private var groups: [Int64: Group] = [:]

  var isEmpty: Bool { groups.isEmpty }

  @inline(__always)
  func group(at time: Int64) -> Group? { groups.isEmpty ? nil : groups[time] }

  mutating func insert(_ receive: EventPlace, waitsFor send: EventPlace, at time: Int64) {
    groups[time, default: [:]][receive] = send
  }
}

extension Timeline {
  /// A send or a receive, with the order time that its stream alone gives it.
  private struct Endpoint {
    var place: EventPlace
    var time: Int64
    var flow: UInt64
    var isSend: Bool
  }

  /// Finds the messages whose times contradict them, and lifts their receivers.
  ///
  /// A receiver's order time rises to the send's, and with it everything behind
  /// it in its stream; that may lift further receives, so it goes on until
  /// nothing moves. Order times only rise to times that occur, so it ends. Where the order was settled
  /// while it was recorded, and shown, nothing is lifted.
  func tieKnots() {
    let kinds: [EventKind] = [.messageSend, .messageReceive]
    // By writer: of sends at one time the first is found, whatever the order of files.
    let involved = streams.sorted { $0.writer < $1.writer }.filter { stream in
      stream.chunks.contains { chunk in kinds.contains { chunk.kinds.contains($0) } }
    }
    let receivers = involved.filter { stream in
      stream.chunks.contains { $0.kinds.contains(.messageReceive) }
    }
    guard involved.count > 1, !receivers.isEmpty else { return }
    guard !source.settles else { return isCausal = false }
    resolve(involved.map(endpoints))
  }

  private func endpoints(of stream: StreamIndex) -> [Endpoint] {
    var found: [Endpoint] = []
    withBuffer { buffer in
      for number in stream.chunks.indices {
        let first = stream.firstIndices[number]
        let chunk = stream.sourceNumbers[number]
        for edge in source.messages(chunk: chunk, of: stream.id, in: buffer) {
          // It stands behind all that came before it in its stream.
          let latest = edge.time.advanced(by: Int64(clamping: edge.lateness))
          found.append(
            Endpoint(
              place: EventPlace(stream: stream.id, index: first + edge.row),
              time: max(stream.floor(number), stream.clock.ordered(latest)),
              flow: edge.flow,
              isSend: edge.isSend
            )
          )
        }
      }
    }
    return found
  }

  /// An end as it stands in a table of all, by message.
  private struct FlowEnd: Comparable {
    var flow: UInt64
    var time: Int64
    var list: UInt32
    var at: UInt32
    var isSend: Bool

    init(_ end: Endpoint, list: Int, at: Int) {
      (flow, time, isSend) = (end.flow, end.time, end.isSend)
      (self.list, self.at) = (UInt32(list), UInt32(at))
    }

    var place: (list: Int, at: Int) { (Int(list), Int(at)) }

    /// The sends of a flow before its receives, each in the order of their times.
    static func < (one: FlowEnd, other: FlowEnd) -> Bool {
      if one.flow != other.flow { return one.flow < other.flow }
      if one.isSend != other.isSend { return one.isSend }
      return (one.time, one.list, one.at) < (other.time, other.list, other.at)
    }
  }

  /// The first send of a flow by another stream, for each of its receives.
  ///
  /// A flow is one message: one that is sent again keeps it, and it may arrive at many, or twice; which
  /// of its sends a receive belongs to is not known, but the first is before it.
  private static func pairs(
    _ lists: [[Endpoint]]
  ) -> [(send: (list: Int, at: Int), receive: (list: Int, at: Int))] {
    var ends: [FlowEnd] = []
    ends.reserveCapacity(lists.reduce(0) { $0 + $1.count })
    for list in lists.indices {
      for (at, end) in lists[list].enumerated() {
        ends.append(FlowEnd(end, list: list, at: at))
      }
    }
    ends.sort()
    var pairs: [(send: (list: Int, at: Int), receive: (list: Int, at: Int))] = []
    var start = 0
    while start < ends.count {
      var (receive, end) = (start, start)
      while end < ends.count, ends[end].flow == ends[start].flow {
        if ends[end].isSend { receive = end + 1 }
        end += 1
      }
      let sends = ends[start..<receive]
      let another = sends.first { $0.list != ends[start].list }
      for receive in ends[receive..<end] where !sends.isEmpty {
        let send = receive.list != ends[start].list ? ends[start] : another
        if let send { pairs.append((send.place, receive.place)) }
      }
      start = end
    }
    return pairs
  }

  private func resolve(_ found: [[Endpoint]]) {
    var lists = found
    var pairs = Self.pairs(lists)
    var times = lists.map { RisingTimes($0.map(\.time)) }
    var lifted: Set<EventPlace> = []
    // In the order of the sends one pass is enough, unless a lifted receive is followed by a send.
    pairs.sort { one, other in
      let times = (
        lists[one.send.list][one.send.at].time, lists[other.send.list][other.send.at].time
      )
      return times.0 != times.1
        ? times.0 < times.1
        : (one.receive.list, one.receive.at) < (other.receive.list, other.receive.at)
    }
    var isMoving = true
    var passes = 0
    while isMoving {
      isMoving = false
      passes += 1
      guard passes <= Self.causalPassesMax else {
        isCausal = false
        break
      }
      for (send, receive) in pairs {
        let time = times[send.list][send.at]
        guard times[receive.list][receive.at] < time else { continue }
        isMoving = true
        lifted.insert(lists[receive.list][receive.at].place)
        times[receive.list].lift(from: receive.at, to: time)
      }
    }
    for list in lists.indices {
      for at in lists[list].indices { lists[list][at].time = times[list][at] }
    }
    for list in lists {
      let lifts = list.filter { lifted.contains($0.place) }
      guard let stream = lifts.first.map({ Int($0.place.stream.rawValue) }) else { continue }
      streams[stream].lifts = lifts.map { Lift(index: $0.place.index, time: $0.time) }
      streams[stream].measure()
    }
    for (send, receive) in pairs {
      let (from, to) = (lists[send.list][send.at], lists[receive.list][receive.at])
      if from.time == to.time { knots.insert(to.place, waitsFor: from.place, at: to.time) }
    }
    if !lifted.isEmpty { closeTimes() }
  }
}
