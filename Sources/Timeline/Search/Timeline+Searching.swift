// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// What a search looks for, and what it need not look at.
///
///     var edits = EventFilter(kinds: KindSet([.dataDirty])) { event, _ in event.identity == draft }
///     edits.mentions = ["draft.txt"]
///     try timeline.find(edits, from: here, .backward) { isInterrupted }
///
/// Each part is asked for where it costs least: kinds, times and names of the header before a chunk is
/// read; the names that its events use once it is decompressed; kinds again before 4,096 events are decoded;
/// ``accepts`` last, for each event that is left. What no part refuses is looked at as fast as it is decoded,
/// in both directions.
package struct EventFilter {
  /// Only events of these kinds are looked at; nil for all.
  package var kinds: KindSet?
  /// Only chunks that may mention one of these are looked at; nil for all, then or ever.
  ///
  /// Asked again for each chunk, because opening chunks makes names known: so it may leave out what no
  /// chunk looked at before has held, as a search for a part of a name must.
  package var names: (() -> [String]?)?
  /// Only chunks that mention one of these names, which are whole ones, are looked at; nil for all.
  package var mentions: [String]?
  /// The names of which an event must mention one, of all strings of a recording that lists them; nil where
  /// it need not.
  ///
  /// They are then what ``mentions`` holds.
  package var mentionsAmong: (([String]) -> [String]?)?
  /// Whether some event of a chunk may be found, by stream and number of the chunk; nil: it may.
  ///
  /// Asked after what headers say, of each chunk that they leave.
  package var mayHoldIn: ((_ stream: Int, _ chunk: Int) -> Bool)?
  /// Whether some event may be found where no event has other strings than these; nil: it may.
  ///
  /// Asked before anything is read, where the recording lists its strings.
  package var mayOccur: (([String]) -> Bool)?
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
  /// The first or, going backward, the last of some events that is found, by its place; nil: each is asked.
  ///
  /// For what is asked of many at once in a fraction of the time.
  package var firstAmong: ((Span<Event>, Names, Direction) -> Int?)?
  /// The same of some rows of a chunk, by stream and number.
  ///
  /// For what is known of a whole chunk at once; it is not decoded for it.
  package var firstRow: ((_ stream: Int, _ chunk: Int, Range<Int>, Direction) -> Int?)?

  /// Looks for events of `kinds` that `accepts` accepts.
  package init(kinds: KindSet? = nil, accepts: @escaping (Event, Names) -> Bool) {
    self.kinds = kinds
    self.accepts = accepts
  }

  /// All events.
  package static var everything: EventFilter {
    var filter = EventFilter { _, _ in true }
    filter.isOpen = true
    return filter
  }

  /// Whether ``accepts`` refuses nothing.
  private var isOpen = false

  /// Whether all events of its streams are found.
  package var isOfWholeStreams: Bool {
    isOpen && kinds == nil && names == nil && mentions == nil && mentionsAmong == nil
      && mayHoldIn == nil && mayOccur == nil && isOfAnyTime
  }

  /// More names than this cost a chunk's header more than the chunk.
  private static let mentionsMax = 256

  /// It, for a recording that has no other strings than these.
  func knowing(_ strings: [String]?) -> EventFilter {
    guard mentions == nil, let strings, let names = mentionsAmong?(strings),
      names.count <= Self.mentionsMax
    else { return self }
    var filter = self
    filter.mentions = names
    return filter
  }

  /// Whether it asks for no time.
  var isOfAnyTime: Bool { from == nil && to == nil }

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
  /// Chunks are skipped by the kinds and names in their headers, and by time once a nearer hit is known;
  /// `isInterrupted` is asked before each chunk and each 4,096 events, so within a millisecond, but for
  /// what ``EventFilter/accepts`` takes. `passed` hears of how many events the search has got past since it
  /// last heard, a chunk at a time.
  package func find(
    _ filter: EventFilter,
    from position: Position,
    _ direction: Direction,
    isInterrupted: () -> Bool = { false },
    passed: (Int) -> Void = { _ in }
  ) throws(SearchInterrupted) -> EventPlace? {
    let filter = filter.knowing(source.strings)
    guard mayOccur(filter) else { return nil }
    var best: EventPlace?
    for stream in nearestFirst(position, direction) {
      if let wanted = filter.streams, !wanted.contains(streams[stream].id) { continue }
      let hit = try find(
        filter,
        in: stream,
        from: position.cursors[stream],
        direction,
        bound: best,
        passed,
        isInterrupted
      )
      guard let hit else { continue }
      guard let known = best else {
        best = hit
        continue
      }
      if isBefore(hit, known) == (direction == .forward) { best = hit }
    }
    // What was stopped within the last chunk has not been looked at.
    if isInterrupted() { throw SearchInterrupted() }
    return best
  }

  /// Whether the strings of the recording leave it open that the filter finds something.
  func mayOccur(_ filter: EventFilter) -> Bool {
    guard let mayOccur = filter.mayOccur, let strings = source.strings else { return true }
    return mayOccur(strings)
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
  func firstHit(
    of filter: EventFilter,
    in stream: Int,
    from cursor: Int,
    _ passed: (Int) -> Void,
    _ isInterrupted: () -> Bool
  ) throws(SearchInterrupted) -> Int? {
    var cursor = cursor
    // Among events at hand it is mostly the next one: nothing is asked of their chunk then.
    if filter.mentions == nil, !filter.findsGaps, filter.firstRow == nil,
      let rows = keptRows(of: stream, holding: cursor)
    {
      let names = self.names
      while cursor < rows.indices.upperBound {
        if accepts(filter, rows[cursor], names) { return cursor }
        cursor += 1
      }
    }
    return try find(filter, in: stream, from: cursor, .forward, bound: nil, passed, isInterrupted)?
      .index
  }

  private func find(
    _ filter: EventFilter,
    in stream: Int,
    from cursor: Int,
    _ direction: Direction,
    bound: EventPlace?,
    _ passed: (Int) -> Void,
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
      defer { passed(index.chunks[number].eventCount) }
      let isGap = filter.findsGaps && index.hasGap(before: number)
      guard isGap || mayMatch(filter, index, number) else { continue }
      let whole = index.firstIndices[number]..<index.firstIndices[number + 1]
      let range =
        isForward
        ? max(cursor, whole.lowerBound)..<whole.upperBound
        : whole.lowerBound..<min(cursor, whole.upperBound)
      if isGap, isForward, range.lowerBound == whole.lowerBound {
        return EventPlace(stream: index.id, index: range.lowerBound)
      }
      let hit = try hit(filter, in: range, ofChunk: number, stream, direction, isInterrupted)
      if let hit { return EventPlace(stream: index.id, index: hit) }
      if isGap, !isForward, !range.isEmpty {
        return EventPlace(stream: index.id, index: range.lowerBound)
      }
    }
    return nil
  }

  /// The first or the last event of a range within one chunk that the filter finds.
  private func hit(
    _ filter: EventFilter,
    in range: Range<Int>,
    ofChunk number: Int,
    _ stream: Int,
    _ direction: Direction,
    _ isInterrupted: () -> Bool
  ) throws(SearchInterrupted) -> Int? {
    let chunk = payload(number, of: stream)
    if let chunk {
      for wanted in [filter.mentions, filter.names?()] {
        guard let wanted else { continue }
        guard chunk.mayMention(Set(wanted.compactMap { names.find($0) })) else { return nil }
      }
    }
    let first = streams[stream].firstIndices[number]
    if let firstRow = filter.firstRow, filter.isOfAnyTime {
      let rows = range.lowerBound - first..<range.upperBound - first
      return firstRow(stream, number, rows, direction).map { first + $0 }
    }
    var rest = range
    while !rest.isEmpty {
      let at = direction == .forward ? rest.lowerBound : rest.upperBound - 1
      let piece: Range<Int>
      if let chunk {
        let rows = chunk.rows(of: chunk.stride(holding: at - first))
        piece = rest.clamped(to: first + rows.lowerBound..<first + rows.upperBound)
      } else {
        piece = rest
      }
      let mayHold =
        chunk.map { chunk in
          filter.kinds.map { chunk.mayHold($0, in: chunk.stride(holding: at - first)) } ?? true
        } ?? true
      if mayHold {
        if isInterrupted() { throw SearchInterrupted() }
        if let found = hit(filter, among: piece, stream, direction) { return found }
      }
      rest =
        direction == .forward
        ? piece.upperBound..<rest.upperBound : rest.lowerBound..<piece.lowerBound
    }
    return nil
  }

  /// The same within one stride.
  private func hit(
    _ filter: EventFilter,
    among range: Range<Int>,
    _ stream: Int,
    _ direction: Direction
  ) -> Int? {
    var found: Int?
    var at = range.lowerBound
    let firstAmong = filter.isOfAnyTime ? filter.firstAmong : nil
    pass(range, of: stream) { events, names in
      defer { at += events.count }
      if let firstAmong {
        // Pieces come in order: the last of them that has one has the last one.
        guard let place = firstAmong(events, names, direction) else { return true }
        found = at + place
        return direction == .backward
      }
      if direction == .forward {
        for place in events.indices where accepts(filter, events[place], names) {
          found = at + place
          return false
        }
      } else {
        for place in events.indices.reversed() where accepts(filter, events[place], names) {
          found = at + place
          break
        }
      }
      return true
    }
    return found
  }

  private func accepts(_ filter: EventFilter, _ event: Event, _ names: Names) -> Bool {
    if let kinds = filter.kinds, !kinds.contains(event.kind) { return false }
    if !filter.isOfAnyTime {
      let time = time(of: event)
      guard filter.covers(time, time) else { return false }
    }
    return filter.accepts(event, names)
  }

  private func mayMatch(_ filter: EventFilter, _ index: StreamIndex, _ number: Int) -> Bool {
    let summary = index.chunks[number]
    if let kinds = filter.kinds, summary.kinds.isDisjoint(with: kinds) { return false }
    let first = alignment.traceTime(summary.firstTime, of: index.id)
    let last = alignment.traceTime(summary.lastTime, of: index.id)
    guard filter.covers(first, last) else { return false }
    if let mentions = filter.mentions,
      let present = source.nameFilter(chunk: index.sourceNumbers[number], of: index.id),
      !mentions.contains(where: { present.mayContain($0) })
    {
      return false
    }
    // Names are known only of chunks that were decoded before.
    if wasOpened(number, of: Int(index.id.rawValue)), let names = filter.names?(),
      let present = source.nameFilter(chunk: index.sourceNumbers[number], of: index.id),
      !names.contains(where: { present.mayContain($0) })
    {
      return false
    }
    return filter.mayHoldIn?(Int(index.id.rawValue), number) ?? true
  }
}
