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
  func tieKnots(eventsMax: Int) {
    let kinds: [EventKind] = [.messageSend, .messageReceive]
    let involved = streams.filter { stream in
      stream.chunks.contains { chunk in kinds.contains { chunk.kinds.contains($0) } }
    }
    let receivers = involved.filter { stream in
      stream.chunks.contains { $0.kinds.contains(.messageReceive) }
    }
    if involved.count > 1, !receivers.isEmpty {
      let events = involved.reduce(0) { $0 + $1.count }
      if events <= eventsMax, !source.settles {
        resolve(involved.map { endpoints(of: $0, kinds) })
      } else {
        isCausal = false
      }
    }
  }

  private func endpoints(of stream: StreamIndex, _ kinds: [EventKind]) -> [Endpoint] {
    var found: [Endpoint] = []
    for number in stream.chunks.indices
    where kinds.contains(where: { stream.chunks[number].kinds.contains($0) }) {
      let own = Int(stream.id.rawValue)
      let times = times(number, of: own)
      var index = times.firstIndex
      pass(times.indices, of: own) { events, _ in
        for place in events.indices {
          defer { index += 1 }
          let kind = events[place].kind
          guard kind == .messageSend || kind == .messageReceive else { continue }
          found.append(
            Endpoint(
              place: EventPlace(stream: stream.id, index: index),
              time: times[index],
              flow: events[place].identity,
              isSend: kind == .messageSend
            )
          )
        }
        return true
      }
    }
    return found
  }

  private func resolve(_ found: [[Endpoint]]) {
    var lists = found
    var sends: [UInt64: [(list: Int, at: Int)]] = [:]
    var receives: [UInt64: [(list: Int, at: Int)]] = [:]
    for list in lists.indices {
      for at in lists[list].indices {
        let end = lists[list][at]
        if end.isSend {
          sends[end.flow, default: []].append((list, at))
        } else {
          receives[end.flow, default: []].append((list, at))
        }
      }
    }
    // A flow is one message: one that is sent again keeps it, and it may arrive at many, or twice. Which of its
    // sends a receive belongs to is not known, so the first of those by others is before it.
    var pairs: [(send: (list: Int, at: Int), receive: (list: Int, at: Int))] = []
    for (flow, ends) in receives {
      guard let sources = sends[flow] else { continue }
      for receive in ends {
        let first = sources.filter { $0.list != receive.list }.min {
          (lists[$0.list][$0.at].time, $0.list) < (lists[$1.list][$1.at].time, $1.list)
        }
        if let first { pairs.append((first, receive)) }
      }
    }

    var times = lists.map { RisingTimes($0.map(\.time)) }
    var lifted: Set<EventPlace> = []
    // In the order of the sends one pass is enough, unless a lifted receive is followed by a send.
    pairs.sort { lists[$0.send.list][$0.send.at].time < lists[$1.send.list][$1.send.at].time }
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
