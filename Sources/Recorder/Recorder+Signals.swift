// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc
public import Trace

// What a host does to a process, put down in the order in which it is true: a suspension after
// the stop is confirmed, a resume before the continue is sent, a purge after the process is gone.
extension Recorder {
  private static var stopPatience: Int64 { 5_000_000_000 }

  /// Stops a process and records the suspension once the stop is confirmed.
  ///
  /// By SIGSTOP to it alone; by the freezer, with all that it has forked, where it
  /// was launched with ``RecorderOptions/suspendsByFreezer``. The event tells which.
  @discardableResult
  public func suspend(pid: Int32) throws(RecorderError) -> HostTime {
    let group = launcher.group(of: pid)
    try stop(pid, group)
    guard let group else {
      return shared.post(RecordedEvent(.suspend, ["SIGSTOP"]), about: .process(pid))
    }
    let event = RecordedEvent(.suspend, ["cgroup.freeze"])
    for other in children(of: pid, in: group) { _ = shared.post(event, about: .process(other)) }
    return shared.post(event, about: .process(pid))
  }

  /// Stops a process for good, without a word: what follows is its end.
  package func halt(pid: Int32) throws(RecorderError) { try stop(pid, launcher.group(of: pid)) }

  private func stop(_ pid: Int32, _ group: ControlGroup?) throws(RecorderError) {
    shared.state.withLock { _ = $0.suspended.insert(pid) }
    guard group?.freeze(true) ?? (kill(pid, SIGSTOP) == 0) else {
      let error = systemError("stop", "process \(pid)")
      shared.state.withLock { _ = $0.suspended.remove(pid) }
      throw error
    }
    let limit = csystem_monotonic() + Self.stopPatience
    var pause: UInt32 = 20
    while !(group?.isFrozen ?? ProcFS.isWhollyStopped(pid)) {
      guard csystem_monotonic() < limit, kill(pid, 0) == 0 else {
        shared.state.withLock { _ = $0.suspended.remove(pid) }
        _ = group?.freeze(false)
        throw .timeout(action: "stop", pid: pid)
      }
      usleep(pause)
      pause = min(pause * 2, 1_000)
    }
  }

  /// What a process has forked that has a stream of its own.
  private func children(of pid: Int32, in group: ControlGroup) -> [Int32] {
    group.processes.filter { $0 != pid && writer(forPID: $0) != nil }
  }

  /// Records that the process resumes, then lets it run.
  @discardableResult
  public func resume(pid: Int32, reason: String) throws(RecorderError) -> HostTime {
    let group = launcher.group(of: pid)
    let by = group == nil ? "SIGCONT" : "cgroup.freeze"
    let event = RecordedEvent(.resume, [.name(reason), .name(by)])
    let time = shared.post(event, about: .process(pid))
    if let group {
      for other in children(of: pid, in: group) { _ = shared.post(event, about: .process(other)) }
    }
    let isRunning = group?.freeze(false) ?? (kill(pid, SIGCONT) == 0)
    let error = systemError("continue", "process \(pid)")
    shared.state.withLock { _ = $0.suspended.remove(pid) }
    guard isRunning else { throw error }
    return time
  }

  /// Names the cause of an exit that the process was asked for and will make by itself.
  ///
  /// A signal that ends it instead keeps its own cause.
  public func expectExit(pid: Int32, cause: String) {
    shared.state.withLock { $0.expectedExits[pid] = cause }
  }

  /// Kills a process, in a cgroup of its own with all that it has forked; its exit event tells this cause.
  public func kill(pid: Int32, _ death: Death) throws(RecorderError) {
    shared.state.withLock { $0.deaths[pid] = death }
    guard kill(pid, death.signal) == 0 else {
      let error = systemError("kill", "process \(pid)")
      shared.state.withLock { _ = $0.deaths.removeValue(forKey: pid) }
      throw error
    }
    let group = launcher.group(of: pid)
    if death.signal == SIGKILL {
      group?.killAll()
    } else {
      // A stopped process takes any other signal only when it continues.
      _ = kill(pid, SIGCONT)
      _ = group?.freeze(false)
    }
  }

  private func kill(_ pid: Int32, _ signal: Int32) -> Int32 { Glibc.kill(pid, signal) }
}
