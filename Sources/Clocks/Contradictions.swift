// SPDX-License-Identifier: Apache-2.0

/// Evidence that other evidence contradicts, set aside: by clock, by pair and by piece.
package struct Contradictions: Sendable, Equatable {
  /// A clock that most of its partners contradict.
  package struct Clock: Sendable, Equatable {
    /// The clock.
    package var clock: Int
    /// With how many other clocks it has evidence, and how many of them contradict it.
    package var partners: Int
    /// How many of the partners contradict it.
    package var against: Int
    /// How many pieces of evidence went with it.
    package var evidenceCount: Int
  }

  /// Two clocks whose evidence contradicts itself or that of others.
  package struct Pair: Sendable, Equatable {
    /// The two clocks, the one with the smaller number first.
    package var first, second: Int
    /// How many pieces of evidence went with it.
    package var evidenceCount: Int
  }

  /// Clocks that were set aside.
  package internal(set) var clocks: [Clock] = []
  /// Pairs of the other clocks that were set aside.
  package internal(set) var pairs: [Pair] = []
  /// Single pieces of evidence of the other pairs, by their index.
  package internal(set) var pieces: [Int] = []

  /// Whether nothing was set aside.
  package var isEmpty: Bool { clocks.isEmpty && pairs.isEmpty && pieces.isEmpty }
}
