// SPDX-License-Identifier: Apache-2.0
package import Dispatch
import Synchronization

/// A serial queue off the main thread, real in a process and virtual in a simulator.
///
///     let saving = WorkQueue(label: "saving")
///     let pending = saving.asyncAfter(seconds: 2) { store.save() }
///     pending.cancel()
///
/// Each item is recorded as a span of work on its queue. Delays are nominal
/// seconds: the host's time scale applies to them.
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
  public func async(_ work: @escaping @Sendable () -> Void) {
    asyncAfter(seconds: 0, work)
  }

  /// Runs `work` when `seconds` have passed, unless it is cancelled before.
  @discardableResult
  public func asyncAfter(seconds: Double, _ work: @escaping @Sendable () -> Void) -> DelayedWork {
    let item = DelayedWork()
    let label = self.label
    surroundings.enqueue(
      {
        guard item.start() else { return }
        guard label == "main" else { return AppTrace.work(on: label, work) }
        work()
        MainActor.assumeIsolated { Application.shared.drawViews() }
      },
      on: self,
      after: surroundings.nanoseconds(seconds)
    )
    return item
  }
}

/// A delayed item of a ``WorkQueue``.
public final class DelayedWork: Sendable {
  private let state = Atomic<UInt8>(0)

  /// Keeps the item from running; false when it has begun.
  @discardableResult
  public func cancel() -> Bool {
    state.compareExchange(expected: 0, desired: 2, ordering: .acquiringAndReleasing).exchanged
  }

  func start() -> Bool {
    state.compareExchange(expected: 0, desired: 1, ordering: .acquiringAndReleasing).exchanged
  }
}
