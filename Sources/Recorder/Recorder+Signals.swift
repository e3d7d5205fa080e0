// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetracePlatform
package import LifetraceLifecycle
package import LifetraceTrace

// What a host does to a process, put down in the order in which it is true: a suspension after
// the stop is confirmed, a resume before the continue is sent, a purge after the process is gone.
extension Recorder {
  private static var stopPatience: Int64 { 5_000_000_000 }

  /// Stops a process and records the suspension once the stop is confirmed.
  ///
  /// By SIGSTOP to it alone; by the freezer, with all that it has forked, where it was launched
  /// with ``RecorderOptions/suspendsByFreezer``. The event says which.
  @discardableResult
  package func suspend(pid: Int32) throws(RecorderError) -> HostTime {
    let group = launcher.group(of: pid)
    let all = try stop(pid, group)
    let event = RecordedEvent {
      Payload.Suspend(evidence: $0.name(group == nil ? "SIGSTOP" : "cgroup.freeze"))
    }
    return post(event, about: all)
  }

  /// Stops a process for good, without a word: its end follows.
  package func halt(pid: Int32) throws(RecorderError) {
    _ = try stop(pid, launcher.group(of: pid))
  }

  /// The processes that stand still now and have streams, this one last.
  private func stop(_ pid: Int32, _ group: ControlGroup?) throws(RecorderError) -> [Int32] {
    // The samples must not note a stop that is reported here.
    let all = members(of: group, pid)
    exchange.state.withLock { $0.registry.suspend(all) }
    guard group?.freeze(true) ?? (kill(pid, SIGSTOP) == 0) else {
      let error = systemError("stop", "process \(pid)")
      exchange.state.withLock { $0.registry.resume(all) }
      throw error
    }
    let limit = cplatform_monotonic() + Self.stopPatience
    var pause: UInt32 = 20
    while !(group?.isFrozen ?? ProcFS.isWhollyStopped(pid)) {
      guard cplatform_monotonic() < limit, kill(pid, 0) == 0 else {
        exchange.state.withLock { $0.registry.resume(all) }
        _ = group?.freeze(false)
        throw .timeout(action: "stop", pid: pid)
      }
      usleep(pause)
      pause = min(pause * 2, 1_000)
    }
    return all
  }

  /// Records that the process resumes, then lets it run.
  @discardableResult
  package func resume(pid: Int32, reason: String) throws(RecorderError) -> HostTime {
    let group = launcher.group(of: pid)
    let stopped = exchange.state.withLock { $0.registry.suspended }
    let all = members(of: group, pid).filter { $0 == pid || stopped.contains($0) }
    let by = group == nil ? "SIGCONT" : "cgroup.freeze"
    let event = RecordedEvent {
      Payload.Resume(reason: $0.name(reason), evidence: $0.name(by))
    }
    let time = post(event, about: all)
    let isRunning = group?.freeze(false) ?? (kill(pid, SIGCONT) == 0)
    let error = systemError("continue", "process \(pid)")
    exchange.state.withLock { $0.registry.resume(all) }
    guard isRunning else { throw error }
    return time
  }

  /// The process, behind those of its cgroup that have streams too.
  private func members(of group: ControlGroup?, _ pid: Int32) -> [Int32] {
    let others = group?.processes.filter { $0 != pid && writer(forPID: $0) != nil } ?? []
    return others + [pid]
  }

  /// The time is the last one's.
  private func post(_ event: RecordedEvent, about processes: [Int32]) -> HostTime {
    var time = HostTime(rawValue: .min)
    for pid in processes { time = exchange.submit(event, about: .process(pid)) }
    return time
  }

  /// Names the cause of an exit that the process was asked for and will make by itself.
  ///
  /// A signal that ends it instead keeps its own cause.
  package func expectExit(pid: Int32, cause: String) {
    exchange.state.withLock { $0.registry.expectExit(pid, cause: cause) }
  }

  /// Says as what it counts when the process kills itself by SIGKILL, as its environment asks it to.
  package func doom(pid: Int32, _ death: Death) {
    exchange.state.withLock { $0.registry.doom(pid, death) }
  }

  /// Kills a process, in its own cgroup with all that it has forked; its exit event has this cause.
  package func kill(pid: Int32, _ death: Death) throws(RecorderError) {
    let now = exchange.now()
    exchange.state.withLock { $0.registry.kill(pid, death, at: now) }
    guard kill(pid, death.signal) == 0 else {
      let error = systemError("kill", "process \(pid)")
      exchange.state.withLock { $0.registry.spare(pid) }
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

  private func kill(_ pid: Int32, _ signal: Int32) -> Int32 { LifetracePlatform.kill(pid, signal) }
}
