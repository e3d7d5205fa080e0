// SPDX-License-Identifier: Apache-2.0

/// When a play is to end before its last step is over: the budget of a search is up, or somebody interrupts it.
package struct PlayLimit {
  /// Whether it is; asked before each step.
  package let isOver: () -> Bool
  /// How often waits ask too, in nanoseconds; nil for never, as in virtual time, which takes none.
  package let lookEach: Int64?

  /// Made of those two.
  package init(lookEach: Int64? = nil, isOver: @escaping () -> Bool) {
    (self.lookEach, self.isOver) = (lookEach, isOver)
  }
}
