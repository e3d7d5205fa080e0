// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
package import LifetraceLifecycle

/// Random numbers that a seed repeats.
package typealias SeededRandom = SplitMix64

extension SeededRandom {
  /// The seed of this run: `LIFETRACE_SEED`, by default 1; failures print it.
  package static var seed: UInt64 { environment("LIFETRACE_SEED").flatMap { UInt64($0) } ?? 1 }

  /// A number in 0..<1.
  package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A number below `limit`.
  package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// True once in `times`.
  package mutating func once(in times: Int) -> Bool { below(times) == 0 }
}
