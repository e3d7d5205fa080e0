// SPDX-License-Identifier: Apache-2.0

/// What the messages from one clock, x, to another one, y, prove: at a time of x, y shows at most so much.
///
/// Each message is the tip of a wedge, whose sides are as steep as the rates allow; the least of all
/// wedges bounds y. Only messages are kept whose tip no other wedge lies under: so the nearest ones
/// decide, a look takes as many steps as their count has binary digits, and nothing tight is lost.
struct Channel {
  private var xs: [Double] = []
  private var ys: [Double] = []
  /// The least and the greatest rate of y against x between messages.
  private let inner: (least: Double, greatest: Double)
  /// And outside of them, where no trend is supported.
  private let outer: (least: Double, greatest: Double)
  /// Where nothing is proved, on each clock.
  private let gaps: [(x: Doubt, y: Doubt)]
  /// How many messages it was made of.
  private(set) var evidenceCount = 0

  /// `points` in order of x.
  init(
    _ points: some Sequence<(x: Double, y: Double)>,
    rate: PairRate,
    limit: Double,
    gaps: [(x: Doubt, y: Doubt)] = []
  ) {
    self.gaps = gaps
    inner = (1 + rate.trend - rate.wander, 1 + rate.trend + rate.wander)
    outer = (min(1 - limit, inner.least), max(1 + limit, inner.greatest))
    for point in points {
      evidenceCount += 1
      if let x = xs.last, let y = ys.last,
        y + inner.greatest * (point.x - x) <= point.y
      {
        continue
      }
      while let x = xs.last, let y = ys.last, point.y - inner.least * (point.x - x) <= y {
        xs.removeLast()
        ys.removeLast()
      }
      xs.append(point.x)
      ys.append(point.y)
    }
  }

  /// The most that y shows at this time of x.
  func upper(_ x: Double) -> Double {
    guard x.isFinite else { return x }
    guard !gaps.contains(where: { $0.x.from < x && x < $0.x.to }) else { return .infinity }
    let next = xs.partitioningIndex { $0 > x }
    var bound = Double.infinity
    if next > 0 {
      let rate = next == xs.count ? outer.greatest : inner.greatest
      bound = ys[next - 1] + rate * (x - xs[next - 1])
    }
    if next < xs.count {
      let rate = next == 0 ? outer.least : inner.least
      bound = min(bound, ys[next] - rate * (xs[next] - x))
    }
    return bound
  }

  /// The least that x shows at this time of y: the same bound, read the other way.
  func lower(_ y: Double) -> Double {
    guard y.isFinite else { return y }
    guard !gaps.contains(where: { $0.y.from < y && y < $0.y.to }) else { return -.infinity }
    let next = ys.partitioningIndex { $0 > y }
    var bound = -Double.infinity
    if next > 0 {
      let rate = next == ys.count ? outer.greatest : inner.greatest
      bound = xs[next - 1] + (y - ys[next - 1]) / rate
    }
    if next < ys.count {
      let rate = next == 0 ? outer.least : inner.least
      bound = max(bound, xs[next] - (ys[next] - y) / rate)
    }
    return bound
  }
}

extension Array {
  /// The first index at which `isSecond` holds, in an array sorted so that it holds from there on.
  func partitioningIndex(_ isSecond: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
