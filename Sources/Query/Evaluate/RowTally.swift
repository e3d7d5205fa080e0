// SPDX-License-Identifier: Apache-2.0
import HeapModule
import LifetraceLifecycle
import LifetraceTrace

/// Of how many rows of a table a condition holds, kept up from event to event.
///
/// Looking through a table at each event that touches it takes as long as the table is, again and again.
/// This looks at the row that an event is about, and at those of which the condition comes out otherwise
/// by then through time alone.
struct RowTally {
  /// Of one row.
  private struct Row {
    var truth: Truth
    /// The time, on the clock of the writer, from which on the truth may be another one.
    var until: Int64
  }

  /// When a row is due to be looked at again.
  private struct Due: Comparable {
    let time: Int64
    let key: RowKey

    static func == (left: Due, right: Due) -> Bool { left.time == right.time }
    static func < (left: Due, right: Due) -> Bool { left.time < right.time }
  }

  /// The rows of which it holds, or may, or may once; of the others it never does as they are.
  private var rows: [RowKey: Row] = [:]
  private var dues = Heap<Due>()
  /// Of how many it holds.
  private(set) var yes = 0
  /// Of how many that is unknown.
  private(set) var unknown = 0
  /// Whether it is about the state that was seen last.
  private(set) var isCurrent = false
  /// The time up to which it is.
  private(set) var now = Int64.min
  /// What was known by then to be missing.
  private var completeness: [Completeness] = []

  mutating func forget() { isCurrent = false }

  /// Whether it is about a state in which the same is missing.
  func knows(_ table: StateTable, _ state: borrowing LifeState) -> Bool {
    guard isCurrent else { return false }
    for place in completeness.indices
    where state.completeness[table.families[place]] != completeness[place] { return false }
    return true
  }

  /// Begins anew, with no row.
  mutating func begin(_ table: StateTable, _ state: borrowing LifeState, at time: Int64) {
    self = RowTally()
    for family in table.families { completeness.append(state.completeness[family]) }
    (now, isCurrent) = (time, true)
  }

  /// A row has that truth until a time; nil for one that is gone.
  mutating func set(_ key: RowKey, _ truth: Truth?, until: Int64) {
    if let old = rows[key] { count(old.truth, -1) }
    guard let truth, truth != .no || until != .max else {
      rows[key] = nil
      return
    }
    rows[key] = Row(truth: truth, until: until)
    count(truth, 1)
    if until != .max { dues.insert(Due(time: until, key: key)) }
  }

  private mutating func count(_ truth: Truth, _ by: Int) {
    switch truth {
    case .yes: yes += by
    case .unknown: unknown += by
    case .no: break
    }
  }

  /// Goes on to a time: the next row that is to be looked at again by then, until there is none.
  mutating func due(by time: Int64) -> RowKey? {
    now = max(now, time)
    while let next = dues.min, next.time <= time {
      dues.removeMin()
      // One that was looked at since has another time.
      if rows[next.key]?.until == next.time { return next.key }
    }
    return nil
  }
}
