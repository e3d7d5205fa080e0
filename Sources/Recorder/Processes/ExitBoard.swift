// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// How one process ended, once it has; where other threads wait for it.
///
/// The party that started the process keeps it, so that the end of another one which gets the same
/// number is never taken for its own.
final class Exit: Sendable {
  private struct State {
    var status: ExitStatus?
    /// How many ends there were before and with it; 0 while the process lives.
    var number = 0
    var waiting: [DispatchSemaphore] = []
  }
  private let state = Mutex(State())

  var status: ExitStatus? { state.withLock { $0.status } }
  var number: Int { state.withLock { $0.number } }

  /// The first end counts.
  func end(_ status: ExitStatus, number: Int) {
    let waiting = state.withLock { state -> [DispatchSemaphore] in
      guard state.status == nil else { return [] }
      state.status = status
      state.number = number
      defer { state.waiting = [] }
      return state.waiting
    }
    for semaphore in waiting { semaphore.signal() }
  }

  func wait(nanoseconds: Int64) -> ExitStatus? {
    let semaphore = DispatchSemaphore(value: 0)
    let known = state.withLock { state -> ExitStatus? in
      if state.status == nil { state.waiting.append(semaphore) }
      return state.status
    }
    if let known { return known }
    let limit =
      nanoseconds == .max ? .distantFuture : DispatchTime.now() + .nanoseconds(Int(nanoseconds))
    _ = semaphore.wait(timeout: limit)
    return status
  }
}

/// The latest process of each number: the started ones that live, and those that ended lately.
final class ExitBoard: Sendable {
  private struct State {
    var latest: [Int32: Exit] = [:]
    var ends = 0
    /// Those that have ended, the oldest first: only the newest are kept.
    var ended: [Int32] = []
  }
  private let state = Mutex(State())

  /// A launch is reported at once; fewer processes than this end before that.
  private static let endedMax = 4_096

  /// How the latest process of that number ended; nil while it lives, and where that was long ago.
  func status(of pid: Int32) -> ExitStatus? { exit(of: pid)?.status }

  func exit(of pid: Int32) -> Exit? { state.withLock { $0.latest[pid] } }

  /// How many ends there were so far; taken before a process is started.
  var ends: Int { state.withLock { $0.ends } }

  /// A process of this id was started after `ends` ends; its own end may be reported already.
  func begin(_ pid: Int32, after ends: Int) -> Exit {
    state.withLock { state in
      if let known = state.latest[pid], known.number > ends { return known }
      let exit = Exit()
      state.latest[pid] = exit
      return exit
    }
  }

  /// The process has ended; `exit` is its own where it was started here.
  func end(_ pid: Int32, _ status: ExitStatus, of exit: Exit?) {
    state.withLock { state in
      state.ends += 1
      // Told within this lock, or `begin` could take an end that is on its way for a process that lives.
      own(exit, pid, &state).end(status, number: state.ends)
      state.ended.append(pid)
      guard state.ended.count > 2 * Self.endedMax else { return }
      for old in state.ended.prefix(Self.endedMax) where state.latest[old]?.status != nil {
        state.latest[old] = nil
      }
      state.ended.removeFirst(Self.endedMax)
    }
  }

  private func own(_ exit: Exit?, _ pid: Int32, _ state: inout State) -> Exit {
    if let exit { return exit }
    if let latest = state.latest[pid], latest.status == nil { return latest }
    let other = Exit()
    state.latest[pid] = other
    return other
  }
}
