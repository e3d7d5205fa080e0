// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// All events of some streams in the order of the timeline, in runs of one chunk each.
///
///     var runs = EventRuns(of: timeline)
///     while let run = runs.next() {
///       let names = timeline.names             // once a run: nothing is decoded in between
///       for index in run.indices { use(run.rows.events[index], names) }
///     }
///
/// A run goes on until another stream has an earlier event: what is asked once a run costs as many
/// comparisons as the number of streams has binary digits. Where writers take turns it is one event
/// long; mostly one app runs at a time, and runs are long. Chunks are decoded when their turn comes.
package struct EventRuns {
  /// Events of one chunk that follow each other in the order of the timeline.
  package struct Run {
    /// Events of the chunk; `isDamaged` says that they only stand for those that it held.
    package let rows: EventRows
    /// Which of them, by their places in ``EventRows/events``.
    package let indices: Range<Int>

    /// One event, which is among `rows` by its index in the stream.
    package init(_ rows: EventRows, only index: Int) {
      self.init(rows: rows, indices: index - rows.firstIndex..<index - rows.firstIndex + 1)
    }

    init(rows: EventRows, indices: Range<Int>) {
      self.rows = rows
      self.indices = indices
    }
  }

  private let timeline: Timeline
  /// By stream: whether its events are asked for.
  private let isWanted: [Bool]
  private var tree: LoserTree<Merge.Head>
  /// What stands at the time that was come to, where receives wait there for their sends.
  private var tangle: Tangle?

  /// The events of `streams` behind a position, by default all.
  package init(
    of timeline: Timeline,
    streams: Set<StreamID>? = nil,
    from start: Position? = nil
  ) {
    self.timeline = timeline
    let isWanted = timeline.streams.map { streams?.contains($0.id) ?? true }
    self.isWanted = isWanted
    // A receive that is asked for may wait for a send that is not.
    let all = timeline.knots.isEmpty ? timeline.byRank.filter { isWanted[$0] } : timeline.byRank
    tree = LoserTree(
      all.compactMap { timeline.head(of: $0, at: start?.cursors[$0] ?? 0, .forward) }
    )
  }

  /// The next run; nil behind the last event.
  package mutating func next() -> Run? {
    while true {
      if let place = tangle?.next() {
        if isWanted[place.stream] { return run(of: place.stream, place.index..<place.index + 1) }
        continue
      }
      guard let first = settled() else { return nil }
      if let group = timeline.knots.group(at: first.time) {
        tangle = untied(at: first.time, group)
        continue
      }
      let isWanted = isWanted[first.stream]
      let rows = isWanted ? timeline.rows(of: first.stream, holding: first.index) : nil
      let end = end(of: first, upTo: rows?.indices.upperBound ?? .max)
      tree.replaceFirst(with: timeline.head(of: first.stream, at: end, .forward) ?? .none)
      if let rows {
        return Run(rows: rows, indices: first.index - rows.firstIndex..<end - rows.firstIndex)
      }
    }
  }

  private func run(of stream: Int, _ indices: Range<Int>) -> Run {
    let rows = timeline.rows(of: stream, holding: indices.lowerBound)
    let first = rows.firstIndex
    return Run(rows: rows, indices: indices.lowerBound - first..<indices.upperBound - first)
  }

  /// The first entry, once its time is known for sure; nil where there is nothing more.
  private mutating func settled() -> Merge.Head? {
    while !tree.isEmpty {
      let first = tree.entries[tree.first]
      guard first.stream >= 0 else { return nil }
      guard first.tie == Merge.Head.unopened else { return first }
      tree.replaceFirst(with: timeline.opened(first, .forward))
    }
    return nil
  }

  /// The index in the stream behind the last event before `upper` that comes before all others.
  private func end(of head: Merge.Head, upTo upper: Int) -> Int {
    let times = timeline.times(of: head.stream, holding: head.index)
    guard let other = tree.second else { return min(upper, times.indices.upperBound) }
    // Its own first event comes before `other`: so the run is never empty.
    let comesFirst = head.tie < other.tie && other.time < .max
    let isTied = timeline.knots.group(at: other.time) != nil
    let bound = comesFirst && !isTied ? other.time + 1 : other.time
    return max(head.index + 1, min(upper, times.lowerBound(bound, from: head.index)))
  }

  /// Takes out what stands at `time`.
  private mutating func untied(at time: Int64, _ group: Knots.Group) -> Tangle {
    var tangle = Tangle(group: group)
    while let first = settled(), first.time == time {
      let times = timeline.times(of: first.stream, holding: first.index)
      let end = times.lowerBound(time + 1, from: first.index)
      tangle.add(first.index..<end, of: first.stream)
      tree.replaceFirst(with: timeline.head(of: first.stream, at: end, .forward) ?? .none)
    }
    return tangle
  }
}

/// Events at one time, some of which wait for others.
private struct Tangle {
  let group: Knots.Group
  /// In order of ranks: which of each stream are still to come.
  private var parts: [(stream: Int, indices: Range<Int>)] = []

  init(group: Knots.Group) { self.group = group }

  mutating func add(_ indices: Range<Int>, of stream: Int) {
    if let last = parts.last, last.stream == stream {
      parts[parts.count - 1].indices = last.indices.lowerBound..<indices.upperBound
    } else {
      parts.append((stream, indices))
    }
  }

  /// The first one in order of ranks that need not wait; where all do, the first.
  mutating func next() -> (stream: Int, index: Int)? {
    guard !parts.isEmpty else { return nil }
    let place = parts.firstIndex { !isWaiting($0.stream, $0.indices.lowerBound) } ?? 0
    let (stream, indices) = parts[place]
    if indices.count == 1 {
      parts.remove(at: place)
    } else {
      parts[place].indices = indices.lowerBound + 1..<indices.upperBound
    }
    return (stream, indices.lowerBound)
  }

  private func isWaiting(_ stream: Int, _ index: Int) -> Bool {
    let here = EventPlace(stream: StreamID(rawValue: UInt32(stream)), index: index)
    guard let send = group[here] else { return false }
    let sender = parts.first { $0.stream == Int(send.stream.rawValue) }
    return sender.map { $0.indices.lowerBound <= send.index } ?? false
  }
}
