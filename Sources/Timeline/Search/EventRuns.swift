// SPDX-License-Identifier: Apache-2.0
import HeapModule
package import LifetraceTrace

/// All events of some streams in the order of the timeline, in runs of one chunk each.
///
///     var runs = EventRuns(of: timeline)
///     while let run = runs.next() {
///       let names = timeline.names             // once a run: nothing is decoded in between
///       for index in run.indices { use(run.rows.events[index], names) }
///     }
///
/// A run goes on until another stream has an earlier event. Where writers take turns it is one event
/// long; mostly one app runs at a time, and runs are long, so that what is asked once a run costs
/// nothing. Chunks are decoded when their turn comes.
package struct EventRuns {
  /// Events of one chunk that follow each other in the order of the timeline.
  package struct Run {
    /// Events of the chunk; `isDamaged` says that they only stand for those that it held.
    package let rows: EventRows
    /// Which of them, by their places in ``EventRows/events``.
    package let indices: Range<Int>
  }

  /// Where a stream stands.
  private struct Head: Comparable {
    /// The order time of its next event; before its chunk is open, one that is not greater.
    var time: Int64
    /// Among equal times: chunks not yet open come first, then as the timeline has it.
    var tie: Int
    var stream: Int
    /// The index of the next event in its stream.
    var index: Int

    static func < (left: Head, right: Head) -> Bool {
      (left.time, left.tie) < (right.time, right.tie)
    }
  }

  private let timeline: Timeline
  private let streams: Set<StreamID>?
  private var heads = Heap<Head>()
  /// Where receives wait for their sends at equal times, the order is asked for step by step.
  private var position: Position?

  /// The events of `streams`, by default of all.
  package init(of timeline: Timeline, streams: Set<StreamID>? = nil) {
    self.timeline = timeline
    self.streams = streams
    if !timeline.knots.isEmpty {
      position = timeline.start
      return
    }
    for stream in timeline.streams.indices {
      if let streams, !streams.contains(timeline.streams[stream].id) { continue }
      if let head = head(of: stream, from: 0) { heads.insert(head) }
    }
  }

  /// The next run; nil behind the last event.
  package mutating func next() -> Run? {
    if position != nil { return step() }
    while let first = heads.min {
      guard first.tie >= 0 else {
        heads.replaceMin(with: opened(first))
        continue
      }
      _ = heads.removeMin()
      let rows = timeline.rows(of: first.stream, holding: first.index)
      let end = end(of: first, in: rows)
      if let head = head(of: first.stream, from: end) { heads.insert(head) }
      return Run(rows: rows, indices: first.index - rows.firstIndex..<end - rows.firstIndex)
    }
    return nil
  }

  /// The index in the stream behind the last of `rows` that comes before all others.
  private func end(of head: Head, in rows: EventRows) -> Int {
    let upper = rows.indices.upperBound
    guard let other = heads.min else { return upper }
    // Its own first event comes before `other`: so the run is never empty.
    let comesFirst = head.tie < other.tie && other.time < .max
    let times = timeline.times(of: head.stream, holding: head.index)
    let bound = times.lowerBound(comesFirst ? other.time + 1 : other.time)
    return max(head.index + 1, min(upper, bound))
  }

  /// What the stream waits with; nil where it is through.
  private func head(of stream: Int, from index: Int) -> Head? {
    if let times = timeline.currentTimes[stream], times.indices.contains(index) {
      return Head(time: times[index], tie: timeline.rank[stream], stream: stream, index: index)
    }
    let facts = timeline.streams[stream]
    guard index < facts.count else { return nil }
    let number = facts.chunk(holding: index)
    let unopened = Head(time: facts.orderFirst[number], tie: -1, stream: stream, index: index)
    if index == facts.firstIndices[number] { return unopened }
    return opened(unopened)
  }

  private func opened(_ head: Head) -> Head {
    var head = head
    head.time = timeline.orderTime(head.stream, head.index)
    head.tie = timeline.rank[head.stream]
    return head
  }

  private mutating func step() -> Run? {
    guard var here = position else { return nil }
    defer { position = here }
    while let place = timeline.stepForward(&here) {
      if let streams, !streams.contains(place.stream) { continue }
      let rows = timeline.rows(of: Int(place.stream.rawValue), holding: place.index)
      let index = place.index - rows.firstIndex
      return Run(rows: rows, indices: index..<index + 1)
    }
    return nil
  }
}
