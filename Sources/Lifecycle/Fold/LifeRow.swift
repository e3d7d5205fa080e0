// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// One entry of each table of a state, for who goes through them one by one.
///
///     row.task = state.tasks.entries[0].value
package struct LifeRow {
  /// An object that the app keeps.
  package var object = DataObject(name: .empty)
  /// A background task that is held.
  package var task = OpenTask()
  /// A notification that waits.
  package var post = PendingNotification()
  /// A callback, turn, work or wait that is open.
  package var span = OpenSpan()
  /// A time budget that runs.
  package var deadline = OpenDeadline()
  /// A resource that is held.
  package var resource = HeldResource()
  /// A wake that was not completed.
  package var wake = OpenWake()
  /// The id of the entry loaded last, where its table has ids.
  package var id: UInt64 = 0

  /// Entries that say nothing.
  package init() {}
}
