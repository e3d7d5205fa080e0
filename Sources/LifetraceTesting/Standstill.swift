// SPDX-License-Identifier: Apache-2.0
import Dispatch
import LifetracePlatform
import Synchronization

/// Notices a simulation that no longer moves: an app waits for something that never comes.
///
///     let standstill = Standstill()
///     try standstill.watch { try director.play() }     // calls `moved(to:)` at each step
///
/// All apps of a simulation live in one process and on one thread. Where one of them lets time
/// pass, another may run inside that, and a lock or a semaphore that it waits for is never
/// released. That cannot be undone from outside, but it is reported once, after ten seconds of real
/// time.
final class Standstill: Sendable {
  private struct State {
    var moves: UInt64 = 0
    var app = ""
  }
  private let state = Mutex(State())
  private let limit: DispatchTimeInterval
  private let report: @Sendable (String) -> Void

  init(
    after limit: DispatchTimeInterval = .seconds(10),
    report: @escaping @Sendable (String) -> Void = { text in
      _ = Descriptor.write("lifetrace: \(text)\n", to: STDERR_FILENO)
    }
  ) {
    self.limit = limit
    self.report = report
  }

  /// The app of that name is given something to do.
  func moved(to app: String) {
    state.withLock {
      $0.moves &+= 1
      $0.app = app
    }
  }

  /// Runs `body`, and reports once if nothing moves in it for the limit.
  func watch<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    let seen = Mutex(state.withLock(\.moves))
    let isReported = Atomic(false)
    timer.schedule(deadline: .now() + limit, repeating: limit)
    timer.setEventHandler { [self] in
      let (moves, app) = state.withLock { ($0.moves, $0.app) }
      let before = seen.withLock { last in
        defer { last = moves }
        return last
      }
      guard moves == before, !isReported.exchange(true, ordering: .relaxed) else { return }
      report(
        "the simulation stands still in `\(app)`, which computes, or waits in real time: for a "
          + "lock or a semaphore of another app of the same simulation? In virtual time one app may "
          + "run while another lets time pass; processes of their own do not wait so: "
          + "lifetrace record --scenario"
      )
    }
    timer.activate()
    defer { timer.cancel() }
    return try body()
  }
}
