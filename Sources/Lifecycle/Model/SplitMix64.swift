// SPDX-License-Identifier: Apache-2.0

/// Random numbers that a seed repeats: small, and the same everywhere.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The numbers of `seed`.
  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return mix(state)
  }
}
