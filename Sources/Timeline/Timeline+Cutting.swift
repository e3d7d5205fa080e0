// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

// Where the event with a number stands: the only question for which all writers are looked at.

extension Timeline {
  /// An order time at which some event stands, and by stream how many events stand before it, and how many
  /// up to it.
  struct Cut {
    var time: Int64
    var before: [Int]
    var upTo: [Int]
  }

  /// About how many events of each stream have an order time below `time`: at least so many, or at most.
  private struct Bound {
    var time: Int64
    var cursors: [Int]
    var ordinal: Int
  }

  /// No time is tried that lies further behind a known one, in nanoseconds: half of what 64 bits can say.
  private static var stepMax: Double { 0x1p62 }
  /// So few events are sorted where they are.
  private static var fewEvents: Int { 32 }

  /// The cut at the event that comes after `ordinal` others; there must be more.
  ///
  /// Times are tried, the first by what chunk headers say, the next ones by how far those before were off,
  /// and each leaves fewer events of each stream between two that are known. So few chunks are decoded
  /// beside those that cover the place, and each search goes through what the one before has left. What
  /// is known roughly will do until it comes to the few events that lie close to the one that is sought.
  func cut(ofEventAfter ordinal: Int) -> Cut {
    var low = Bound(time: chunkTimes[0], cursors: start.cursors, ordinal: 0)
    var high = Bound(
      time: chunkTimes[chunkTimes.count - 1],
      cursors: finish.cursors,
      ordinal: count
    )
    var pivots = Pivots(ordinal: ordinal)
    var isExact = false
    while Self.gap(low, high) > 1, high.ordinal - low.ordinal > Self.fewEvents {
      let time = max(low.time + 1, min(high.time - 1, pivot(pivots, low, high)))
      let (least, most) = bounds(at: time, between: low, and: high, isExact: isExact)
      guard most.ordinal <= ordinal || least.ordinal > ordinal else {
        isExact = true
        continue
      }
      if most.ordinal <= ordinal { low = least } else { high = most }
      pivots.learn(least.ordinal) { guessedCount(before: time) }
    }
    let time = Self.gap(low, high) > 1 ? sortedTime(of: ordinal, low, high) : low.time
    return Cut(
      time: time,
      before: bounds(at: time, between: low, and: high, isExact: true).least.cursors,
      upTo: time == .max
        ? high.cursors
        : bounds(at: time + 1, between: low, and: high, isExact: true).least.cursors
    )
  }

  /// How far two bounds lie apart: times of hostile headers may be as far as 64 bits can say.
  private static func gap(_ low: Bound, _ high: Bound) -> UInt64 {
    UInt64(bitPattern: high.time &- low.time)
  }

  /// Which time is tried next.
  private struct Pivots {
    let ordinal: Int
    /// For how many events the headers are asked.
    var target: Int
    /// By how much more than they were off the next time shall be, so that it lies on the other side.
    var margin = 32
    var tries = 0
    var isBelow = false
    var isAbove = false
    /// More than the events of any recording.
    private static let marginMax = 1 << 48

    init(ordinal: Int) {
      self.ordinal = ordinal
      target = ordinal
    }

    mutating func learn(_ found: Int, guessed: () -> Int) {
      tries += 1
      if found <= ordinal { isBelow = true } else { isAbove = true }
      guard !isBelow || !isAbove else { return }
      target = ordinal - (found - guessed()) + (found <= ordinal ? margin : -margin)
      // Times of a hostile header may lie so far apart that this goes on for sixty tries.
      margin = min(4 * margin, Self.marginMax)
    }
  }

  private func pivot(_ pivots: Pivots, _ low: Bound, _ high: Bound) -> Int64 {
    if !pivots.isBelow || !pivots.isAbove {
      let time = time(guessing: pivots.target)
      if time > low.time, time < high.time { return time }
    }
    let span = Self.gap(low, high)
    // By turns, so that it ends soon however unevenly events lie.
    guard pivots.tries % 3 != 0 else { return low.time &+ Int64(span / 2) }
    let part = (Double(pivots.ordinal - low.ordinal) + 0.5) / Double(high.ordinal - low.ordinal)
    return low.time &+ Int64(min(Double(span) * part, Self.stepMax))
  }

  /// At least and at most how many events of each stream lie before `time`; the same where `isExact`.
  private func bounds(
    at time: Int64,
    between low: Bound,
    and high: Bound,
    isExact: Bool
  ) -> (least: Bound, most: Bound) {
    var least = Bound(time: time, cursors: low.cursors, ordinal: low.ordinal)
    var most = least
    for stream in low.cursors.indices where low.cursors[stream] < high.cursors[stream] {
      let range = low.cursors[stream]..<high.cursors[stream]
      let found = lowerBounds(stream, time, in: range, isExact: isExact)
      least.cursors[stream] = found.lowerBound
      least.ordinal += found.lowerBound - range.lowerBound
      most.cursors[stream] = found.upperBound
      most.ordinal += found.upperBound - range.lowerBound
    }
    return (least, most)
  }

  /// How many events of `stream` have an order time below `time`, where that is known to lie in `range`.
  private func lowerBounds(
    _ stream: Int,
    _ time: Int64,
    in range: Range<Int>,
    isExact: Bool
  ) -> ClosedRange<Int> {
    if let known = currentTimes[stream], known.indices.contains(range.lowerBound),
      known.indices.upperBound >= range.upperBound
    {
      let found = known.lowerBound(time, in: range)
      return found...found
    }
    guard !isExact else {
      let found = min(max(lowerBound(stream, time), range.lowerBound), range.upperBound)
      return found...found
    }
    return lowerBounds(stream, time).clamped(to: range.lowerBound...range.upperBound)
  }

  /// The order time of the event that comes after `ordinal` others, where few lie between the two.
  private func sortedTime(of ordinal: Int, _ low: Bound, _ high: Bound) -> Int64 {
    var times: [Int64] = []
    for stream in low.cursors.indices where low.cursors[stream] < high.cursors[stream] {
      times += (low.cursors[stream]..<high.cursors[stream]).map { orderTime(stream, $0) }
    }
    times.sort()
    return times[ordinal - low.ordinal]
  }

  /// About when so many events have happened, as if events were spread evenly over their chunks; decodes
  /// nothing.
  private func time(guessing target: Int) -> Int64 {
    let place = chunkPlace(guessing: target)
    guard place + 1 < chunkTimes.count else { return chunkTimes[place] }
    let (first, next) = (guess(before: chunkTimes[place]), guess(before: chunkTimes[place + 1]))
    let part = Double(target - first) / Double(max(1, next - first))
    let span = Double(chunkTimes[place + 1]) - Double(chunkTimes[place])
    return chunkTimes[place] &+ Int64(min(span * max(0, min(1, part)), Self.stepMax))
  }

  /// The place in ``chunkTimes`` before which at most so many events lie, by guess.
  func chunkPlace(guessing target: Int) -> Int {
    max(0, chunkTimes.partitioningIndex { guess(before: $0) > target } - 1)
  }

  /// The order times at which chunks begin, and just behind their ends, sorted.
  var chunkTimes: [Int64] {
    if let known = chunkTimesKept { return known }
    let ends = streams.flatMap { $0.orderLast.map { $0 == .max ? $0 : $0 + 1 } }
    let times = Set(streams.flatMap(\.orderFirst) + ends).sorted()
    chunkTimesKept = times
    return times
  }

  private func guess(before time: Int64) -> Int {
    if let known = guesses[time] { return known }
    let count = guessedCount(before: time)
    guesses[time] = count
    return count
  }

  /// About how many events lie before `time`, without decoding.
  private func guessedCount(before time: Int64) -> Int {
    streams.indices.reduce(0) { sum, stream in
      // Each part by itself: a copy of all of them counts as many references.
      let number = streams[stream].chunk(reaching: time)
      let before = sum + streams[stream].firstIndices[number]
      guard number < streams[stream].chunks.count, streams[stream].orderFirst[number] < time else {
        return before
      }
      let first = Double(streams[stream].orderFirst[number])
      let span = max(1, Double(streams[stream].orderLast[number]) - first)
      let events = Double(streams[stream].chunks[number].eventCount)
      return before + Int((Double(time) - first) / span * events)
    }
  }
}
