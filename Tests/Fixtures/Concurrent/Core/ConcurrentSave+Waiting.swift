// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Glibc
import LifetraceApp

/// The ways in which main waits for a thread that sleeps before it saves.
extension ConcurrentSave {
  private static let moment: useconds_t = 2_000

  func waitAsleep(for save: @escaping @Sendable () -> Void) {
    let work: @Sendable () -> Void = {
      usleep(Self.moment)
      save()
    }
    switch self {
    case .behindIt:
      let queue = DispatchQueue(label: "saving")
      queue.async(execute: work)
      queue.sync {}
    case .behindItAlone:
      let queue = DispatchQueue(label: "state", attributes: .concurrent)
      queue.async(execute: work)
      queue.sync(flags: .barrier) {}
    case .behindItFlagged:
      let queue = DispatchQueue(label: "state", attributes: .concurrent)
      queue.async(execute: work)
      queue.sync(execute: DispatchWorkItem(flags: .barrier) {})
    case .itemWaited:
      let item = DispatchWorkItem(block: work)
      DispatchQueue.global().async(execute: item)
      item.wait()
    case .operationWaited:
      let queue = OperationQueue()
      queue.addOperation(work)
      queue.waitUntilAllOperationsAreFinished()
    case .joined: Self.join(work)
    case .posixSemaphore: Self.waitForPost(by: work)
    case .locked: Self.waitForLock(work)
    default: waitForCondition(work)
    }
  }

  private static func join(_ work: @escaping @Sendable () -> Void) {
    final class Box {
      let work: () -> Void
      init(_ work: @escaping () -> Void) { self.work = work }
    }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(work)).toOpaque()
    pthread_create(
      &thread,
      nil,
      { box in
        if let box { Unmanaged<Box>.fromOpaque(box).takeRetainedValue().work() }
        return nil
      },
      box
    )
    pthread_join(thread, nil)
  }

  private static func waitForPost(by work: @escaping @Sendable () -> Void) {
    // unsafe: only the semaphore's own calls touch it, and the last of them is the wait's return.
    nonisolated(unsafe) let isDone = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    sem_init(isDone, 0, 0)
    DispatchQueue.global().async {
      work()
      sem_post(isDone)
    }
    sem_wait(isDone)
  }

  /// Main comes to a lock that a thread holds while it sleeps.
  private static func waitForLock(_ work: @escaping @Sendable () -> Void) {
    let lock = NSLock()
    let isHeld = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      lock.lock()
      isHeld.signal()
      work()
      lock.unlock()
    }
    isHeld.wait()
    lock.lock()
    lock.unlock()
  }

  private func waitForCondition(_ work: @escaping @Sendable () -> Void) {
    let condition = NSCondition()
    // unsafe: the condition's lock is held wherever it is touched.
    nonisolated(unsafe) var isDone = false
    let end: @Sendable () -> Void = {
      work()
      condition.lock()
      isDone = true
      condition.signal()
      condition.unlock()
    }
    switch self {
    case .conditionOfQueue: WorkQueue(label: "saving").async(end)
    case .conditionOfThread: Thread.detachNewThread(end)
    default: DispatchQueue.global().async(execute: end)
    }
    condition.lock()
    while !isDone { condition.wait() }
    condition.unlock()
  }
}
