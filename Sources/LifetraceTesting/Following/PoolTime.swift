// SPDX-License-Identifier: Apache-2.0
import CLifetraceUnseen
import Dispatch
import Synchronization

/// Real time in which Dispatch had a thread to spare for whoever waits for work to begin.
///
///     var time = PoolTime()
///     while !isDone() {
///       time.look(at: now)
///       if time.passed > limit { … }
///     }
///
/// Tests that run side by side share one pool with the app, of as many threads as there are processors.
/// While others compute there, what the app has handed over does not begin, for minutes on a small
/// machine. That is no fault of the app, and no time that counts against it: the pool is asked for a
/// thread again and again, and what counts is the time in which it has given one.
struct PoolTime {
  /// Counts the threads that were asked for: one of the queues, one of the tasks, which have a pool each.
  private final class Answer: Sendable {
    let count = Atomic(0)
    var isThere: Bool { count.load(ordering: .acquiring) == 2 }
    func add() { count.add(1, ordering: .releasing) }
  }

  /// Nanoseconds for which one answer stands at most.
  private static let answerMax: Int64 = 50_000_000

  /// Nanoseconds, at most those between the first look and the last.
  private(set) var passed: Int64 = 0
  private var asked: Int64 = 0
  private var answer: Answer?

  /// Counts up to now, in nanoseconds of the monotonic clock, if the pool has answered.
  mutating func look(at now: Int64) {
    if let answer {
      guard answer.isThere else { return }
      passed += min(now - asked, Self.answerMax)
    }
    let answer = Answer()
    (self.answer, asked) = (answer, now)
    // It is no work of the app, on whose thread this may run.
    let before = lt_follow(nil, 0)
    DispatchQueue.global().async { answer.add() }
    Task.detached { answer.add() }
    _ = lt_follow(before, 0)
  }
}
