// SPDX-License-Identifier: Apache-2.0

import LifetracePlatform
import LifetraceTrace

/// Which cgroups stand still, as samples show: in /proc a frozen process looks asleep.
///
/// Used by the recorder's thread alone. Each group is asked once a sample, by a file
/// that stays open; where a process lives is asked again every second or so.
final class FrozenGroups {
  private struct Group {
    var file: Int32
    /// The sample that asked last, and its answer.
    var asked: UInt64
    var isFrozen: Bool
  }

  private let tree = ControlTree()
  /// Our own: while it is frozen, it is not asked.
  private let own: String?
  private var groups: [String: Group] = [:]
  private var sample: UInt64 = 0

  private static let groupsMax = 1024
  /// One in this many samples looks where a process lives.
  private static var interval: UInt64 { 50 }

  init() { own = tree?.directory(of: getpid()) }

  deinit { for group in groups.values { close(group.file) } }

  /// A new sample begins.
  func begin() { sample += 1 }

  func contain(_ process: TrackedProcess) -> Bool {
    guard let tree else { return false }
    if process.groupAsked == 0 || sample - process.groupAsked >= Self.interval {
      process.groupAsked = sample
      process.group = tree.directory(of: process.pid)
    }
    guard let path = process.group, path != own else { return false }
    return isFrozen(path)
  }

  private func isFrozen(_ path: String) -> Bool {
    if groups[path] == nil {
      forgetIfFull()
      groups[path] = Group(
        file: open(path + "/cgroup.events", O_RDONLY | O_CLOEXEC),
        asked: 0,
        isFrozen: false
      )
    }
    guard let group = groups[path], group.asked != sample else {
      return groups[path]?.isFrozen ?? false
    }
    let isFrozen = Self.saysFrozen(group.file)
    groups[path]?.asked = sample
    groups[path]?.isFrozen = isFrozen
    return isFrozen
  }

  /// `populated 1`, `frozen 1`; a group that is gone has no answer.
  private static func saysFrozen(_ file: Int32) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { buffer in
      let count = pread(file, buffer.baseAddress, buffer.count, 0)
      guard count > 0 else { return false }
      return String(decoding: buffer[..<count], as: UTF8.self).contains("frozen 1")
    }
  }

  private func forgetIfFull() {
    guard groups.count >= Self.groupsMax else { return }
    for group in groups.values { close(group.file) }
    groups = [:]
  }
}
