// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Random numbers that a seed repeats (splitmix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The numbers of `seed`.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return bits ^ (bits >> 31)
  }

  /// The seed of this run: `LIFETRACE_SEED`, by default 1; failures print it.
  public static var seed: UInt64 {
    getenv("LIFETRACE_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
  }
}

extension SeededRandom {
  /// A number in 0..<1.
  public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A number below `limit`.
  public mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// True once in `times`.
  public mutating func once(in times: Int) -> Bool { below(times) == 0 }
}
