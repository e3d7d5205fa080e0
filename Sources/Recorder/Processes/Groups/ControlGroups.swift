// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetracePlatform
import Synchronization

/// The cgroups (version 2) that launched processes live in, one for each launch.
///
///     /sys/fs/cgroup/…/lifetrace-0-3f2a…/     beside the recorder, in the cgroup that it runs in
///         launch-1                            a process and all that it forks
///
/// A frozen process stands still with everything that it has forked, and no signal wakes it. Making
/// groups takes the right to write to the recorder's own cgroup: root has it, and so has a user to
/// whom a part of the tree was delegated.
final class ControlGroups: Sendable {
  let path: String
  /// Held as long as the recorder lives: see ``AbandonedGroup``.
  private let lock: Int32
  private let state = Mutex(State())

  private struct State: Sendable {
    var count = 0
    var ofPID: [Int32: ControlGroup] = [:]
  }

  /// Makes the common one, which is there to be refused here rather than at a launch.
  init(named name: String) throws(RecorderError) {
    guard let home = ControlTree()?.directory(of: getpid()) else {
      throw .system(action: "find", subject: "a cgroup of version 2", errno: ENOENT)
    }
    path = home + "/" + name
    lock = try Self.make(path)
    guard access(path + "/cgroup.freeze", W_OK) == 0 else {
      let error = systemError("freeze", path)
      rmdir(path)
      close(lock)
      throw error
    }
  }

  deinit { close(lock) }

  /// Makes the directory and locks it; a process that tidies up may take one without a lock for one
  /// that was left.
  private static func make(_ path: String) throws(RecorderError) -> Int32 {
    while true {
      guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw systemError("make", path) }
      let lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard lock >= 0 || errno == ENOENT else { throw systemError("open", path) }
      if lock >= 0, cplatform_lock(lock) == 0, access(path, F_OK) == 0 { return lock }
      if lock >= 0 { close(lock) }
    }
  }

  /// A new one for a launch; nil where the system refuses.
  func make() -> ControlGroup? {
    state.withLock { state in
      // Those of processes that are gone; the others cannot be removed.
      state.ofPID = state.ofPID.filter { rmdir($0.value.path) != 0 }
      state.count += 1
      let group = ControlGroup(path: "\(path)/launch-\(state.count)")
      return mkdir(group.path, 0o755) == 0 ? group : nil
    }
  }

  /// The process that was launched in it.
  func take(_ group: ControlGroup, for pid: Int32) { state.withLock { $0.ofPID[pid] = group } }

  func group(of pid: Int32) -> ControlGroup? { state.withLock { $0.ofPID[pid] } }

  /// Kills what is left in them, and removes them.
  func remove() { _ = cplatform_cgroup_remove(path) }
}

/// The cgroup of one launch.
struct ControlGroup: Sendable {
  var path: String

  /// Everything in it stops, or goes on; when it has stopped, ``isFrozen`` says so.
  func freeze(_ on: Bool) -> Bool { write(on ? "1" : "0", to: "cgroup.freeze") }

  var isFrozen: Bool {
    SmallFile.lineIfReadable(path + "/cgroup.events")?.split(separator: "\n").contains("frozen 1")
      ?? false
  }

  /// The processes in it.
  var processes: [Int32] {
    (SmallFile.lineIfReadable(path + "/cgroup.procs") ?? "").split(separator: "\n").compactMap {
      Int32($0)
    }
  }

  /// Everything in it dies, frozen or not.
  func killAll() {
    if write("1", to: "cgroup.kill") { return }
    // Before Linux 5.14.
    for pid in processes { kill(pid, SIGKILL) }
  }

  private func write(_ text: String, to file: String) -> Bool {
    let fd = open(path + "/" + file, O_WRONLY | O_CLOEXEC)
    guard fd >= 0 else { return false }
    defer { close(fd) }
    return Descriptor.write(text, to: fd) == 0
  }
}
