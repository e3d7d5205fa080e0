// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// The next events of all streams at one position, or their last ones: which of them is next in the order
/// of the timeline, and, a step on, which then.
///
/// One is kept, for the position that was asked about last. Steps from there change one stream's entry;
/// anywhere else, and in the other direction, it is made anew from the cursors.
struct Merge {
  /// A stream and its next event; going backward, times and ranks count from the other end.
  struct Head: Comparable {
    /// The order time; before the chunk is looked into, one that is not greater.
    var time: Int64
    /// Among equal times: chunks not looked into come first, then streams by their rank.
    var tie: Int
    var stream: Int
    /// The index of the event in its stream.
    var index: Int

    static func < (left: Head, right: Head) -> Bool {
      left.time != right.time ? left.time < right.time : left.tie < right.tie
    }

    /// Behind all others: the stream is through.
    static let none = Head(time: .max, tie: .max, stream: -1, index: -1)

    /// Its chunk was not looked into: the time may be greater.
    static let unopened = Int.min
  }

  /// Which way it goes on.
  var direction = Direction.forward
  /// Of the position at which it stands; -1 for none.
  var ordinal = -1
  var tree = LoserTree<Head>([])

  /// The entry that comes first; a ``Head/none`` or nil where there is nothing more.
  var first: Head? { tree.isEmpty ? nil : tree.entries[tree.first] }
}

extension Timeline {
  /// The stream whose event comes next, or the one whose event was passed last; nil where there is none.
  func nearest(_ position: Position, _ direction: Direction) -> Int? {
    if merge.direction == direction, merge.ordinal == position.ordinal {
      guard let found = settledFirst() else { return nil }
      // Two positions with one ordinal are one, unless a chunk turned out to be damaged in between.
      if found.index == Self.index(at: position.cursors[found.stream], direction) {
        return found.stream
      }
    }
    let heads = byRank.compactMap { head(of: $0, at: position.cursors[$0], direction) }
    merge = Merge(direction: direction, ordinal: position.ordinal, tree: LoserTree(heads))
    return settledFirst()?.stream
  }

  /// Goes on to `position`, which is past the next event of `stream`.
  func advanceMerge(past stream: Int, to position: Position, _ direction: Direction) {
    let step = direction == .forward ? 1 : -1
    guard merge.direction == direction, merge.ordinal + step == position.ordinal,
      merge.first?.stream == stream
    else {
      merge.ordinal = -1
      return
    }
    let next = head(of: stream, at: position.cursors[stream], direction) ?? .none
    merge.tree.replaceFirst(with: next)
    merge.ordinal = position.ordinal
  }

  /// The first entry, once its time is known for sure.
  private func settledFirst() -> Merge.Head? {
    while let first = merge.first, first.stream >= 0 {
      if first.tie != Merge.Head.unopened { return first }
      let exact = opened(first, merge.direction)
      merge.tree.replaceFirst(with: exact)
    }
    return nil
  }

  private static func index(at cursor: Int, _ direction: Direction) -> Int {
    direction == .forward ? cursor : cursor - 1
  }

  /// What a stream waits with, behind or before so many of its events; nil where there is nothing more.
  func head(of stream: Int, at cursor: Int, _ direction: Direction) -> Merge.Head? {
    let index = Self.index(at: cursor, direction)
    guard index >= 0, index < streams[stream].count else { return nil }
    let head = Merge.Head(time: 0, tie: Merge.Head.unopened, stream: stream, index: index)
    if let known = currentTimes[stream], known.indices.contains(index) {
      return opened(head, direction)
    }
    // At the end of a chunk its header says enough, until it is this stream's turn.
    let facts = streams[stream]
    let number = facts.chunk(holding: index)
    var unopened = head
    if direction == .forward, index == facts.firstIndices[number] {
      unopened.time = facts.orderFirst[number]
      return unopened
    }
    if direction == .backward, index + 1 == facts.firstIndices[number + 1] {
      unopened.time = Self.reversed(facts.orderLast[number])
      return unopened
    }
    if let rough = onlyRoughTimes(number, of: stream) {
      let times = rough.times(of: index)
      unopened.time = direction == .forward ? times.lowerBound : Self.reversed(times.upperBound)
      return unopened
    }
    return opened(head, direction)
  }

  /// The same, its chunk looked into.
  func opened(_ head: Merge.Head, _ direction: Direction) -> Merge.Head {
    var head = head
    let time = orderTime(head.stream, head.index)
    head.time = direction == .forward ? time : Self.reversed(time)
    head.tie = direction == .forward ? rank[head.stream] : -rank[head.stream]
    return head
  }

  private static func reversed(_ time: Int64) -> Int64 { time == .min ? .max : -time }
}
