// SPDX-License-Identifier: Apache-2.0
import CLifetraceUnseen
import Dispatch
import LifetracePlatform
import Synchronization

extension FollowedWork {
  /// How long threads are waited for.
  enum Settling {
    /// Nanoseconds of processor time that the work of one moment may take, and be called none.
    static let computingMax: Int64 = 1_000_000_000
    /// Nanoseconds that all of its threads may sleep at a time, as one does that waits for a lock
    /// which a thread of somebody else holds, on a busy machine.
    static let sleepingMax: Int64 = 1_000_000_000
    /// Nanoseconds in which a thread was to be had (``PoolTime``) for work that does not begin, behind
    /// which it stands behind other work on a queue that serves one at a time.
    static let behindMax: Int64 = 50_000_000
    /// Nanoseconds for which sleep is waited for that has passed in virtual time, where main waits too.
    static let nappingMax: Int64 = 60_000_000_000
    /// Nanoseconds after which it is looked what they do.
    static let interval = 2_000_000
  }

  /// Returns when all that was begun has ended, as far as that takes no virtual time.
  func settle() {
    repeat {
      open()
      waitForThreads()
    } while takeGroups()
  }

  /// Takes what waited for groups that are empty; whether there was any.
  private func takeGroups() -> Bool {
    let all = state.withLock { state in
      defer { state.groups = [] }
      return state.groups
    }
    guard !all.isEmpty else { return false }
    let empty = all.filter { $0.group.map(lt_group_is_empty) ?? true }
    state.withLock { state in
      state.groups += all.filter { one in !empty.contains { $0 === one } }
    }
    for piece in empty.compactMap({ $0.take() }) { take(piece) }
    return !empty.isEmpty
  }

  /// Those of the threads that run.
  var threadFacts: [pid_t: ThreadFacts] { look().threads }

  private struct Look {
    var running: Int
    var parked: Int
    var threads: [pid_t: ThreadFacts]
    /// What they have computed for the app, in nanoseconds.
    var used: Int64
    /// Those that have begun all sleep.
    var isAsleep: Bool
    /// How many are still to begin.
    var waiting: Int { running - threads.count }

    /// Whether all that have begun wait for others.
    var isParked: Bool { isAsleep && parked >= threads.count && !threads.isEmpty }
  }

  private func look() -> Look {
    let known = state.withLock { $0 }
    var facts: [pid_t: ThreadFacts] = [:]
    var used: Int64 = 0
    for (thread, worker) in known.threads {
      guard let now = ThreadFacts(thread) else { continue }
      facts[thread] = now
      used += now.cpu - worker.cpu
    }
    return Look(
      running: known.running,
      parked: known.parked,
      threads: facts,
      used: used,
      isAsleep: facts.count == known.threads.count && facts.values.allSatisfy(\.isAsleep)
    )
  }

  private func waitForThreads() {
    func isDone() -> Bool { state.withLock { $0.running <= $0.given } }
    guard !isDone() else { return }
    var last = look()
    // As when they were last seen to wait for others: nobody has woken them up.
    if last.isParked, state.withLock({ $0.quiet == last.threads && $0.behind >= last.waiting }) {
      return
    }
    var movedAt = Self.now
    var pool = PoolTime()
    while !isDone() {
      if ended.wait(timeout: .now() + .nanoseconds(Settling.interval)) == .success { continue }
      let look = look()
      if look.used > Settling.computingMax { return give("work that computes for seconds") }
      let sleepsOn = look.isAsleep && last.isAsleep && look.threads == last.threads
      let now = Self.now
      if look.threads != last.threads || look.running != last.running {
        (movedAt, pool) = (now, PoolTime())
      }
      last = look
      if sleepsOn, look.isParked {
        // What has not begun may stand behind those on their queue.
        if look.waiting > 0 { pool.look(at: now) }
        guard look.waiting == 0 || pool.passed > Settling.behindMax else { continue }
        return state.withLock { ($0.quiet, $0.behind) = (look.threads, look.waiting) }
      }
      guard now - movedAt > Settling.sleepingMax else { continue }
      if sleepsOn, waitsForNap(now - movedAt) {
        movedAt = now
        continue
      }
      if sleepsOn, look.waiting == 0 { return give("work that waits in real time") }
      // A busy machine takes its time to begin with a thread, and a disk to write.
      pool.look(at: now)
      if pool.passed > Standstill.limit { return give("work that does not begin or end") }
    }
  }

  /// Whether threads that sleep are waited for, behind that many nanoseconds: those whose sleep ends by
  /// itself, while the simulator's thread can do nothing but wait.
  private func waitsForNap(_ passed: Int64) -> Bool {
    state.withLock { state in
      let isWaiting = if case .waiting = state.main { true } else { state.isPassing }
      guard isWaiting, state.napping > 0, state.napped < Settling.nappingMax else { return false }
      state.napped += passed
      return true
    }
  }

  /// Waits no longer for those that run now.
  private func give(_ what: String) {
    state.withLock { state in
      state.given = state.running
      state.stuckText = state.stuckText ?? what
    }
  }

  private static var now: Int64 { CallbackTime.read(CLOCK_MONOTONIC) }

  // MARK: Waits of the app's code

  /// The simulator's thread waits for others, until a virtual time at most.
  func pass(until deadline: Int64) -> lt_passing {
    let begun = state.withLock {
      $0.isPassing = true
      return $0.running + $0.held.count
    }
    let main = change(to: .elsewhere)
    defer {
      change(to: main)
      state.withLock { $0.isPassing = false }
    }
    settle()
    let running = state.withLock(\.running)
    if running < begun || whileWaiting(deadline) { return LT_PASSING_ON }
    return deadline < .max && running == 0 ? LT_PASSING_OVER : LT_PASSING_STUCK
  }

  /// This thread sleeps in virtual time.
  func sleep(nanoseconds: Int64) {
    guard let surroundings else { return }
    guard lt_followed_number() != 0 else { return surroundings.pause(nanoseconds: nanoseconds) }
    let isOver = DispatchSemaphore(value: 0)
    state.withLock { $0.parked += 1 }
    let due = surroundings.time(in: nanoseconds)
    surroundings.enqueue(queue: Self.delayedQueue, due: due) { [weak self] in
      // Before it is woken up: from then on it is waited for again.
      self?.state.withLock { $0.parked -= 1 }
      isOver.signal()
    }
    isOver.wait()
  }
}
