// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Virtual nanoseconds: time passes when the simulator says so.
///
/// Atomic only because app code may read it from a thread of its own; the
/// simulator alone moves it.
final class VirtualClock: Sendable {
  private let nanoseconds = Atomic<Int64>(0)

  var now: Int64 { nanoseconds.load(ordering: .relaxed) }

  func set(_ time: Int64) { nanoseconds.store(time, ordering: .relaxed) }
}
