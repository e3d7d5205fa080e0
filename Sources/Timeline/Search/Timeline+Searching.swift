// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// What a search looks for, and which chunks it need not open.
///
///     let purges = EventFilter(kinds: KindSet([.purge])) { _, _ in true }
///     try timeline.find(purges, from: here, .backward)
package struct EventFilter {
  /// Only events of these kinds are looked at; nil for all.
  package var kinds: KindSet?
  /// Only chunks that may mention one of these are opened; nil for all.
  ///
  /// Asked again for each chunk, because opening chunks makes names known.
  package var names: (() -> [String])?
  /// Only events of these streams; nil for all.
  package var streams: Set<StreamID>?
  /// Only events that happened then or later; nil for all.
  package var from: TraceTime?
  /// Only events that happened then or before; nil for all.
  package var to: TraceTime?
  /// Whether the first event behind missing ones counts as found.
  package var findsGaps = false
  /// The last word, for an event that has passed all the others.
  package var accepts: (Event, Names) -> Bool

  /// Looks for events of `kinds` that `accepts` accepts.
  package init(kinds: KindSet? = nil, accepts: @escaping (Event, Names) -> Bool) {
    self.kinds = kinds
    self.accepts = accepts
  }

  /// Whether something between the two times may be wanted.
  func covers(_ first: TraceTime, _ last: TraceTime) -> Bool {
    if let from, last < from { return false }
    if let to, first > to { return false }
    return true
  }
}

/// A search was stopped before its end; nothing moved.
package struct SearchInterrupted: Error, Sendable {
  /// An interruption.
  package init() {}
}

extension Timeline {
  /// The nearest event that `filter` finds after or before `position`, or nil.
  ///
  /// Chunks are skipped by the kinds and names in their headers, and by time
  /// once a nearer hit is known; `isInterrupted` is asked between chunks.
  package func find(
    _ filter: EventFilter,
    from position: Position,
    _ direction: Direction,
    isInterrupted: () -> Bool = { false }
  ) throws(SearchInterrupted) -> EventPlace? {
    var best: EventPlace?
    for stream in nearestFirst(position, direction) {
      if let wanted = filter.streams, !wanted.contains(streams[stream].id) { continue }
      let hit = try find(
        filter,
        in: stream,
        from: position.cursors[stream],
        direction,
        bound: best,
        isInterrupted
      )
      guard let hit else { continue }
      guard let known = best else {
        best = hit
        continue
      }
      if isBefore(hit, known) == (direction == .forward) { best = hit }
    }
    return best
  }

  /// Streams in order of their next event, so that a near hit bounds the search in the others.
  private func nearestFirst(_ position: Position, _ direction: Direction) -> [Int] {
    var near: [(time: Int64, stream: Int)] = []
    for stream in byRank {
      let index = streams[stream]
      let cursor = position.cursors[stream]
      switch direction {
      case .forward where cursor < index.count:
        // Not to decode the first chunks of all that begin later: their headers say enough.
        let number = index.chunk(holding: cursor)
        let isAtBegin = cursor == index.firstIndices[number]
        near.append((isAtBegin ? index.orderFirst[number] : orderTime(stream, cursor), stream))
      case .backward:
        guard let time = latestTime(of: stream, before: cursor) else { continue }
        near.append((time == .min ? .max : -time, stream))
      default: break
      }
    }
    return near.sorted { $0.time < $1.time }.map(\.stream)
  }

  /// Whether `left` stands before `right` in the order of all events.
  package func isBefore(_ left: EventPlace, _ right: EventPlace) -> Bool {
    if left.stream == right.stream { return left.index < right.index }
    let (l, r) = (Int(left.stream.rawValue), Int(right.stream.rawValue))
    let (leftTime, rightTime) = (orderTime(l, left.index), orderTime(r, right.index))
    if leftTime != rightTime { return leftTime < rightTime }
    if knots.group(at: leftTime) != nil { return number(of: left) < number(of: right) }
    return rank[l] < rank[r]
  }

  /// The index of the first event of `stream` from `cursor` on that `filter` finds.
  func firstHit(of filter: EventFilter, in stream: Int, from cursor: Int) -> Int? {
    let hit = try? find(filter, in: stream, from: cursor, .forward, bound: nil) { false }
    return hit?.index
  }

  private func find(
    _ filter: EventFilter,
    in stream: Int,
    from cursor: Int,
    _ direction: Direction,
    bound: EventPlace?,
    _ isInterrupted: () -> Bool
  ) throws(SearchInterrupted) -> EventPlace? {
    let index = streams[stream]
    let isForward = direction == .forward
    guard isForward ? cursor < index.count : cursor > 0 else { return nil }
    let boundTime = bound.map { orderTime(Int($0.stream.rawValue), $0.index) }
    var number = index.chunk(holding: isForward ? cursor : cursor - 1)
    while index.chunks.indices.contains(number) {
      defer { number += isForward ? 1 : -1 }
      if isInterrupted() { throw SearchInterrupted() }
      if let boundTime,
        isForward
          ? index.orderFirst[number] > boundTime
          : index.orderLast[number] < boundTime
      {
        return nil
      }
      let isGap = filter.findsGaps && index.hasGap(before: number)
      guard isGap || mayMatch(filter, index, number) else { continue }
      let chunk = openChunk(number, of: stream)
      let names = self.names
      let range =
        isForward
        ? max(cursor, chunk.firstIndex)..<chunk.indices.upperBound
        : chunk.firstIndex..<min(cursor, chunk.indices.upperBound)
      var at = isForward ? range.lowerBound : range.upperBound - 1
      while range.contains(at) {
        let event = chunk.events[at - chunk.firstIndex]
        if (isGap && at == chunk.firstIndex)
          || ((filter.kinds?.contains(event.kind) ?? true)
            && filter.covers(time(of: event), time(of: event)) && filter.accepts(event, names))
        {
          return EventPlace(stream: index.id, index: at)
        }
        at += isForward ? 1 : -1
      }
    }
    return nil
  }

  private func mayMatch(_ filter: EventFilter, _ index: StreamIndex, _ number: Int) -> Bool {
    let summary = index.chunks[number]
    if let kinds = filter.kinds, summary.kinds.isDisjoint(with: kinds) { return false }
    let first = alignment.traceTime(summary.firstTime, of: index.id)
    let last = alignment.traceTime(summary.lastTime, of: index.id)
    guard filter.covers(first, last) else { return false }
    // Names are known only of chunks that were decoded before.
    guard let names = filter.names, wasOpened(number, of: Int(index.id.rawValue)),
      let present = source.nameFilter(chunk: index.sourceNumbers[number], of: index.id)
    else { return true }
    return names().contains { present.mayContain($0) }
  }
}
