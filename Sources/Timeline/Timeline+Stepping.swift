// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

extension Timeline {
  /// Before the first event.
  package var start: Position { Position(cursors: Array(repeating: 0, count: streams.count)) }

  /// After the last event.
  package var finish: Position { Position(cursors: streams.map(\.count)) }

  /// Goes past the next event and says which it was; nil at the end.
  ///
  /// In a row a step costs as many comparisons as the number of streams has binary digits; the first one
  /// anywhere a look at each stream.
  @discardableResult
  package func stepForward(_ position: inout Position) -> EventPlace? {
    guard let stream = next(after: position) else { return nil }
    let index = position.cursors[stream]
    position.cursors[stream] = index + 1
    position.ordinal += 1
    return passed(EventPlace(stream: streams[stream].id, index: index), to: position, .forward)
  }

  /// Goes back before the event just passed and says which it was; nil at the start.
  @discardableResult
  package func stepBackward(_ position: inout Position) -> EventPlace? {
    guard let stream = last(before: position) else { return nil }
    let index = position.cursors[stream] - 1
    position.cursors[stream] = index
    position.ordinal -= 1
    return passed(EventPlace(stream: streams[stream].id, index: index), to: position, .backward)
  }

  private func passed(
    _ place: EventPlace,
    to position: Position,
    _ direction: Direction
  ) -> EventPlace {
    advanceMerge(past: Int(place.stream.rawValue), to: position, direction)
    latestStep = (place, position.ordinal, direction)
    return place
  }

  /// The event just passed, or nil at the start.
  package func eventBefore(_ position: Position) -> EventPlace? {
    if let place = latestPlace(position, .forward) { return place }
    guard let stream = last(before: position) else { return nil }
    return EventPlace(stream: streams[stream].id, index: position.cursors[stream] - 1)
  }

  /// The event that comes next, or nil at the end.
  package func eventAfter(_ position: Position) -> EventPlace? {
    if let place = latestPlace(position, .backward) { return place }
    guard let stream = next(after: position) else { return nil }
    return EventPlace(stream: streams[stream].id, index: position.cursors[stream])
  }

  /// The event that the latest step went past, if it led to `position`.
  private func latestPlace(_ position: Position, _ direction: Direction) -> EventPlace? {
    guard let latestStep, latestStep.ordinal == position.ordinal,
      latestStep.direction == direction
    else { return nil }
    let (stream, index) = (Int(latestStep.place.stream.rawValue), latestStep.place.index)
    let cursor = direction == .forward ? index + 1 : index
    return position.cursors[stream] == cursor ? latestStep.place : nil
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
    times(of: stream, holding: index)[index]
  }

  /// The stream whose event comes next.
  private func next(after position: Position) -> Int? {
    guard let plain = nearest(position, .forward), !knots.isEmpty else {
      return nearest(position, .forward)
    }
    let time = orderTime(plain, position.cursors[plain])
    guard let group = knots.group(at: time) else { return plain }
    return nextUntangled(position, time: time, group) ?? plain
  }

  /// The first of the streams that stand at `time` whose event need not wait for a send.
  private func nextUntangled(_ position: Position, time: Int64, _ group: Knots.Group) -> Int? {
    let cursors = position.cursors
    return byRank.first { stream in
      guard cursors[stream] < streams[stream].count, stands(stream, at: time, cursors[stream])
      else { return false }
      let here = EventPlace(stream: streams[stream].id, index: cursors[stream])
      guard let send = group[here] else { return true }
      return cursors[Int(send.stream.rawValue)] > send.index
    }
  }

  /// Whether the event with this index has that order time.
  private func stands(_ stream: Int, at time: Int64, _ index: Int) -> Bool {
    let facts = streams[stream]
    let number = facts.chunk(holding: index)
    guard facts.orderFirst[number] <= time, facts.orderLast[number] >= time else { return false }
    return orderTime(stream, index) == time
  }

  private func last(before position: Position) -> Int? {
    guard let plain = nearest(position, .backward), !knots.isEmpty else {
      return nearest(position, .backward)
    }
    guard knots.group(at: orderTime(plain, position.cursors[plain] - 1)) != nil else {
      return plain
    }
    let before = self.position(ordinal: position.ordinal - 1)
    return streams.indices.first { before.cursors[$0] != position.cursors[$0] }
  }
}
