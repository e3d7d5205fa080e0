// SPDX-License-Identifier: Apache-2.0

/// The sequence numbers of a stream that a recording has: whole stretches, in order.
public struct HeldSequences: Sendable {
  /// The first of each stretch, and the one behind its last.
  private var stretches: [(first: UInt64, end: UInt64)] = []

  /// A set without sequence numbers.
  public init() {}

  /// Adds a chunk's numbers; chunks come in order.
  public mutating func add(_ first: UInt64, _ end: UInt64) {
    guard end > first else { return }
    if let last = stretches.last, first <= last.end {
      stretches[stretches.count - 1].end = max(last.end, end)
    } else {
      stretches.append((first, end))
    }
  }

  /// Whether the event of that number is there.
  public func contains(_ sequence: UInt64) -> Bool {
    // The greatest number is never held, and has none behind it.
    contains(sequence..<max(sequence, sequence &+ 1))
  }

  /// Whether all events of these numbers are there; one look-up among the stretches.
  package func contains(_ numbers: Range<UInt64>) -> Bool {
    var (low, high) = (0, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].end > numbers.lowerBound { high = middle } else { low = middle + 1 }
    }
    return low < stretches.count && stretches[low].first <= numbers.lowerBound
      && numbers.upperBound <= stretches[low].end
  }
}
