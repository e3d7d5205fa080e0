// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

/// The key of a row of any table, as two numbers.
struct RowKey: Hashable, Sendable, BitwiseCopyable {
  let first: UInt64
  let second: UInt64

  init(_ key: some FlatKey) { (first, second) = key.order }
}

/// How the rows of a table are followed from event to event.
///
/// Each event of the families of the table is about one row at most, so that what was known of all
/// others stands.
struct TrackedRows: Sendable {
  /// The row that an event is about.
  let of: @Sendable (borrowing Event, borrowing Names) -> RowKey
  /// Where it is; nil where it is gone.
  let at: @Sendable (borrowing LifeState, RowKey) -> Int?
  /// Which row is at a place.
  let key: @Sendable (borrowing LifeState, Int) -> RowKey
}
