// SPDX-License-Identifier: Apache-2.0

/// Where the points of a pair cannot all be true at any rate that clocks have.
///
/// A step is proved between two points that exclude each other, and the rest of what was then is not: the
/// other clock may have stepped as well, a little before or behind. So a step, and a place where points are
/// set aside, reaches from where points of both sides, upper and lower, last said that nothing had happened
/// to where they say it again. In between neither clock is trusted to have gone at any rate.
struct PairScan {
  /// By clock of the pair: from before one or several steps to behind them.
  typealias Span = (x: Doubt, y: Doubt)

  /// Where one of the clocks has stepped, or both.
  private(set) var steps: [Span] = []
  /// Indices of evidence that the points around it contradict.
  private(set) var odd: [Int] = []
  /// Where such evidence is wrong, or both clocks have stepped by as much.
  private(set) var gaps: [Span] = []
  /// Where a step would contradict nothing, by the bounds that it loosens: these go no further than to there.
  private(set) var hidden: (upper: [Span], lower: [Span]) = ([], [])
  /// Where both clocks have gone as clocks go, as points of both sides before and behind show.
  private(set) var steady: [Span] = []
  /// Where moreover both sides have a point every two seconds: no two steps that undo each other fit in.
  private(set) var dense: [Span] = []
  /// How many points it has gone through.
  let count: Int

  private let points: [PairPoint]
  private let rate: Double

  private static let denseNanoseconds = 2e9

  /// Goes once through `points`, which are in order of x; `rate` bounds the difference of the rates.
  init(_ points: [PairPoint], rate: Double) {
    count = points.count
    self.points = points
    self.rate = rate
    let split = PairSplit(points, rate: rate)
    odd = split.odd
    for (before, after) in zip(split.stretches, split.stretches.dropFirst()) {
      if let span = step(before, after) { steps.append(span) }
    }
    for stretch in split.stretches {
      var from = stretch.all.startIndex
      for odd in stretch.odd {
        let gap = gap(in: stretch, at: odd.first)
        // One in a short while is wrong itself: two steps that undo each other would have to fit in.
        if odd.count == 1, gap.x.to - gap.x.from <= Self.denseNanoseconds { continue }
        gaps.append(gap)
        let end = stretch.all.partitioningIndex { $0 > odd.first }
        addSteady(stretch.all[from..<end])
        from = end
      }
      addSteady(stretch.all[from...])
      hidden.upper += hidden(stretch.uppers, sign: 1, inside: stretch.lowers)
      hidden.lower += hidden(stretch.lowers, sign: -1, inside: stretch.uppers)
    }
  }

  /// A message that took so much longer than those beside it would have it may be one that came before a
  /// step, or behind it: clocks are set by 128 ms at least (ntpd), what is less is slewed.
  private static let hiddenNanoseconds = 100e6

  /// Where points of one side, before the first of the `others` or behind the last, may hide a step.
  ///
  /// A step that loosens a bound contradicts nothing unless points of the other side stand before and behind
  /// it. All that shows of it is a message that seems to have been on its way for as long as the step.
  private func hidden(_ own: [Int], sign: Double, inside others: [Int]) -> [Span] {
    guard let first = others.first, let last = others.last else { return [] }
    var found: [Span] = []
    let start = own.partitioningIndex { $0 > first }
    let end = own.partitioningIndex { $0 > last }
    for (inner, outer) in [
      (Array(own[start...]), Array(own[..<start].reversed())),
      (Array(own[..<end].reversed()), Array(own[end...])),
    ] {
      // The bound by those inside, which grows with the distance to them.
      var bound: (offset: Double, x: Double)?
      func grown(_ x: Double) -> Double {
        bound.map { $0.offset + rate * abs(x - $0.x) } ?? .infinity
      }
      for index in inner.reversed() {
        let (x, offset) = (points[index].x, sign * points[index].offset(trend: 0))
        bound = (min(grown(x), offset), x)
      }
      var next = inner.first
      for index in outer {
        let (x, offset) = (points[index].x, sign * points[index].offset(trend: 0))
        if let next, offset > grown(x) + Self.hiddenNanoseconds {
          let (from, to) = (points[min(index, next)], points[max(index, next)])
          found.append(
            (Doubt(from: from.x, to: to.x).rising, Doubt(from: from.y, to: to.y).rising)
          )
          bound = nil
        }
        bound = (min(grown(x), offset), x)
        next = index
      }
    }
    return found
  }

  /// The step lies between the last point that excludes one of the first behind it and that one.
  private func step(_ before: PairSplit.Stretch, _ after: PairSplit.Stretch) -> Span? {
    let first = after.all.prefix(PairSplit.stepPointsMin)
    for index in before.all.reversed() {
      var bounds = OpenBounds(rate: rate)
      bounds.add(points[index])
      guard let next = first.first(where: { !bounds.allows(points[$0]) }) else { continue }
      let (here, there) = (points[index], points[next])
      let found = span(
        from: [
          here.isUpper ? index : before.uppers.last, here.isUpper ? before.lowers.last : index,
        ],
        to: [there.isUpper ? next : after.uppers.first, there.isUpper ? after.lowers.first : next]
      )
      return (found.x.rising, found.y.rising)
    }
    return nil
  }

  /// From the last points of both sides before odd ones to the first behind them; open where the stretch
  /// has such points on the other side only.
  private func gap(in stretch: PairSplit.Stretch, at odd: Int) -> Span {
    let sides = [stretch.uppers, stretch.lowers].filter { !$0.isEmpty }
    let places = sides.map { side in (side, side.partitioningIndex { $0 > odd }) }
    let before = places.map { side, place in place > 0 ? side[place - 1] : nil }
    let after = places.map { side, place in place < side.count ? side[place] : nil }
    var gap = span(from: before, to: after)
    if before.contains(nil) { (gap.x.from, gap.y.from) = (-.infinity, -.infinity) }
    if after.contains(nil) { (gap.x.to, gap.y.to) = (.infinity, .infinity) }
    return (gap.x.rising, gap.y.rising)
  }

  /// The first and the last points of both sides.
  private struct Ends {
    var first: [Int?] = [nil, nil]
    var last: [Int?] = [nil, nil]

    mutating func add(_ index: Int, _ side: Int) {
      first[side] = first[side] ?? index
      last[side] = index
    }
  }

  /// Adds where the clocks go on between points that agree.
  private mutating func addSteady(_ indices: ArraySlice<Int>) {
    var (all, run) = (Ends(), Ends())
    for index in indices {
      let side = points[index].isUpper ? 0 : 1
      if let last = run.last[side], points[index].x - points[last].x > Self.denseNanoseconds {
        if let span = between(run) { dense.append(span) }
        run = Ends()
      }
      all.add(index, side)
      run.add(index, side)
    }
    if let span = between(run) { dense.append(span) }
    if let span = between(all) { steady.append(span) }
  }

  /// From when the first points of both sides were received until the last were sent; nil where one has none.
  private func between(_ ends: Ends) -> Span? {
    guard !ends.first.contains(nil) else { return nil }
    let apart = span(from: ends.last, to: ends.first)
    return (Doubt(from: apart.x.to, to: apart.x.from), Doubt(from: apart.y.to, to: apart.y.from))
  }

  /// From before the first of some points was sent until all of others were received: from later to earlier
  /// where these came first.
  private func span(from: [Int?], to: [Int?]) -> Span {
    let (from, to) = (from.compactMap { $0 }, to.compactMap { $0 })
    var x = Doubt(from: .infinity, to: -.infinity)
    var y = x
    for index in from {
      let sent = sent(points[index], from.map { points[$0] })
      x.from = min(x.from, sent.x)
      y.from = min(y.from, sent.y)
    }
    for index in to {
      let received = received(points[index], to.map { points[$0] })
      x.to = max(x.to, received.x)
      y.to = max(y.to, received.y)
    }
    return (x, y)
  }

  /// The least that both clocks showed when the message of `point` was sent, by a point of the other side.
  private func sent(_ point: PairPoint, _ all: [PairPoint]) -> (x: Double, y: Double) {
    guard let other = all.first(where: { $0.isUpper != point.isUpper }) else {
      return (point.x, point.y)
    }
    return point.isUpper
      ? (point.x, other.y + least(point.x - other.x))
      : (other.x + least(point.y - other.y), point.y)
  }

  /// The most that both showed when it was received.
  private func received(_ point: PairPoint, _ all: [PairPoint]) -> (x: Double, y: Double) {
    guard let other = all.first(where: { $0.isUpper != point.isUpper }) else {
      return (point.x, point.y)
    }
    return point.isUpper
      ? (other.x + most(point.y - other.y), point.y)
      : (point.x, other.y + most(point.x - other.x))
  }

  /// What passes on one clock, at least, while it is `time` on the other.
  private func least(_ time: Double) -> Double { time - 1.01 * rate * abs(time) }

  private func most(_ time: Double) -> Double { time + 1.01 * rate * abs(time) }
}
