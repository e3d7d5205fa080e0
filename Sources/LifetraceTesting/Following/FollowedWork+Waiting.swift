// SPDX-License-Identifier: Apache-2.0
import CLifetraceUnseen
import Dispatch
import LifetracePlatform
import Synchronization

/// The simulator's thread in app code, and what goes on while that waits.
extension FollowedWork {
  /// What the app's code on the simulator's thread does.
  enum Main: Equatable {
    /// The simulator itself runs there.
    case elsewhere
    case computing
    /// It sleeps by itself, as it does in virtual time.
    case sleeping
    /// For others, in a call that only they can end; for what, in words.
    case waiting(String)
  }

  /// The simulator's thread changes over to `main`; returns what it did before.
  @discardableResult
  func change(to main: Main) -> Main {
    state.withLock { state in
      defer { state.main = main }
      state.moves &+= 1
      return state.main
    }
  }

  /// A call that only other threads can end begins, or ends; see `lt_follower`.
  func wait(_ what: String?, _ change: Int) {
    guard lt_followed_number() == 0 else { return state.withLock { $0.parked += change } }
    guard change > 0 else {
      // Whoever goes on in its place is through with what it does at the moment.
      return goingOn.withLock { _ in _ = self.change(to: .computing) }
    }
    self.change(to: what.map { .waiting($0) } ?? .sleeping)
    guard what != nil else { return }
    open()
    MainWatch.shared.look()
  }

  /// Another thread goes on for that of the simulator, while it does nothing further: what was begun
  /// runs, and then virtual time passes up to the next of what is due by `limit`.
  ///
  /// - Returns: Whether anything was due.
  func goOn(moves: UInt64, as facts: ThreadFacts, until limit: () -> Int64) -> Bool {
    settle()
    return goingOn.withLock { _ in
      guard state.withLock(\.moves) == moves, ThreadFacts(MainWatch.thread) == facts else {
        return false
      }
      return whileMainSleeps(limit())
    }
  }

  /// A piece of a queue of the simulation, `number` in the trace, begins on a thread of its own, as
  /// those behind it do from then on.
  func runAside(_ label: String, _ number: UInt32, _ work: @escaping @Sendable () -> Void) {
    let queue = state.withLock { state in
      let queue = state.aside[label] ?? DispatchQueue(label: label)
      state.aside[label] = queue
      return queue
    }
    let before = lt_follow(nil, 0)
    expect(1)
    queue.async { self.run(as: number, work) }
    _ = lt_follow(before, 0)
  }

  func isAside(_ label: String) -> Bool { state.withLock { $0.aside[label] != nil } }

  /// What rests on the app is undecidable from here on.
  func noteOutside(_ what: String) {
    state.withLock { $0.stuckText = $0.stuckText ?? what }
  }
}
