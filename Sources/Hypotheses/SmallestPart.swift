// SPDX-License-Identifier: Apache-2.0

/// The smallest part of `whole`, of `count` pieces, of which none can be left out.
///
///     let small = try smallestPart(of: scenario, count: \.steps.count) { scenario, range in … }
///
/// `without` returns the rest where it still does what is asked, else nil. Halves are left out first,
/// then quarters, and at last single pieces, again and again until none can be: that takes some
/// *k* log *n* trials where *k* of *n* pieces are needed.
package func smallestPart<Whole>(
  of whole: Whole,
  count: (Whole) -> Int,
  without: (Whole, Range<Int>) throws -> Whole?
) rethrows -> Whole {
  var best = whole
  var length = max(1, count(best) / 2)
  while true {
    var isSmaller = false
    var first = 0
    while first < count(best) {
      let end = min(first + length, count(best))
      if let rest = try without(best, first..<end) {
        best = rest
        isSmaller = true
      } else {
        first = end
      }
    }
    if length == 1, !isSmaller { return best }
    length = isSmaller ? min(length, max(1, count(best) / 2)) : max(1, length / 2)
  }
}
