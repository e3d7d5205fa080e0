// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// The times by which the events of one chunk are ordered, four bytes each.
///
/// The order time of an event is the greatest time of its stream so far: a late event stands where it
/// arrived. So they never fall. Each block of 64 has a base, and its events what they lie behind it; the
/// few blocks that last longer than 4.3 s, as around a suspension, keep whole numbers.
final class OrderTimes {
  private static let blockShift = 6
  private static let blockRows = 1 << blockShift
  /// In the place of a base; no order time is as low.
  private static let wide = Int64.min

  let stream: Int
  /// The index in the stream of the first event.
  let firstIndex: Int
  let count: Int
  private var bases: [Int64] = []
  /// Behind the base of the block; in a wide block, places in `wides`.
  private var offsets: [UInt32]
  private var wides: [Int64] = []

  /// How they are made of the times that events carry.
  struct Rule {
    var stream: Int
    var firstIndex: Int
    /// The clock of the stream.
    var clock: StreamClock
    /// What the chunk before ends with.
    var floor: Int64
    /// In order of their indices.
    var lifts: ArraySlice<Lift>
  }

  /// Order times of `count` events; `times` hands out theirs, piece by piece.
  init<Failure>(
    _ rule: Rule,
    count: Int,
    times: ((Span<Int64>) -> Void) throws(Failure) -> Void
  ) throws(Failure) {
    stream = rule.stream
    firstIndex = rule.firstIndex
    self.count = count
    var all: [Int64] = []
    all.reserveCapacity(count)
    var latest = rule.floor
    var lift = rule.lifts.startIndex
    try times { piece in
      for place in piece.indices {
        latest = max(latest, rule.clock.ordered(HostTime(rawValue: piece[place])))
        while lift < rule.lifts.endIndex, rule.lifts[lift].index <= rule.firstIndex + all.count {
          latest = max(latest, rule.lifts[lift].time)
          lift += 1
        }
        all.append(latest)
      }
    }
    precondition(all.count == count, "a source hands out as many times as events")
    offsets = []
    offsets.reserveCapacity(count)
    bases.reserveCapacity(count >> Self.blockShift + 1)
    var start = 0
    while start < count {
      let end = min(start + Self.blockRows, count)
      let base = all[start]
      if all[end - 1] &- base <= Int64(UInt32.max), base != Self.wide {
        bases.append(base)
        for row in start..<end { offsets.append(UInt32(truncatingIfNeeded: all[row] &- base)) }
      } else {
        bases.append(Self.wide)
        for row in start..<end {
          offsets.append(UInt32(wides.count))
          wides.append(all[row])
        }
      }
      start = end
    }
  }

  /// Those of a chunk that cannot be read: all stand where it begins.
  init(damaged rule: Rule, count: Int, at time: HostTime) {
    stream = rule.stream
    firstIndex = rule.firstIndex
    self.count = count
    let time = max(rule.floor, rule.clock.ordered(time), rule.lifts.last?.time ?? .min)
    bases = Array(repeating: time, count: (count + Self.blockRows - 1) >> Self.blockShift)
    offsets = Array(repeating: 0, count: count)
  }

  /// The memory that it takes, about.
  var bytes: Int { 4 * offsets.count + 8 * (bases.count + wides.count) + 160 }

  /// The indices in the stream that it covers.
  var indices: Range<Int> { firstIndex..<firstIndex + count }

  /// The order time of the event with this index in the stream.
  @inline(__always)
  subscript(index: Int) -> Int64 {
    let row = index - firstIndex
    let base = bases[row >> Self.blockShift]
    return base != Self.wide ? base &+ Int64(offsets[row]) : wides[Int(offsets[row])]
  }

  /// The first index whose order time is not below `time`; the end where all are.
  func lowerBound(_ time: Int64) -> Int { lowerBound(time, in: indices) }

  /// The same from `start` on, below which all are: takes as many steps as the way has binary digits.
  func lowerBound(_ time: Int64, from start: Int) -> Int {
    var (low, step) = (start, 1)
    while low + step < firstIndex + count, self[low + step - 1] < time {
      low += step
      step *= 2
    }
    return lowerBound(time, in: low..<min(low + step, firstIndex + count))
  }

  private func lowerBound(_ time: Int64, in range: Range<Int>) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle] < time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// From this index on, a stream's order times are at least this: a message that
/// it received there was sent then.
struct Lift: Sendable {
  var index: Int
  var time: Int64
}
