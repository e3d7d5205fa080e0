// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// The lanes on which things of one sort stand: one, and further ones for what overlaps.
struct LanePool {
  private struct Slot {
    var lane: Lane.ID
    /// Nothing may begin before this.
    var latest = Int64.min
  }

  /// What a further lane is declared with.
  let parent: Lane.ID?
  let kind: Lane.Kind
  let name: String
  let stream: StreamID?
  let rank: Int
  private var slots: [Slot] = []
  /// Those on which nothing is open, a bit each: of a hundred thousand most are taken.
  private var free: [UInt64] = []

  /// Lanes of that sort, none of which is declared yet.
  init(parent: Lane.ID?, kind: Lane.Kind, name: String, stream: StreamID?, rank: Int) {
    self.parent = parent
    self.kind = kind
    self.name = name
    self.stream = stream
    self.rank = rank
  }

  /// The lane that stands for all of them: nested slices and instants are on it; nil before it is there.
  @inline(__always)
  var main: Lane.ID? { slots.isEmpty ? nil : slots[0].lane }

  /// Another lane is declared.
  mutating func add(_ lane: Lane.ID) {
    if slots.count % 64 == 0 { free.append(0) }
    setFree(slots.count)
    slots.append(Slot(lane: lane))
  }

  /// The first lane on which nothing is open and nothing ends after `time`, not among the first
  /// `first`; nil where another one is needed.
  mutating func take(at time: Int64, from first: Int) -> (lane: Lane.ID, slot: Int)? {
    var word = first / 64
    guard word < free.count else { return nil }
    var bits = free[word] & (~0 << (first % 64))
    while true {
      while bits != 0 {
        let slot = word * 64 + bits.trailingZeroBitCount
        if slots[slot].latest <= time {
          free[word] &= ~(1 << (slot % 64))
          return (slots[slot].lane, slot)
        }
        bits &= bits - 1
      }
      word += 1
      guard word < free.count else { return nil }
      bits = free[word]
    }
  }

  /// What was taken is free again from `time` on.
  mutating func give(_ slot: Int, at time: Int64) {
    slots[slot].latest = max(slots[slot].latest, time)
    setFree(slot)
  }

  private mutating func setFree(_ slot: Int) { free[slot / 64] |= 1 << (slot % 64) }
}
