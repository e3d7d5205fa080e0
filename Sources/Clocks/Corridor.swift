// SPDX-License-Identifier: Apache-2.0

/// Which straight lines leave all upper bounds above and all lower bounds below.
///
/// The slopes of these lines are the rates at which one clock may have gone ahead of the other.
struct Corridor {
  private let uppers: [(x: Double, offset: Double)]
  private let lowers: [(x: Double, offset: Double)]

  init(_ points: some Sequence<PairPoint>) {
    var above: [(x: Double, offset: Double)] = []
    var below: [(x: Double, offset: Double)] = []
    for point in points {
      if point.isUpper {
        above.append((point.x, point.offset(trend: 0)))
      } else {
        below.append((point.x, -point.offset(trend: 0)))
      }
    }
    uppers = Self.hull(above)
    lowers = Self.hull(below).map { ($0.x, -$0.offset) }
  }

  var isTwoSided: Bool { !uppers.isEmpty && !lowers.isEmpty }

  /// The lower convex hull of points in order of x.
  private static func hull(
    _ points: [(x: Double, offset: Double)]
  ) -> [(x: Double, offset: Double)] {
    var hull: [(x: Double, offset: Double)] = []
    for point in points {
      while let last = hull.last {
        if hull.count == 1 {
          guard last.x == point.x, last.offset >= point.offset else { break }
        } else {
          let from = hull[hull.count - 2]
          let turn =
            (last.x - from.x) * (point.offset - from.offset)
            - (last.offset - from.offset) * (point.x - from.x)
          guard turn <= 0 else { break }
        }
        hull.removeLast()
      }
      hull.append(point)
    }
    return hull
  }

  /// How wide the corridor is where it is narrowest, for lines of this slope; negative where none fits.
  private func gap(_ slope: Double) -> Double {
    var above = Double.infinity
    var below = -Double.infinity
    for point in uppers { above = min(above, point.offset - slope * point.x) }
    for point in lowers { below = max(below, point.offset - slope * point.x) }
    return above - below
  }

  /// The slopes of all lines that fit, within `limit` either way; nil where none does.
  func slopes(limit: Double) -> ClosedRange<Double>? {
    guard isTwoSided else { return nil }
    // The gap is concave in the slope.
    var (low, high) = (-limit, limit)
    for _ in 0..<60 {
      let left = low + (high - low) / 3
      let right = high - (high - low) / 3
      if gap(left) < gap(right) { low = left } else { high = right }
    }
    let best = (low + high) / 2
    guard gap(best) >= 0 else { return nil }
    return edge(from: best, to: -limit)...edge(from: best, to: limit)
  }

  private func edge(from inside: Double, to outside: Double) -> Double {
    guard gap(outside) < 0 else { return outside }
    var (inside, outside) = (inside, outside)
    for _ in 0..<50 {
      let middle = (inside + outside) / 2
      if gap(middle) >= 0 { inside = middle } else { outside = middle }
    }
    return outside
  }
}

/// How one clock goes against another: a trend, and what the rate may differ from it.
struct PairRate: Equatable {
  /// By how much y gains on x, as a fraction.
  var trend: Double
  /// How far the rate may be from the trend.
  var wander: Double

  /// The rates that the trend is left by, the least first, where as many stretches of so many nanoseconds
  /// support it; one alone does not show that a rate stays what it is.
  private static let wanders: [(wander: Double, window: Double, windowsMin: Int)] = [
    (1e-6, 100e9, 3), (50e-6, 100e9, 2), (50e-6, 20e9, 5),
  ]
  /// A trend needs so many points on each side.
  private static let pointsMin = 8
  /// And so many nanoseconds.
  private static let spanMin = 100e9

  /// No trend: each rate that two clocks may have.
  init(unknown limit: Double) {
    trend = 0
    wander = limit
  }

  /// The narrowest rate that `points`, in order of x, support.
  ///
  /// That a narrow rate contradicts nothing is not enough: in each stretch of the time the points must
  /// leave only rates that lie within half of it.
  init(_ points: [PairPoint], limit: Double) {
    self.init(unknown: limit)
    guard let first = points.first, let last = points.last, last.x - first.x >= Self.spanMin,
      points.count(where: \.isUpper) >= Self.pointsMin,
      points.count(where: { !$0.isUpper }) >= Self.pointsMin
    else { return }
    for (wander, window, windowsMin) in Self.wanders {
      let windows = Int((last.x - first.x) / window)
      guard windows >= windowsMin,
        let rates = Self.rates(points, windows: windows, limit: limit)
      else { continue }
      let least = rates.lowerBound
      let greatest = rates.upperBound
      guard greatest - least <= wander else { continue }
      let trend = (least + greatest) / 2
      guard Self.holds(points, trend, wander) else { continue }
      self.trend = trend
      self.wander = wander
      return
    }
  }

  /// From the least to the greatest rate that some stretch of time allows; nil where one says nothing.
  private static func rates(
    _ points: [PairPoint],
    windows: Int,
    limit: Double
  ) -> ClosedRange<Double>? {
    guard let first = points.first, let last = points.last else { return nil }
    let length = (last.x - first.x) / Double(windows)
    var range: ClosedRange<Double>?
    var start = 0
    for number in 1...windows {
      let end = number == windows ? Double.infinity : first.x + length * Double(number)
      let behind = points[start...].firstIndex { $0.x >= end } ?? points.endIndex
      guard let slopes = Corridor(points[start..<behind]).slopes(limit: limit) else { return nil }
      let low = min(range?.lowerBound ?? slopes.lowerBound, slopes.lowerBound)
      range = low...max(range?.upperBound ?? slopes.upperBound, slopes.upperBound)
      start = behind
    }
    return range
  }

  private static func holds(_ points: [PairPoint], _ trend: Double, _ wander: Double) -> Bool {
    var bounds = OpenBounds(rate: wander)
    for point in points {
      guard bounds.allows(point, trend: trend) else { return false }
      bounds.add(point, trend: trend)
    }
    return true
  }
}
