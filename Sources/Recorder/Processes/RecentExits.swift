// SPDX-License-Identifier: Apache-2.0

import LifetraceTrace

/// How processes ended whose end the kernel reported before they were followed.
struct RecentExits {
  private static let keptMax = 8192
  /// A number does not come round in so short a time: an end of that age is of the same process.
  private static let reuseMin: Int64 = 1_000_000

  private var exits: [Int32: (status: ExitStatus, time: HostTime)] = [:]

  /// Keeps an end for the case that the process will be known.
  mutating func keep(_ pid: Int32, _ status: ExitStatus, at time: HostTime) {
    if exits.count >= Self.keptMax { exits.removeAll() }
    exits[pid] = (status, time)
  }

  /// The number is a new process's since `time`: an older end is of the one that had it before.
  mutating func begin(_ pid: Int32, at time: HostTime) {
    if let old = exits[pid], time - old.time > Self.reuseMin { exits[pid] = nil }
  }

  mutating func take(_ pid: Int32) -> (status: ExitStatus, time: HostTime)? {
    exits.removeValue(forKey: pid)
  }
}
