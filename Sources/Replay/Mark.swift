// SPDX-License-Identifier: Apache-2.0
package import LifetraceTimeline

/// A point in a recording that you can go back to.
///
///     let here = player.mark("before the edit")
///     player.step(.backward)
///     player.seek(to: here)
///
/// A mark costs a few bytes. It holds no state: seeking restores the nearest
/// checkpoint before it and runs forward, so a far mark is slow the first time.
package struct Mark: Comparable, Hashable, Sendable {
  /// The position that is marked.
  package let position: Position
  /// Its name; empty for the places of the history.
  package let name: String

  /// Marks a position.
  package init(_ position: Position, name: String = "") {
    self.position = position
    self.name = name
  }

  /// Whether the left mark is at the earlier position.
  package static func < (left: Mark, right: Mark) -> Bool { left.position < right.position }
}
