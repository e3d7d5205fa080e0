// SPDX-License-Identifier: Apache-2.0
public import LifetraceTimeline

/// A point in a recording that you can go back to.
///
///     let here = player.mark("before the edit")
///     player.step(.backward)
///     player.seek(to: here)
///
/// A mark costs a few bytes. It holds no state: seeking restores the nearest
/// checkpoint before it and runs forward, so a far mark is slow the first time.
public struct Mark: Comparable, Hashable, Sendable {
  /// Where it is.
  public let position: Position
  /// What it is called; empty for the places of the history.
  public let name: String

  /// Marks a position.
  public init(_ position: Position, name: String = "") {
    self.position = position
    self.name = name
  }

  /// Earlier first.
  public static func < (left: Mark, right: Mark) -> Bool { left.position < right.position }
}
