// SPDX-License-Identifier: Apache-2.0

/// Which numbers of one writer somebody has: stretches, in whatever order they came.
package struct Held: Sendable, Hashable {
  /// In order, and none of them touches the next.
  package private(set) var stretches: [Range<UInt64>] = []

  /// None.
  package init() {}

  /// Those of `stretches`, which may touch and overlap; empty ones add nothing.
  package init(_ stretches: [Range<UInt64>]) {
    for stretch in stretches { insert(stretch) }
  }

  /// Adds numbers; time goes with the stretches behind them, mostly none.
  package mutating func insert(_ numbers: Range<UInt64>) {
    guard !numbers.isEmpty else { return }
    let low = firstStretch { $0.upperBound >= numbers.lowerBound }
    var high = low
    var joined = numbers
    while high < stretches.count, stretches[high].lowerBound <= numbers.upperBound {
      let stretch = stretches[high]
      joined =
        min(joined.lowerBound, stretch.lowerBound)..<max(joined.upperBound, stretch.upperBound)
      high += 1
    }
    stretches.replaceSubrange(low..<high, with: [joined])
  }

  /// Whether all of these numbers are there.
  package func contains(_ numbers: Range<UInt64>) -> Bool {
    let index = firstStretch { $0.upperBound >= numbers.upperBound }
    return index < stretches.count && stretches[index].lowerBound <= numbers.lowerBound
  }

  /// Behind the numbers that are there without a gap from the first one on; 0 where there are none.
  package var contiguousTo: UInt64 { stretches.first?.upperBound ?? 0 }
  /// Behind the greatest number.
  package var end: UInt64 { stretches.last?.upperBound ?? 0 }
  /// What is missing between those that are there.
  package var gaps: [Range<UInt64>] {
    zip(stretches, stretches.dropFirst()).map { $0.upperBound..<$1.lowerBound }
  }

  /// How many numbers are there.
  package var count: UInt64 { stretches.reduce(0) { $0 + UInt64($1.count) } }

  private func firstStretch(where isBehind: (Range<UInt64>) -> Bool) -> Int {
    var (low, high) = (0, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(stretches[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
