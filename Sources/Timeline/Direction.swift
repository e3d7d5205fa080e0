// SPDX-License-Identifier: Apache-2.0

/// Which way time runs.
public enum Direction: Sendable {
  case forward
  case backward

  /// The other way.
  public var reversed: Direction { self == .forward ? .backward : .forward }
}
