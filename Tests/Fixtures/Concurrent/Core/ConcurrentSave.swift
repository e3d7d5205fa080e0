// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation

/// A way in which an app does something outside its callback, each as apps have it.
public enum ConcurrentSave: String, CaseIterable, Sendable {
  // In little time.
  case mainTask, detachedTask, actor, taskGroup, sleepingTask
  case main, mainAfter, global, after, serial, barrier, dispatchItem, group, groupNotify,
    toMainAndBack
  case operation, mainOperation, thread
  // In more time than the system leaves to an app that asks for none, at a time scale up to 5.
  case longTask, longSleep, longAfter, longThread
  // The callback waits for it.
  case waitedFor, waitedForLong, sync, perform
  // The callback waits for work that sleeps.
  case behindIt, behindItAlone, behindItFlagged, itemWaited, operationWaited, joined,
    posixSemaphore,
    condition, conditionOfQueue, conditionOfThread, locked
  // On Foundation's run loop.
  case timer, runLoopPerform, runLoopPerformElsewhere

  /// Virtual time does not follow these.
  public static let onRunLoop: Set<Self> = [.timer, .runLoopPerform, .runLoopPerformElsewhere]
  /// Those that virtual time follows.
  public static let followed = allCases.filter { !onRunLoop.contains($0) }
  /// It takes real time to sleep on a thread, in both worlds.
  public static let sleeps: Set<Self> = [.longSleep, .longThread]
  /// The system suspends an app before such a save, unless a background task keeps it awake.
  public static let isLong: Set<Self> = [.longTask, .longSleep, .longAfter, .longThread]

  private actor Keeper {
    func keep(_ save: @Sendable () -> Void) { save() }
  }

  private static let short = 0.002
  private static let long = 0.9

  /// Saves in this way.
  @MainActor
  public func run(_ save: @escaping @Sendable () -> Void) {
    switch self {
    case .mainTask: Task { @MainActor in save() }
    case .detachedTask: Task.detached { save() }
    case .actor:
      let keeper = Keeper()
      Task { await keeper.keep(save) }
    case .taskGroup:
      Task.detached {
        let sum = await withTaskGroup(of: Int.self) { group in
          for number in 1...4 { group.addTask { number } }
          return await group.reduce(0, +)
        }
        await MainActor.run { precondition(sum == 10) }
        save()
      }
    case .sleepingTask: Self.task(after: Self.short, save)
    case .main: DispatchQueue.main.async { save() }
    case .mainAfter: DispatchQueue.main.asyncAfter(deadline: .now() + Self.short) { save() }
    case .global: DispatchQueue.global().async { save() }
    case .after: DispatchQueue.global().asyncAfter(deadline: .now() + Self.short) { save() }
    case .serial: DispatchQueue(label: "saving").async { save() }
    case .barrier:
      DispatchQueue(label: "state", attributes: .concurrent).async(flags: .barrier) { save() }
    case .dispatchItem: DispatchQueue.global().async(execute: DispatchWorkItem(block: save))
    case .group: DispatchQueue.global().async(group: DispatchGroup()) { save() }
    case .groupNotify:
      let group = DispatchGroup()
      for _ in 1...3 { DispatchQueue.global().async(group: group) {} }
      group.notify(queue: .main) { save() }
    case .toMainAndBack:
      DispatchQueue.global().async {
        DispatchQueue.main.sync {}
        save()
      }
    case .operation: OperationQueue().addOperation { save() }
    case .mainOperation: OperationQueue.main.addOperation { save() }
    case .thread: Thread.detachNewThread { save() }
    case .longTask, .longAfter, .longSleep, .longThread: runLong(save)
    case .waitedFor, .waitedForLong: wait(for: save)
    case .timer, .runLoopPerform, .runLoopPerformElsewhere: runOnLoop(save)
    case .sync: DispatchQueue(label: "saving").sync { save() }
    case .behindIt, .behindItAlone, .behindItFlagged, .itemWaited, .operationWaited, .joined,
      .posixSemaphore, .condition, .conditionOfQueue, .conditionOfThread, .locked:
      waitAsleep(for: save)
    case .perform: DispatchQueue.concurrentPerform(iterations: 3) { if $0 == 1 { save() } }
    }
  }

  private func runOnLoop(_ save: @escaping @Sendable () -> Void) {
    switch self {
    case .timer:
      _ = Timer.scheduledTimer(withTimeInterval: Self.short, repeats: false) { _ in save() }
    case .runLoopPerform: RunLoop.main.perform(save)
    default: Thread.detachNewThread { RunLoop.main.perform(save) }
    }
  }

  private func runLong(_ save: @escaping @Sendable () -> Void) {
    switch self {
    case .longTask: Self.task(after: Self.long, save)
    case .longAfter: DispatchQueue.global().asyncAfter(deadline: .now() + Self.long) { save() }
    case .longSleep:
      DispatchQueue.global().async {
        usleep(useconds_t(Self.long * 1e6))
        save()
      }
    default:
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: Self.long)
        save()
      }
    }
  }

  private static func task(after seconds: Double, _ save: @escaping @Sendable () -> Void) {
    Task {
      try? await Task.sleep(for: .seconds(seconds))
      save()
    }
  }

  private func wait(for save: @escaping @Sendable () -> Void) {
    let saved = DispatchSemaphore(value: 0)
    let deadline = DispatchTime.now() + (self == .waitedForLong ? Self.long : 0)
    DispatchQueue.global().asyncAfter(deadline: deadline) {
      save()
      saved.signal()
    }
    saved.wait()
  }
}
