// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

extension Timeline {
  /// Before the first event.
  package var start: Position { Position(cursors: Array(repeating: 0, count: streams.count)) }

  /// After the last event.
  package var finish: Position { Position(cursors: streams.map(\.count)) }

  /// Goes past the next event and says which it was; nil at the end.
  ///
  /// Costs a look at each stream's next event: about 5 ns a stream.
  @discardableResult
  package func stepForward(_ position: inout Position) -> EventPlace? {
    guard let stream = next(after: position) else { return nil }
    let index = position.cursors[stream]
    position.cursors[stream] = index + 1
    position.ordinal += 1
    return EventPlace(stream: streams[stream].id, index: index)
  }

  /// Goes back before the event just passed and says which it was; nil at the start.
  @discardableResult
  package func stepBackward(_ position: inout Position) -> EventPlace? {
    guard let stream = last(before: position) else { return nil }
    let index = position.cursors[stream] - 1
    position.cursors[stream] = index
    position.ordinal -= 1
    return EventPlace(stream: streams[stream].id, index: index)
  }

  /// The event just passed, or nil at the start.
  package func eventBefore(_ position: Position) -> EventPlace? {
    guard let stream = last(before: position) else { return nil }
    return EventPlace(stream: streams[stream].id, index: position.cursors[stream] - 1)
  }

  /// The event that comes next, or nil at the end.
  package func eventAfter(_ position: Position) -> EventPlace? {
    guard let stream = next(after: position) else { return nil }
    return EventPlace(stream: streams[stream].id, index: position.cursors[stream])
  }

  /// When a stream's latest event before `cursor` happened, decoding nothing at a chunk's end.
  package func latestTime(of stream: Int, before cursor: Int) -> Int64? {
    guard cursor > 0 else { return nil }
    let index = streams[stream]
    let number = index.chunk(holding: cursor - 1)
    return cursor == index.firstIndices[number + 1]
      ? index.orderLast[number] : orderTime(stream, cursor - 1)
  }

  /// The time by which an event stands in the order of all; ``isBefore(_:_:)`` decides between equals.
  package func orderTime(of place: EventPlace) -> Int64 {
    orderTime(Int(place.stream.rawValue), place.index)
  }

  @inline(__always)
  func orderTime(_ stream: Int, _ index: Int) -> Int64 {
    openChunk(of: stream, holding: index).orderTime(index)
  }

  /// The stream whose event comes next.
  func next(after position: Position) -> Int? {
    let cursors = position.cursors
    var best: Int?
    var bestTime = Int64.max
    for stream in candidates(at: position.ordinal) where cursors[stream] < streams[stream].count {
      let time = orderTime(stream, cursors[stream])
      if best == nil || time < bestTime {
        best = stream
        bestTime = time
      }
    }
    guard let plain = best, !knots.isEmpty, let group = knots.group(at: bestTime) else {
      return best
    }
    return nextUntangled(position, time: bestTime, group) ?? plain
  }

  /// The first of the streams that stand at `time` whose event need not wait for a send.
  private func nextUntangled(_ position: Position, time: Int64, _ group: Knots.Group) -> Int? {
    let cursors = position.cursors
    return candidates(at: position.ordinal).first { stream in
      guard cursors[stream] < streams[stream].count,
        orderTime(stream, cursors[stream]) == time
      else { return false }
      let here = EventPlace(stream: streams[stream].id, index: cursors[stream])
      guard let send = group[here] else { return true }
      return cursors[Int(send.stream.rawValue)] > send.index
    }
  }

  private func last(before position: Position) -> Int? {
    var best: Int?
    var bestTime = Int64.min
    for stream in candidates(at: position.ordinal) where position.cursors[stream] > 0 {
      let time = orderTime(stream, position.cursors[stream] - 1)
      if best == nil || time >= bestTime {
        best = stream
        bestTime = time
      }
    }
    guard !knots.isEmpty, knots.group(at: bestTime) != nil else { return best }
    let before = self.position(ordinal: position.ordinal - 1)
    return streams.indices.first { before.cursors[$0] != position.cursors[$0] }
  }
}
