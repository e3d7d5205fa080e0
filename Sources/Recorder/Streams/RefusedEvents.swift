// SPDX-License-Identifier: Apache-2.0

import LifetraceTrace

/// Events of a process that are counted instead of written, because the file has reached its size.
struct RefusedEvents {
  /// By family, from the beginning.
  private(set) var counts = [UInt64](repeating: 0, count: EventFamily.allCases.count)
  /// How many of them the trace reports.
  private var told = [UInt64](repeating: 0, count: EventFamily.allCases.count)
  /// The first of those that the trace does not report.
  private(set) var since: HostTime?
  /// The last of all.
  private(set) var last = HostTime(rawValue: 0)
  /// The ledger has all of them.
  var isKept = true

  mutating func add(_ family: EventFamily, at time: HostTime) {
    counts[Int(family.rawValue)] += 1
    isKept = false
    if since == nil { since = time }
    last = max(last, time)
  }

  /// Goes on with the counts of a recorder that was killed.
  mutating func adopt(_ counts: [UInt64], told losses: [LossCount], since last: HostTime) {
    for (index, count) in counts.enumerated() {
      self.counts[index] = min(count, PoolReader.droppedMax)
    }
    for loss in losses { told[Int(loss.family.rawValue)] &+= loss.count }
    if next != nil { since = max(last, HostTime(rawValue: 0)) }
  }

  /// The refused events of a family that the trace does not report yet.
  var next: LossCount? {
    for family in EventFamily.allCases {
      let (all, told) = (counts[Int(family.rawValue)], told[Int(family.rawValue)])
      if all > told { return LossCount(family: family, count: all - told) }
    }
    return nil
  }

  /// The trace reports them now.
  mutating func note(_ loss: LossCount) {
    told[Int(loss.family.rawValue)] &+= loss.count
    if next == nil { since = nil }
  }
}
