// SPDX-License-Identifier: Apache-2.0

/// Which way time runs.
package enum Direction: Sendable {
  case forward
  case backward

  /// The opposite direction.
  package var reversed: Direction { self == .forward ? .backward : .forward }
}
