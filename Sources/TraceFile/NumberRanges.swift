// SPDX-License-Identifier: Apache-2.0

/// Numbers of events, as ranges in ascending order.
struct NumberRanges {
  private var ranges: [Range<UInt64>] = []

  /// Adds numbers; none of them lies before the first one that was added last.
  mutating func add(_ new: Range<UInt64>) {
    if let last = ranges.last, new.lowerBound <= last.upperBound {
      ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, new.upperBound)
    } else {
      ranges.append(new)
    }
  }

  /// Whether all of the numbers are in it.
  func contains(_ numbers: Range<UInt64>) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= numbers.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].lowerBound <= numbers.lowerBound
      && numbers.upperBound <= ranges[low].upperBound
  }
}
