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

/// Where the points of a pair cannot all be true at any rate that clocks have.
struct PairScan {
  /// One of the clocks has stepped between two points that exclude each other.
  struct Step {
    var before: PairPoint
    var after: PairPoint
  }

  var steps: [Step] = []
  /// Indices of evidence that the points around it contradict.
  var odd: [Int] = []
  /// Where several odd points in a row may be wrong, or both clocks have stepped by as much: what one of
  /// them showed then is not known by the other.
  var gaps: [Step] = []
  var count: Int

  /// So many points in a row that contradict what came before are a step; fewer are wrong themselves.
  static let stepPointsMin = 3

  /// Goes once through `points`, which are in order of x; `rate` bounds the difference of the rates.
  init(_ points: [PairPoint], rate: Double) {
    count = points.count
    var bounds = OpenBounds(rate: rate)
    var held = 0..<0
    /// Those that contradict the bounds, and each other not.
    var other = OpenBounds(rate: rate)
    var others: [Int] = []
    for (index, point) in points.enumerated() {
      let fits = bounds.allows(point)
      if others.isEmpty {
        if fits {
          bounds.add(point)
          held = held.lowerBound..<index + 1
          continue
        }
      } else if fits {
        // A point that both allow says nothing about which of them is right.
        if other.allows(point) { continue }
        setAside(points, held, others, rate, until: point)
        others = []
        other = OpenBounds(rate: rate)
        bounds.add(point)
        held = held.lowerBound..<index + 1
        continue
      } else if !other.allows(point) {
        setAside(points, held, others, rate, until: point)
        others = []
        other = OpenBounds(rate: rate)
      }
      others.append(index)
      other.add(point)
      if others.count >= Self.stepPointsMin {
        note(points, held, others, rate)
        bounds = other
        held = others[0]..<index + 1
        others = []
        other = OpenBounds(rate: rate)
      }
    }
    // Too few to tell a step from a mistake: after them either may be true.
    if !others.isEmpty { note(points, held, others, rate) }
  }

  private mutating func setAside(
    _ points: [PairPoint],
    _ held: Range<Int>,
    _ others: [Int],
    _ rate: Double,
    until point: PairPoint
  ) {
    odd += others.map { points[$0].evidence }
    guard others.count > 1, let step = Self.step(points, held, others, rate) else { return }
    gaps.append(Step(before: step.before, after: point))
  }

  private mutating func note(
    _ points: [PairPoint],
    _ held: Range<Int>,
    _ others: [Int],
    _ rate: Double
  ) {
    if let step = Self.step(points, held, others, rate) { steps.append(step) }
  }

  /// The step lies between the last point that excludes one of `others` and that one.
  private static func step(
    _ points: [PairPoint],
    _ held: Range<Int>,
    _ others: [Int],
    _ rate: Double
  ) -> Step? {
    for index in held.reversed() {
      let point = points[index]
      var bounds = OpenBounds(rate: rate)
      bounds.add(point)
      guard let first = others.first(where: { !bounds.allows(points[$0]) }) else { continue }
      return Step(before: point, after: points[first])
    }
    return nil
  }
}
