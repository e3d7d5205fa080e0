// SPDX-License-Identifier: Apache-2.0

/// How long to wait before the next attempt: from 0.1 s to 30 s, twice as long each time, and a
/// random part of that, so that a thousand devices do not come back in one moment.
package struct Backoff: Sendable {
  /// The shortest upper bound, in milliseconds.
  package static let least = 100
  /// The longest one.
  package static let most = 30_000

  private var bound = least

  /// The first attempt.
  package init() {}

  /// Milliseconds to wait: half of the bound, and up to as much again by `random`.
  package mutating func next(_ random: UInt64) -> Int {
    defer { bound = min(bound * 2, Self.most) }
    return bound / 2 + Int(random % UInt64(bound / 2 + 1))
  }

  /// It went well: the next wait is short again.
  package mutating func reset() { bound = Self.least }
}
