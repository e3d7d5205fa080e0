// SPDX-License-Identifier: Apache-2.0

import LifetracePlatform

/// The tree of cgroups (version 2) of this machine, as far as it can be seen from here.
struct ControlTree: Sendable {
  /// Where it is mounted.
  let place: String
  /// What of it is mounted there, as `/proc/PID/cgroup` calls it; empty for all of it.
  private let root: String

  init?() {
    for line in SmallFile.lineIfReadable("/proc/self/mountinfo")?.split(separator: "\n") ?? [] {
      // 41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
      let fields = line.split(separator: " ")
      guard fields.count > 5, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count,
        fields[dash + 1] == "cgroup2"
      else { continue }
      root = fields[3] == "/" ? "" : String(fields[3])
      place = String(fields[4])
      return
    }
    return nil
  }

  /// The cgroup that a process is in; nil when it is gone, or outside of what can be seen.
  func directory(of pid: Int32) -> String? {
    let line = SmallFile.lineIfReadable("/proc/\(pid)/cgroup")?.split(separator: "\n")
      .first { $0.hasPrefix("0::") }
    guard let path = line?.dropFirst(3), path.hasPrefix(root) else { return nil }
    let below = path.dropFirst(root.count)
    return place + (below == "/" ? "" : below)
  }
}
