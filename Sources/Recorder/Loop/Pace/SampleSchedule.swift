// SPDX-License-Identifier: Apache-2.0

/// When processes are sampled: as often as two parts in a thousand of a core allow.
struct SampleSchedule {
  /// At least so long between two samples, in nanoseconds.
  private static let intervalMin: Int64 = 20_000_000
  private static let intervalsPerCost: Int64 = 500

  private var next: Int64 = 0

  func isDue(_ now: Int64) -> Bool { now >= next }

  /// A sample that began at `begin` took `cost` nanoseconds of processor time.
  mutating func sampled(at begin: Int64, cost: Int64) {
    next = begin + max(Self.intervalMin, cost * Self.intervalsPerCost)
  }
}
