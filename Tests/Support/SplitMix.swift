// SPDX-License-Identifier: Apache-2.0

/// A small random generator whose whole state is its seed, so that a printed seed is a rerun.
public struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The sequence of a seed.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }

  /// A number in 0..<1.
  public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A number below `limit`.
  public mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// True once in `times`.
  public mutating func once(in times: Int) -> Bool { below(times) == 0 }
}
