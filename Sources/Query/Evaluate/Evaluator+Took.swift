// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace

// What took long has been open for long: where nothing is, no end need be asked how long ago its begin was.

extension Evaluator {
  /// More that is open is not looked through: a piece has as many events, and as few begin there that no
  /// table gets full.
  private static var openMax: Int { 4_096 }

  /// Those of some kinds at whose events, between two times, the condition cannot hold, because none of them can
  /// have taken as long as it asks; `state` is the one before the first event.
  ///
  /// Among the events none may be missing, and what they end must have begun where that was recorded: see
  /// ``unsure(_:after:)``. Costs a look at everything that is open.
  package func tooShort(
    _ kinds: KindSet,
    from first: HostTime,
    to last: HostTime,
    after state: borrowing LifeState,
    _ names: borrowing Names
  ) -> KindSet {
    var short = KindSet()
    guard asksHowLong, let oldest = Self.oldestOpen(in: state) else { return short }
    bind(names)
    for kind in kinds.kinds {
      var most: Int64?
      if let begin = kind.beginning {
        let open = min(first.rawValue, oldest[Int(begin.rawValue)])
        most = max(0, last.rawValue.subtractingSaturated(open))
      }
      if sieve.isDenied(kind, noLongerThan: most, literals) { short.insert(kind) }
    }
    return short
  }

  /// Those of some kinds that may end what began where that was not recorded; of such an end it is not known how
  /// long it took.
  package func unsure(_ kinds: KindSet, after state: borrowing LifeState) -> KindSet {
    var unsure = KindSet()
    for kind in kinds.kinds {
      guard let begin = kind.beginning, !state.completeness[begin.family].isWhole else { continue }
      unsure.insert(kind)
    }
    return unsure
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
