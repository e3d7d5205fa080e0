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
public final class WorkQueue: Sendable {
  /// The name in the trace.
  public let label: String
  /// Nil in a simulator, which runs the items itself.
  package let dispatch: DispatchQueue?
  private let surroundings: any Surroundings

  /// A queue of the app that runs now.
  public init(label: String) {
    self.label = label
    surroundings = Application.shared.surroundings
    dispatch = surroundings is ProcessSurroundings ? DispatchQueue(label: label) : nil
  }

  private init(main surroundings: any Surroundings) {
    label = "main"
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
    let label = self.label
    let site = AppTrace.site(named: label, file, line)
    let delay = surroundings.nanoseconds(seconds)
    let item = DelayedWork(queue: label, at: AppTrace.site(file, line), isPutOff: delay > 0)
    surroundings.enqueue(
      {
        guard item.start() else { return }
        label == "main" ? work() : AppTrace.work(on: label, at: site, work)
      },
      on: self,
      after: delay
    )
    return item
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
