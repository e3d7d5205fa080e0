// SPDX-License-Identifier: Apache-2.0

/// Evidence as it comes in, of which so much is kept that the bounds of clocks hardly get wider.
///
///     var thinned = ThinnedEvidence(clocks: rates)
///     for piece in all { thinned.add(piece) }
///     let graph = ClockGraph(clocks: rates, evidence: thinned.pieces, gone: thinned.gone)
///
/// Up to ``piecesMax`` pieces all are kept. At that count each pair of clocks gets a share, such that half
/// of them are left and those with few lose none. The times of a pair that has more are cut into spans,
/// which double until it has its share. In a span, of those that agree, the following stay by direction:
/// the first and the last, by which steps are found; the one that was on its way longest, as it may hide
/// one; and the corners of the convex hull on the tight side, which decide the bounds at each rate that
/// the clocks may have. What contradicts others stays, with those beside it. Of a pair that contradicts
/// itself all over, every second piece stays, which leaves it as odd as it was.
///
/// A piece takes a few comparisons, and its part in a sort each time that half of them were let go.
package struct ThinnedEvidence: Sendable {
  /// Two clocks, the one with the smaller number first.
  package struct Pair: Hashable, Sendable {
    /// The clock with the smaller number.
    package var first: Int
    /// The other one.
    package var second: Int

    /// Two clocks, in any order.
    package init(_ one: Int, _ other: Int) {
      (first, second) = (min(one, other), max(one, other))
    }
  }

  /// How many pieces of a pair were let go.
  package struct Gone: Sendable, Equatable {
    /// Those that say that the first clock was not after the second.
    package var forward = 0
    /// Those that say the opposite.
    package var backward = 0
    /// Those among them that agreed with the others when they went.
    package var agreeing = 0

    /// All of them.
    package var count: Int { forward + backward }
  }

  /// What is kept, in the order in which it came.
  package private(set) var pieces: [Evidence] = []
  /// What is not, by pair.
  package private(set) var gone: [Pair: Gone] = [:]
  /// At most so many are kept at any time, 6 MB of them, or 64 of each pair of clocks.
  package static let piecesMax = 1 << 17

  /// That many of each pair may stay where there are very many of them.
  private static let pairPiecesMax = 64

  private let rates: [ClockRate]
  private let piecesMax: Int
  /// By pair: spans are as many nanoseconds as 2 to the power of this.
  private var spanBits: [Pair: Int] = [:]
  /// The count at which it thins next.
  private var limit: Int

  /// Nothing yet, of clocks with these errors of their rates.
  package init(clocks rates: [ClockRate], piecesMax: Int = ThinnedEvidence.piecesMax) {
    self.rates = rates
    self.piecesMax = piecesMax
    limit = piecesMax
  }

  /// Takes a piece in; one of a single clock says nothing.
  package mutating func add(_ piece: Evidence) {
    guard piece.earlier.clock != piece.later.clock else { return }
    pieces.append(piece)
    if pieces.count >= limit { thin() }
  }

  // MARK: - Thinning

  /// A millisecond at first.
  private static let spanBitsMin = 20
  /// Spans of more than a hundred years are one.
  private static let spanBitsMax = 62
  /// Beside what contradicts others so many stay, before and behind: enough to tell a step from a mistake.
  private static let besideMax = 8

  private struct Entry {
    var point: PairPoint
    /// The stretch between two steps.
    var stretch: Int
    var isKept = false
  }

  private mutating func thin() {
    var bases = [Int64](repeating: .max, count: rates.count)
    for piece in pieces {
      for moment in [piece.earlier, piece.later] {
        bases[moment.clock] = min(bases[moment.clock], moment.time)
      }
    }
    var kept = [Bool](repeating: true, count: pieces.count)
    let points = points(bases)
    limit = max(piecesMax, points.count * Self.pairPiecesMax)
    let share = Self.share(points.values.map(\.count), limit / 2)
    for (pair, own) in points where own.count > share {
      thin(own.sorted { ($0.x, $0.evidence) < ($1.x, $1.evidence) }, pair, bases, share, &kept)
    }
    for (index, piece) in pieces.enumerated() where !kept[index] {
      if piece.earlier.clock < piece.later.clock {
        gone[piece.pair, default: Gone()].forward += 1
      } else {
        gone[piece.pair, default: Gone()].backward += 1
      }
    }
    var index = 0
    pieces.removeAll { _ in
      defer { index += 1 }
      return !kept[index]
    }
  }

  /// How many each may have for all of them to have `total`, where those that have fewer keep them.
  private static func share(_ counts: [Int], _ total: Int) -> Int {
    var left = total
    for (place, count) in counts.sorted().enumerated() {
      let share = left / (counts.count - place)
      guard count <= share else { return share }
      left -= count
    }
    return .max
  }

  /// Lets go of what a pair has above its share.
  private mutating func thin(
    _ points: [PairPoint],
    _ pair: Pair,
    _ bases: [Int64],
    _ share: Int,
    _ kept: inout [Bool]
  ) {
    let split = PairSplit(points, rate: rates[pair.first].errorMax + rates[pair.second].errorMax)
    var left = points
    if 8 * (split.odd.count + 3 * (split.stretches.count - 1)) <= points.count {
      let entries = entries(points, split)
      var bits = spanBits[pair] ?? Self.spanBitsMin
      while true {
        mark(entries, bases[pair.first], bits, &kept)
        left = points.filter { kept[$0.evidence] }
        if left.count <= share || bits == Self.spanBitsMax { break }
        bits += 1
      }
      spanBits[pair] = bits
      gone[pair, default: Gone()].agreeing += points.count - left.count
    }
    // All too odd, or hulls without end: any part of it bounds as well.
    while left.count > share {
      // By direction: questions and answers take turns.
      var (forward, backward) = (0, 0)
      for point in left {
        if point.isUpper { forward += 1 } else { backward += 1 }
        kept[point.evidence] = (point.isUpper ? forward : backward) % 2 == 1
      }
      let before = left.count
      left = left.filter { kept[$0.evidence] }
      if left.count == before { break }
    }
  }

  private func points(_ bases: [Int64]) -> [Pair: [PairPoint]] {
    var points: [Pair: [PairPoint]] = [:]
    for (index, piece) in pieces.enumerated() {
      let isForward = piece.earlier.clock < piece.later.clock
      let (x, y) = isForward ? (piece.earlier, piece.later) : (piece.later, piece.earlier)
      points[piece.pair, default: []].append(
        PairPoint(
          x: Double(x.time.minus(bases[x.clock])),
          y: Double(y.time.minus(bases[y.clock])),
          isUpper: isForward,
          evidence: index
        )
      )
    }
    return points
  }

  /// Points in order, with what has to stay.
  private func entries(_ points: [PairPoint], _ split: PairSplit) -> [Entry] {
    var entries = points.map { Entry(point: $0, stretch: -1) }
    for (number, stretch) in split.stretches.enumerated() {
      for index in stretch.all { entries[index].stretch = number }
    }
    // What fits all that may be right belongs to what is before it.
    var stretch = 0
    let odd = Set(split.odd)
    var borders: [Int] = []
    for index in entries.indices {
      if entries[index].stretch < 0 {
        entries[index].stretch = stretch
        if odd.contains(points[index].evidence) { borders.append(index) }
      } else if entries[index].stretch != stretch {
        stretch = entries[index].stretch
        borders.append(index)
      }
    }
    for border in borders {
      let from = max(0, border - Self.besideMax)
      for index in from...min(entries.count - 1, border + Self.besideMax) {
        entries[index].isKept = true
      }
    }
    return entries
  }

  /// Marks what stays of a pair.
  private func mark(_ entries: [Entry], _ base: Int64, _ bits: Int, _ kept: inout [Bool]) {
    for entry in entries { kept[entry.point.evidence] = entry.isKept }
    for isUpper in [true, false] {
      var span = SpanCorners(sign: isUpper ? 1 : -1)
      var place: (stretch: Int, number: Int64)?
      for entry in entries where entry.point.isUpper == isUpper {
        let number = base.plus(Int64(clamping: entry.point.x)) >> Int64(bits)
        if let last = place, last != (entry.stretch, number) { span.close(&kept) }
        place = (entry.stretch, number)
        span.add(entry.point)
      }
      span.close(&kept)
    }
  }
}

extension Evidence {
  /// The two clocks that it is about.
  package var pair: ThinnedEvidence.Pair { .init(earlier.clock, later.clock) }
}

/// Of points of one direction and one span, in order of x: those that stay.
private struct SpanCorners {
  /// Points are bounds from above, or with -1 from below.
  let sign: Double
  /// The corners of the hull on the tight side; the first and the last are among them.
  private var hull: [(x: Double, offset: Double, evidence: Int)] = []
  private var loosest: (offset: Double, evidence: Int)?

  init(sign: Double) { self.sign = sign }

  mutating func add(_ point: PairPoint) {
    let offset = sign * point.offset(trend: 0)
    if loosest.map({ offset > $0.offset }) ?? true { loosest = (offset, point.evidence) }
    while hull.count > 1 {
      let (from, last) = (hull[hull.count - 2], hull[hull.count - 1])
      let turn =
        (last.x - from.x) * (offset - from.offset) - (last.offset - from.offset)
        * (point.x - from.x)
      guard turn <= 0 else { break }
      hull.removeLast()
    }
    hull.append((point.x, offset, point.evidence))
  }

  mutating func close(_ kept: inout [Bool]) {
    for corner in hull { kept[corner.evidence] = true }
    if let loosest { kept[loosest.evidence] = true }
    hull.removeAll(keepingCapacity: true)
    loosest = nil
  }
}
