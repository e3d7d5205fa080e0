// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// The lanes on which things of one sort stand: one, and further ones for what overlaps.
struct LanePool {
  /// A lane, and whether it has room.
  private struct Slot {
    var lane: Lane.ID
    var isTaken = false
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
  mutating func add(_ lane: Lane.ID) { slots.append(Slot(lane: lane)) }

  /// A lane on which nothing is open and nothing ends after `time`, not among the first `first`; nil
  /// where another one is needed.
  mutating func take(at time: Int64, from first: Int) -> (lane: Lane.ID, slot: Int)? {
    guard first < slots.count else { return nil }
    for slot in first..<slots.count where !slots[slot].isTaken && slots[slot].latest <= time {
      slots[slot].isTaken = true
      return (slots[slot].lane, slot)
    }
    return nil
  }

  /// What was taken is free again from `time` on.
  mutating func give(_ slot: Int, at time: Int64) {
    slots[slot].isTaken = false
    slots[slot].latest = max(slots[slot].latest, time)
  }
}
