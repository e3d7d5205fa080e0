// SPDX-License-Identifier: Apache-2.0
import HeapModule

/// The events that a filter finds, in the order of the timeline, from its start.
///
///     var purges = Hits(of: EventFilter(kinds: KindSet([.purge])) { _, _ in true }, in: timeline)
///     while let place = try purges.next() { print(timeline.event(at: place).time) }
///
/// Each stream is searched once, on its own, and a heap says whose hit comes first: a hit costs
/// as many steps as the number of streams has binary digits. A stream whose next event begins a
/// chunk waits with what the chunk's header says, undecoded, until its turn has come.
package struct Hits {
  /// Where a stream stands.
  private struct Head: Comparable {
    /// The order time of its hit; before the hit is found, one that is not greater.
    var time: Int64
    /// Among equal times: streams not yet searched come first, then as the timeline has it.
    var tie: Int
    var stream: Int
    /// The index of the hit; before it is found, where to look from.
    var index: Int
    var isFound: Bool { tie >= 0 }

    static func < (left: Head, right: Head) -> Bool {
      (left.time, left.tie) < (right.time, right.tie)
    }
  }

  private let timeline: Timeline
  private let filter: EventFilter
  private let passed: (Int) -> Void
  private let isInterrupted: () -> Bool
  private var heads = Heap<Head>()

  /// All hits of `filter` in `timeline`, or those behind a position; `passed` and `isInterrupted` are as for ``Timeline/find``.
  package init(
    of filter: EventFilter,
    in timeline: Timeline,
    from start: Position? = nil,
    passed: @escaping (Int) -> Void = { _ in },
    isInterrupted: @escaping () -> Bool = { false }
  ) {
    self.timeline = timeline
    self.filter = filter.knowing(timeline.source.strings)
    self.passed = passed
    self.isInterrupted = isInterrupted
    guard timeline.mayOccur(filter) else { return }
    for stream in timeline.streams.indices {
      if let wanted = filter.streams, !wanted.contains(timeline.streams[stream].id) { continue }
      let index = start?.cursors[stream] ?? 0
      if let head = unsearched(stream, from: index) { heads.insert(head) }
    }
  }

  /// The next hit; nil behind the last one.
  package mutating func next() throws(SearchInterrupted) -> EventPlace? {
    while let first = heads.min {
      let next =
        try (first.isFound ? head(of: first.stream, from: first.index + 1) : hit(first))
      replaceFirst(with: next)
      if first.isFound {
        return EventPlace(stream: timeline.streams[first.stream].id, index: first.index)
      }
    }
    if isInterrupted() { throw SearchInterrupted() }
    return nil
  }

  /// What the stream waits with; nil where it is through.
  private func head(of stream: Int, from index: Int) throws(SearchInterrupted) -> Head? {
    guard let unsearched = unsearched(stream, from: index) else { return nil }
    let facts = timeline.streams[stream]
    let isAtBegin = index == facts.firstIndices[facts.chunk(holding: index)]
    return isAtBegin ? unsearched : try hit(unsearched)
  }

  private func unsearched(_ stream: Int, from index: Int) -> Head? {
    let facts = timeline.streams[stream]
    guard index < facts.count else { return nil }
    let time = facts.orderFirst[facts.chunk(holding: index)]
    return Head(time: time, tie: -1, stream: stream, index: index)
  }

  private func hit(_ head: Head) throws(SearchInterrupted) -> Head? {
    let found = try timeline.firstHit(
      of: filter,
      in: head.stream,
      from: head.index,
      passed,
      isInterrupted
    )
    guard let index = found else { return nil }
    let time = timeline.orderTime(head.stream, index)
    let place = EventPlace(stream: timeline.streams[head.stream].id, index: index)
    // Where a receive waits for its send, the order of the writers does not decide.
    let isKnotted = timeline.knots.group(at: time) != nil
    let tie = isKnotted ? timeline.number(of: place) : timeline.rank[head.stream]
    return Head(time: time, tie: tie, stream: head.stream, index: index)
  }

  private mutating func replaceFirst(with head: Head?) {
    if let head { heads.replaceMin(with: head) } else { heads.removeMin() }
  }
}
