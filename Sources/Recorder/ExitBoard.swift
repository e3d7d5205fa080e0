// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Who has ended and how; where other threads wait for it.
final class ExitBoard: Sendable {
  private struct State {
    var ended: [Int32: (status: ExitStatus, number: Int)] = [:]
    var ends = 0
    var waiting: [Int32: [DispatchSemaphore]] = [:]
  }
  private let state = Mutex(State())

  func status(of pid: Int32) -> ExitStatus? { state.withLock { $0.ended[pid]?.status } }

  /// How many ends there were so far; taken before a process is started.
  var ends: Int { state.withLock { $0.ends } }

  /// A process of this id was started after `ends` ends: forgets an earlier one of the same id.
  ///
  /// Its own end may have been told already, and stays.
  func begin(_ pid: Int32, after ends: Int) {
    state.withLock { state in
      if let known = state.ended[pid], known.number <= ends { state.ended[pid] = nil }
    }
  }

  func end(_ pid: Int32, _ status: ExitStatus) {
    let waiting = state.withLock { state in
      state.ends += 1
      state.ended[pid] = (status, state.ends)
      return state.waiting.removeValue(forKey: pid) ?? []
    }
    for semaphore in waiting { semaphore.signal() }
  }

  func wait(for pid: Int32, nanoseconds: Int64) -> ExitStatus? {
    let semaphore = DispatchSemaphore(value: 0)
    let known = state.withLock { state -> ExitStatus? in
      if let known = state.ended[pid] { return known.status }
      state.waiting[pid, default: []].append(semaphore)
      return nil
    }
    if let known { return known }
    let limit =
      nanoseconds == .max ? .distantFuture : DispatchTime.now() + .nanoseconds(Int(nanoseconds))
    _ = semaphore.wait(timeout: limit)
    return status(of: pid)
  }
}
