// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// The times by which the events of one chunk are ordered, four bytes each.
///
/// The order time of an event is the greatest time of its stream so far: a late event stands where it
/// arrived. So they never fall. Each block of 64 has a base, and its events what they lie behind it; the
/// few blocks that last longer than 4.3 s, as around a suspension, keep whole numbers. A search looks through
/// the bases first, which lie together.
final class OrderTimes {
  private static let blockShift = 6
  private static let blockRows = 1 << blockShift

  let stream: Int
  /// The index in the stream of the first event.
  let firstIndex: Int
  let count: Int
  private let bases: [Int64]
  /// Behind the base of the block; of no meaning in a wide block.
  private let offsets: [UInt32]
  /// By block, those of the wide ones.
  private let wides: [Int: [Int64]]
  /// Whether some block is wide, beside the table: it is asked at each event.
  private let hasWides: Bool

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
    // By pointers: with arrays the room of each was looked at for each event.
    let all = UnsafeMutableBufferPointer<Int64>.allocate(capacity: count)
    defer { all.deallocate() }
    var filled = 0
    var latest = rule.floor
    var lifts = rule.lifts
    try times { piece in
      precondition(piece.count <= count - filled, "a source hands out as many times as events")
      if rule.clock.isMoved, lifts.isEmpty {
        for place in piece.indices {
          latest = max(latest, rule.clock.orderedMoved(HostTime(rawValue: piece[place])))
          all[filled &+ place] = latest
        }
      } else {
        for place in piece.indices {
          latest = max(latest, rule.clock.ordered(HostTime(rawValue: piece[place])))
          while let lift = lifts.first, lift.index <= rule.firstIndex + filled + place {
            latest = max(latest, lift.time)
            lifts.removeFirst()
          }
          all[filled + place] = latest
        }
      }
      filled += piece.count
    }
    precondition(filled == count, "a source hands out as many times as events")
    (bases, offsets, wides) = Self.packed(UnsafeBufferPointer(all))
    hasWides = !wides.isEmpty
  }

  private static func packed(_ all: UnsafeBufferPointer<Int64>)
    -> (bases: [Int64], offsets: [UInt32], wides: [Int: [Int64]])
  {
    var bases: [Int64] = []
    bases.reserveCapacity(all.count >> blockShift + 1)
    var wides: [Int: [Int64]] = [:]
    let offsets = [UInt32](unsafeUninitializedCapacity: all.count) { offsets, filled in
      var start = 0
      while start < all.count {
        let end = min(start + blockRows, all.count)
        let base = all[start]
        bases.append(base)
        for row in start..<end { offsets[row] = UInt32(truncatingIfNeeded: all[row] &- base) }
        if all[end - 1] &- base > Int64(UInt32.max) {
          wides[start >> blockShift] = Array(all[start..<end])
        }
        start = end
      }
      filled = all.count
    }
    return (bases, offsets, wides)
  }

  /// Those of a chunk that cannot be read: all stand where it begins.
  init(damaged rule: Rule, count: Int, at time: HostTime) {
    stream = rule.stream
    firstIndex = rule.firstIndex
    self.count = count
    let time = max(rule.floor, rule.clock.ordered(time), rule.lifts.last?.time ?? .min)
    bases = Array(repeating: time, count: (count + Self.blockRows - 1) >> Self.blockShift)
    offsets = Array(repeating: 0, count: count)
    wides = [:]
    hasWides = false
  }

  /// The memory that it takes, about.
  var bytes: Int {
    4 * offsets.count + 8 * bases.count + (8 * Self.blockRows + 64) * wides.count + 160
  }

  /// The indices in the stream that it covers.
  var indices: Range<Int> { firstIndex..<firstIndex + count }

  /// The order time of the event with this index in the stream.
  @inline(__always)
  subscript(index: Int) -> Int64 {
    let row = index - firstIndex
    guard !hasWides else { return time(of: row) }
    return bases[row >> Self.blockShift] &+ Int64(offsets[row])
  }

  /// The order time of a row of a chunk in which some block is wide.
  private func time(of row: Int) -> Int64 {
    let block = row >> Self.blockShift
    if let times = wides[block] { return times[row & (Self.blockRows - 1)] }
    return bases[block] &+ Int64(offsets[row])
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

  /// The same where it is known to lie in `range`, or at its end.
  func lowerBound(_ time: Int64, in range: Range<Int>) -> Int {
    var (low, high) = (range.lowerBound - firstIndex, range.upperBound - firstIndex)
    guard low < high else { return range.lowerBound }
    // The last block that begins below `time`: what is not below lies in it or just behind it.
    var (first, end) = (low >> Self.blockShift + 1, (high - 1) >> Self.blockShift + 1)
    while first < end {
      let middle = first + (end - first) / 2
      if bases[middle] < time { first = middle + 1 } else { end = middle }
    }
    low = max(low, (first - 1) << Self.blockShift)
    high = min(high, first << Self.blockShift)
    while low < high {
      let middle = low + (high - low) / 2
      if self[firstIndex + middle] < time { low = middle + 1 } else { high = middle }
    }
    return firstIndex + low
  }
}

/// From this index on, a stream's order times are at least this: a message that
/// it received there was sent then.
struct Lift: Sendable {
  var index: Int
  var time: Int64
}
