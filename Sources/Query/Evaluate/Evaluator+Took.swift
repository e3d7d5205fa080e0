// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace

// What took long has been open for long: where nothing is, no end need be asked how long ago its begin was.

extension Evaluator {
  /// More that is open is not looked through: a piece has as many events, and as few begin there that no
  /// table gets full.
  private static var openMax: Int { 4_096 }

  /// Whether the condition can hold at none of the events of some kinds that happened between two times,
  /// because none can have taken as long as it asks; `state` is the one before the first of them.
  ///
  /// Among the events none may be missing. False wherever it is not sure; it costs a look at everything that is
  /// open.
  package func isTooShort(
    _ kinds: KindSet,
    from first: HostTime,
    to last: HostTime,
    after state: borrowing LifeState,
    _ names: borrowing Names
  ) -> Bool {
    guard asksHowLong, let oldest = Self.oldestOpen(in: state) else { return false }
    bind(names)
    for kind in kinds.kinds {
      var most: Int64?
      if let begin = kind.beginning {
        // Of an end whose begin may be missing it is not known how long that was.
        guard state.completeness[begin.family].isWhole else { return false }
        let open = min(first.rawValue, oldest[Int(begin.rawValue)])
        most = max(0, last.rawValue.subtractingSaturated(open))
      }
      guard sieve.isDenied(kind, noLongerThan: most, literals) else { return false }
    }
    return true
  }

  /// By kind of begin, when that began which has been open for longest; nil where too much is open.
  private static func oldestOpen(in state: borrowing LifeState) -> [Int64]? {
    let count =
      state.spans.count + state.tasks.count + state.deadlines.count + state.resources.count
      + state.sharedHolds.count
    guard count <= openMax else { return nil }
    var oldest = [Int64](repeating: .max, count: Int(UInt8.max) + 1)
    func note(_ kind: EventKind, _ time: HostTime) {
      oldest[Int(kind.rawValue)] = min(oldest[Int(kind.rawValue)], time.rawValue)
    }
    for span in state.spans.values { note(span.kind, span.time) }
    for task in state.tasks.values { note(.taskBegin, task.time) }
    for deadline in state.deadlines.values { note(.deadlineOpen, deadline.time) }
    for held in state.resources.values { note(.resourceAcquire, held.time) }
    for held in state.sharedHolds.values { note(.resourceAcquire, held.time) }
    return oldest
  }
}
