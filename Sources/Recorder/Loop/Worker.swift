// SPDX-License-Identifier: Apache-2.0

import DequeModule
import CLifetracePlatform
import Dispatch
import LifetracePlatform
import Synchronization

/// A thread of one's own, which lives as long as its work: Dispatch's threads come and go, and
/// the parent-death signal of a process fires when the *thread* that started it ends.
final class Worker: Sendable {
  private let work: @Sendable () -> Void
  private let name: String

  private init(_ name: String, _ work: @escaping @Sendable () -> Void) {
    self.name = name
    self.work = work
  }

  /// Runs `work` on a new thread; signals to the process go to others.
  static func start(_ name: String, _ work: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(Worker(name, work))
    var thread = pthread_t()
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    // A fault of the thread itself must reach its handler: a pool that was cut short is one.
    for number in [SIGBUS, SIGSEGV, SIGFPE, SIGILL] { sigdelset(&all, number) }
    pthread_sigmask(SIG_SETMASK, &all, &before)
    let code = pthread_create(
      &thread,
      nil,
      { argument in
        guard let argument else { return nil }
        let worker = Unmanaged<Worker>.fromOpaque(argument).takeRetainedValue()
        cplatform_name_thread(worker.name)
        worker.work()
        return nil
      },
      box.toOpaque()
    )
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard code == 0 else {
      box.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}

/// Does jobs in order on one long-lived thread.
final class JobThread: Sendable {
  private let jobs = Mutex(Jobs())
  private let available = DispatchSemaphore(value: 0)

  private struct Jobs: Sendable {
    var waiting: Deque<@Sendable () -> Bool> = []
    var isOver = false
  }

  private init() {}

  /// A thread that waits for jobs; nil when the system gives none.
  static func start(_ name: String) -> JobThread? {
    let jobs = JobThread()
    return Worker.start(name) { while jobs.step() {} } ? jobs : nil
  }

  private func step() -> Bool {
    available.wait()
    let job = jobs.withLock { $0.waiting.popFirst() }
    return job.map { $0() } ?? true
  }

  /// Runs `body` there and waits for it; nil after the end.
  func run<T: Sendable>(_ body: @escaping @Sendable () -> T) -> T? {
    let slot = Slot<T>()
    let isComing = enqueue {
      slot.value.withLock { $0 = body() }
      slot.done.signal()
      return true
    }
    guard isComing else { return nil }
    slot.done.wait()
    return slot.value.withLock { $0 }
  }

  private final class Slot<T: Sendable>: Sendable {
    let value = Mutex<T?>(nil)
    let done = DispatchSemaphore(value: 0)
  }

  /// Ends the thread after the jobs before.
  func end() { _ = enqueue(isLast: true) { false } }

  /// False when the last one stands there already.
  private func enqueue(isLast: Bool = false, _ job: @escaping @Sendable () -> Bool) -> Bool {
    let isTaken = jobs.withLock { jobs in
      guard !jobs.isOver else { return false }
      jobs.waiting.append(job)
      jobs.isOver = isLast
      return true
    }
    if isTaken { available.signal() }
    return isTaken
  }
}
