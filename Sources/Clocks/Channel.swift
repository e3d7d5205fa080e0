// SPDX-License-Identifier: Apache-2.0

/// What the messages from one clock, x, to another one, y, prove: at a time of x, y shows at most so much.
///
/// Each message is the tip of a wedge, whose sides are as steep as the rates allow; the least of all
/// wedges bounds y. Only messages are kept whose tip no other wedge lies under: so the nearest ones
/// decide, a look takes as many steps as their count has binary digits, and nothing tight is lost.
///
/// Graphs share it: as a value it would be copied for each look.
final class Channel: Sendable {
  /// The messages that are kept.
  let corners: ChannelCorners
  /// Where nothing is known of rates.
  private let gaps: PairGaps
  /// The same, as the other clock has them.
  private let turned: PairGaps
  /// Whether there is no such place, so that corners are all.
  let isWhole: Bool
  /// How many messages it was made of.
  let evidenceCount: Int

  /// `points` in order of x, none of them in a gap.
  init(
    _ points: some Sequence<(x: Double, y: Double)>,
    rate: PairRate,
    limit: Double,
    gaps: PairGaps = PairGaps([])
  ) {
    self.gaps = gaps
    turned = gaps.turned
    isWhole = gaps.x.isEmpty && gaps.y.isEmpty
    let inner = (1 + rate.trend - rate.wander, 1 + rate.trend + rate.wander)
    let outer = (min(1 - limit, inner.0), max(1 + limit, inner.1))
    var xs: [Double] = []
    var ys: [Double] = []
    var evidenceCount = 0
    for point in points {
      evidenceCount += 1
      if let x = xs.last, let y = ys.last,
        !gaps.part(x, point.x), y + inner.1 * (point.x - x) <= point.y
      {
        continue
      }
      while let x = xs.last, let y = ys.last,
        !gaps.part(x, point.x), point.y - inner.0 * (point.x - x) <= y
      {
        xs.removeLast()
        ys.removeLast()
      }
      xs.append(point.x)
      ys.append(point.y)
    }
    corners = ChannelCorners(xs, ys, inner: inner, outer: outer)
    self.evidenceCount = evidenceCount
  }

  deinit { corners.deallocate() }

  /// The most that y shows at this time of x.
  func upper(_ x: Double) -> Double {
    guard !isWhole, x.isFinite else { return corners.upper(x) }
    // No clock runs back: at the end of a gap y shows no less than in it.
    if let gap = PairGaps.gap(gaps.x, x) { return upper(gap.to) }
    return corners.upper(x) { !gaps.part(min($0, x), max($0, x)) }
  }

  /// The least that x shows at this time of y: the same bound, read the other way.
  func lower(_ y: Double) -> Double {
    guard !isWhole, y.isFinite else { return corners.lower(y) }
    if let gap = PairGaps.gap(gaps.y, y) { return lower(gap.from) }
    return corners.lower(y) { !turned.part(min($0, y), max($0, y)) }
  }
}

/// The messages of a channel that bound, and the rates: all that a look needs, and nothing that is counted
/// when it is copied.
///
/// The memory is that of the channel, which lets go of it at its end.
struct ChannelCorners: @unchecked Sendable {
  private let xs: UnsafePointer<Double>
  private let ys: UnsafePointer<Double>
  private let count: Int
  /// The least and the greatest rate of y against x between messages.
  private let inner: (least: Double, greatest: Double)
  /// And outside of them, where no trend is supported.
  private let outer: (least: Double, greatest: Double)

  init(
    _ xs: [Double],
    _ ys: [Double],
    inner: (least: Double, greatest: Double),
    outer: (least: Double, greatest: Double)
  ) {
    let memory = UnsafeMutablePointer<Double>.allocate(capacity: 2 * xs.count)
    for index in xs.indices {
      (memory + index).initialize(to: xs[index])
      (memory + xs.count + index).initialize(to: ys[index])
    }
    self.xs = UnsafePointer(memory)
    self.ys = UnsafePointer(memory + xs.count)
    count = xs.count
    (self.inner, self.outer) = (inner, outer)
  }

  func deallocate() { xs.deallocate() }

  /// The index of the first of `values`, which rise, that is greater; their count where none is.
  @inline(__always)
  private func index(_ values: UnsafePointer<Double>, above value: Double) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if values[middle] > value { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The most that y shows at this time of x, by those messages, next to it, whose time of x `counts`.
  @inline(__always)
  func upper(_ x: Double, where counts: (Double) -> Bool = { _ in true }) -> Double {
    guard x.isFinite else { return x }
    let next = index(xs, above: x)
    var bound = Double.infinity
    if next > 0, counts(xs[next - 1]) {
      let rate = next == count ? outer.greatest : inner.greatest
      bound = ys[next - 1] + rate * (x - xs[next - 1])
    }
    if next < count, counts(xs[next]) {
      let rate = next == 0 ? outer.least : inner.least
      bound = min(bound, ys[next] - rate * (xs[next] - x))
    }
    return bound
  }

  /// The least that x shows at this time of y, by those messages, next to it, whose time of y `counts`.
  @inline(__always)
  func lower(_ y: Double, where counts: (Double) -> Bool = { _ in true }) -> Double {
    guard y.isFinite else { return y }
    let next = index(ys, above: y)
    var bound = -Double.infinity
    if next > 0, counts(ys[next - 1]) {
      let rate = next == count ? outer.greatest : inner.greatest
      bound = xs[next - 1] + (y - ys[next - 1]) / rate
    }
    if next < count, counts(ys[next]) {
      let rate = next == 0 ? outer.least : inner.least
      bound = max(bound, xs[next] - (ys[next] - y) / rate)
    }
    return bound
  }
}

/// Where two clocks may have gone at any rate, for what is said of one by the other.
struct PairGaps {
  /// In order and apart, on each clock.
  let x: [Doubt]
  let y: [Doubt]

  init(_ spans: [PairScan.Span]) {
    x = spans.map(\.x).united
    y = spans.map(\.y).united
  }

  private init(x: [Doubt], y: [Doubt]) { (self.x, self.y) = (x, y) }

  /// The same for the pair the other way round.
  var turned: PairGaps { PairGaps(x: y, y: x) }

  /// That of `gaps` in which a time lies.
  static func gap(_ gaps: [Doubt], _ time: Double) -> Doubt? {
    let place = gaps.partitioningIndex { $0.to > time }
    return place < gaps.count && gaps[place].from < time ? gaps[place] : nil
  }

  /// Whether either clock of a point was in one.
  func contain(_ point: PairPoint) -> Bool {
    Self.gap(x, point.x) != nil || Self.gap(y, point.y) != nil
  }

  /// Whether one lies between two times of the first clock.
  func part(_ time: Double, _ later: Double) -> Bool {
    let place = x.partitioningIndex { $0.from >= time }
    return place < x.count && x[place].to <= later
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
