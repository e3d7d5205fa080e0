// SPDX-License-Identifier: Apache-2.0

/// How many events are gone: said in the same words wherever a recording is counted.
///
///     EventsLost(count: 4, isAtLeast: true).text   // "at least 4 events lost"
public struct EventsLost: Hashable, Sendable {
  /// How many are known to be gone.
  public var count: UInt64
  /// Others are gone too, and could not be counted.
  public var isAtLeast: Bool

  /// `count` events, and maybe more.
  public init(count: UInt64 = 0, isAtLeast: Bool = false) {
    self.count = count
    self.isAtLeast = isAtLeast
  }

  /// Whether nothing is gone.
  public var isNone: Bool { count == 0 && !isAtLeast }

  /// `no events lost`, `4 events lost`, `at least 1 event lost`, `an unknown number of events lost`.
  public var text: String {
    if isNone { return "no events lost" }
    if count == 0 { return "an unknown number of events lost" }
    return (isAtLeast ? "at least " : "") + Quantity.count(count, "event") + " lost"
  }

  /// Adds without overflow: counts come from files.
  public mutating func add(_ more: UInt64) {
    let sum = count.addingReportingOverflow(more)
    count = sum.overflow ? .max : sum.partialValue
  }

  /// Adds what is gone elsewhere.
  public mutating func add(_ other: EventsLost) {
    add(other.count)
    isAtLeast = isAtLeast || other.isAtLeast
  }
}
