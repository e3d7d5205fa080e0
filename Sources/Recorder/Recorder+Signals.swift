// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc
public import Trace

// What a host does to a process, put down in the order in which it is true: a suspension after
// the stop is confirmed, a resume before the continue is sent, a purge after the process is gone.
extension Recorder {
  private static var stopPatience: Int64 { 5_000_000_000 }

  /// Stops a process (SIGSTOP to it alone) and records the suspension once the stop is confirmed.
  @discardableResult
  public func suspend(pid: Int32) throws(RecorderError) -> HostTime {
    shared.state.withLock { _ = $0.suspended.insert(pid) }
    guard kill(pid, SIGSTOP) == 0 else {
      let error = systemError("stop", "process \(pid)")
      shared.state.withLock { _ = $0.suspended.remove(pid) }
      throw error
    }
    let limit = csystem_monotonic() + Self.stopPatience
    var pause: UInt32 = 20
    while !ProcFS.isWhollyStopped(pid) {
      guard csystem_monotonic() < limit, kill(pid, 0) == 0 else {
        shared.state.withLock { _ = $0.suspended.remove(pid) }
        throw .timeout(action: "stop", pid: pid)
      }
      usleep(pause)
      pause = min(pause * 2, 1_000)
    }
    return shared.post(RecordedEvent(.suspend, ["SIGSTOP"]), about: .process(pid))
  }

  /// Records that the process resumes, then lets it run.
  @discardableResult
  public func resume(pid: Int32, reason: String) throws(RecorderError) -> HostTime {
    let event = RecordedEvent(.resume, [.name(reason), "SIGCONT"])
    let time = shared.post(event, about: .process(pid))
    let code = kill(pid, SIGCONT)
    let error = systemError("continue", "process \(pid)")
    shared.state.withLock { _ = $0.suspended.remove(pid) }
    guard code == 0 else { throw error }
    return time
  }

  /// Names the cause of an exit that the process was asked for and will make by itself.
  ///
  /// A signal that ends it instead keeps its own cause.
  public func expectExit(pid: Int32, cause: String) {
    shared.state.withLock { $0.expectedExits[pid] = cause }
  }

  /// Kills a process; its exit event tells this cause.
  public func kill(pid: Int32, _ death: Death) throws(RecorderError) {
    shared.state.withLock { $0.deaths[pid] = death }
    guard kill(pid, death.signal) == 0 else {
      let error = systemError("kill", "process \(pid)")
      shared.state.withLock { _ = $0.deaths.removeValue(forKey: pid) }
      throw error
    }
    // A stopped process takes any signal but SIGKILL only when it continues.
    if death.signal != SIGKILL { _ = kill(pid, SIGCONT) }
  }

  private func kill(_ pid: Int32, _ signal: Int32) -> Int32 { Glibc.kill(pid, signal) }
}
