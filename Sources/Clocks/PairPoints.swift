// SPDX-License-Identifier: Apache-2.0

/// What is known of how far a clock, here y, is ahead of another one, x: bounds at times of x.
///
/// A message from x to y bounds it from above when it was sent, one from y to x from below when it was
/// received. Times count from a base of each clock, so that nanoseconds of a hundred days are exact.
struct PairPoint {
  var x: Double
  var y: Double
  /// An upper bound of y at x; else a lower one.
  var isUpper: Bool
  /// The index of the evidence.
  var evidence: Int

  /// How far y may be ahead of x, beyond a trend.
  func offset(trend: Double) -> Double { y - x - trend * x }
}

/// The bounds that points leave at their times while they are gone through in order.
struct OpenBounds {
  /// The greatest difference of the two rates.
  let rate: Double
  private(set) var count = 0
  private var upper = Double.infinity
  private var lower = -Double.infinity
  private var at = 0.0

  /// Readings are whole nanoseconds.
  static let slack = 2.0

  init(rate: Double) { self.rate = rate }

  /// Whether a point may be true together with those that were added.
  func allows(_ point: PairPoint, trend: Double = 0) -> Bool {
    let grown = rate * max(0, point.x - at)
    let offset = point.offset(trend: trend)
    return point.isUpper
      ? offset >= lower - grown - Self.slack
      : offset <= upper + grown + Self.slack
  }

  mutating func add(_ point: PairPoint, trend: Double = 0) {
    let grown = rate * max(0, point.x - at)
    upper += grown
    lower -= grown
    at = max(at, point.x)
    let offset = point.offset(trend: trend)
    if point.isUpper { upper = min(upper, offset) } else { lower = max(lower, offset) }
    count += 1
  }
}
