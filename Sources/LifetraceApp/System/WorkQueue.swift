// SPDX-License-Identifier: Apache-2.0
package import Dispatch
import Lifetrace
import Synchronization

/// A serial queue off the main thread, real in a process and virtual in a simulator.
///
///     let saving = WorkQueue(label: "saving")
///     let pending = saving.asyncAfter(seconds: 2) { store.save() }
///     pending.cancel()
///
/// Each item is recorded as a span of work on its queue, with the line that handed it over; what is
/// put off, from there until it runs or is cancelled. Delays are nominal seconds: the host's time
/// scale applies to them.
///
/// A queue whose work can wait is suspended while the app is not active:
///
///     let thumbnails = WorkQueue(label: "thumbnails", isCritical: false)
///     …
///     func applicationWillResignActive(_ application: Application) { thumbnails.suspend() }
///     func applicationDidBecomeActive(_ application: Application) { thumbnails.resume() }
public final class WorkQueue: Sendable {
  /// The name in the trace.
  public let label: String
  /// Nil in a simulator, which runs the items itself.
  package let dispatch: DispatchQueue?
  private let surroundings: any Surroundings
  /// The running of a queue whose work can wait, as the trace knows it.
  private let running: Lifetrace.Resource?
  private let waiting = Mutex(Waiting())

  /// Items that have come up while the queue is suspended, in order.
  private struct Waiting {
    var isSuspended = false
    var items: [Item] = []
  }

  private struct Item: Sendable {
    let delayed: DelayedWork
    /// Of its span of work.
    let site: Lifetrace.Site
    let work: @Sendable () -> Void
  }

  /// A queue of the app that runs now; one that is not critical does what can wait.
  ///
  /// It is recorded of a queue that is not critical when it runs: as a resource, held from here up
  /// to ``suspend(file:line:)``.
  public init(
    label: String,
    isCritical: Bool = true,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    self.label = label
    surroundings = Application.shared.surroundings
    dispatch = surroundings is ProcessSurroundings ? DispatchQueue(label: label) : nil
    running = isCritical ? nil : Lifetrace.Resource(.init(label), .other, attribute: "queue")
    running?.acquire(file: file, line: line)
  }

  private init(main surroundings: any Surroundings) {
    label = "main"
    running = nil
    self.surroundings = surroundings
    dispatch = surroundings is ProcessSurroundings ? DispatchQueue.main : nil
  }

  /// The main queue, between the events of the main run loop.
  public static var main: WorkQueue { WorkQueue(main: Application.shared.surroundings) }

  /// Runs `work` as soon as the items before it are done.
  public func async(
    _ work: @escaping @Sendable () -> Void,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    asyncAfter(seconds: 0, work, file: file, line: line)
  }

  /// Runs `work` when `seconds` have passed, unless it is cancelled before.
  @discardableResult
  public func asyncAfter(
    seconds: Double,
    _ work: @escaping @Sendable () -> Void,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) -> DelayedWork {
    let delay = surroundings.nanoseconds(seconds)
    let item = DelayedWork(queue: label, at: AppTrace.site(file, line), isPutOff: delay > 0)
    enqueue(
      Item(delayed: item, site: AppTrace.site(named: label, file, line), work: work),
      after: delay
    )
    return item
  }

  private func enqueue(_ item: Item, after delay: Int64) {
    surroundings.enqueue({ self.perform(item) }, on: self, after: delay)
  }

  private func perform(_ item: Item) {
    let waits = waiting.withLock { waiting in
      if waiting.isSuspended { waiting.items.append(item) }
      return waiting.isSuspended
    }
    guard !waits, item.delayed.start() else { return }
    label == "main" ? item.work() : AppTrace.work(on: label, at: item.site, item.work)
  }

  /// Begins no item from here on; one that has begun goes on to its end.
  ///
  /// The main queue has no use for it.
  public func suspend(file: StaticString = #fileID, line: UInt32 = #line) {
    let wasRunning = waiting.withLock { waiting in
      defer { waiting.isSuspended = true }
      return !waiting.isSuspended
    }
    if wasRunning { running?.release(file: file, line: line) }
  }

  /// Goes on with the items that have waited, before those that come.
  public func resume(file: StaticString = #fileID, line: UInt32 = #line) {
    let items = waiting.withLock { waiting in
      guard waiting.isSuspended else { return nil as [Item]? }
      defer { waiting = Waiting() }
      return waiting.items
    }
    guard let items else { return }
    running?.acquire(file: file, line: line)
    for item in items { enqueue(item, after: 0) }
  }
}

/// A delayed item of a ``WorkQueue``.
public final class DelayedWork: Sendable {
  private let state = Atomic<UInt8>(0)
  private let queue: String
  private let site: Lifetrace.Site
  /// Of the wait, in the trace; 0 for an item that does not wait.
  private let id: UInt64

  init(queue: String, at site: Lifetrace.Site, isPutOff: Bool) {
    self.queue = queue
    self.site = site
    id = isPutOff ? AppTrace.delayed(on: queue, at: site) : 0
  }

  /// Keeps the item from running; false when it has begun.
  @discardableResult
  public func cancel(file: StaticString = #fileID, line: UInt32 = #line) -> Bool {
    let isCancelled = leave(for: 2)
    if isCancelled {
      AppTrace.delayedCancelled(on: queue, at: AppTrace.site(file, line), id: id)
    }
    return isCancelled
  }

  func start() -> Bool {
    let starts = leave(for: 1)
    if starts { AppTrace.delayedRuns(on: queue, at: site, id: id) }
    return starts
  }

  private func leave(for next: UInt8) -> Bool {
    state.compareExchange(expected: 0, desired: next, ordering: .acquiringAndReleasing).exchanged
  }
}
