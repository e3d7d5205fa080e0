// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Who has ended and how; where other threads wait for it.
final class ExitBoard: Sendable {
  private struct State {
    var ended: [Int32: ExitStatus] = [:]
    var waiting: [Int32: [DispatchSemaphore]] = [:]
  }
  private let state = Mutex(State())

  func status(of pid: Int32) -> ExitStatus? { state.withLock { $0.ended[pid] } }

  /// A process of this id was started: forgets an earlier one of the same id.
  func begin(_ pid: Int32) { state.withLock { $0.ended[pid] = nil } }

  func end(_ pid: Int32, _ status: ExitStatus) {
    let waiting = state.withLock { state in
      state.ended[pid] = status
      return state.waiting.removeValue(forKey: pid) ?? []
    }
    for semaphore in waiting { semaphore.signal() }
  }

  func wait(for pid: Int32, nanoseconds: Int64) -> ExitStatus? {
    let semaphore = DispatchSemaphore(value: 0)
    let known = state.withLock { state -> ExitStatus? in
      if let status = state.ended[pid] { return status }
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
