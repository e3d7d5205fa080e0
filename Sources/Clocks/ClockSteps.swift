// SPDX-License-Identifier: Apache-2.0

/// A clock that went a way that no clock goes: it was set, or stood still while others went on.
package struct ClockStep: Hashable, Sendable {
  /// The clock.
  package let clock: Int
  /// Up to here, in nanoseconds on the clock, it had not stepped.
  package let from: Int64
  /// From here on it had.
  package let to: Int64
  /// Clocks that may have stepped in its place: what parts them does not say which.
  package let others: [Int]
}

/// A stretch of a clock's times in which it may or may not have stepped yet, relative to its base.
struct Doubt {
  var from: Double
  var to: Double

  /// The same, or where that ends before it begins nothing at its beginning.
  var rising: Doubt { Doubt(from: from, to: max(from, to)) }

  func contains(_ time: Double) -> Bool { from < time && time < to }
}

extension [Doubt] {
  /// In order, those that overlap or touch as one.
  var united: [Doubt] {
    var united: [Doubt] = []
    for doubt in sorted(by: { $0.from < $1.from }) {
      if let last = united.last, doubt.from <= last.to {
        united[united.count - 1].to = Swift.max(last.to, doubt.to)
      } else {
        united.append(doubt)
      }
    }
    return united
  }
}

/// Which clocks may have stepped, and when.
///
/// That two clocks part says that one of them has stepped, or both, and not which. A clock has not where
/// some of its pairs goes on steadily; a step stands in what none of them covers. Where the other clock of
/// the pair may be it just as well, or neither may, both are doubted: to doubt one too many makes bounds
/// wider there, to doubt one too few makes them wrong.
struct StepBlame {
  /// By clock: when it may have stepped, in order.
  private(set) var doubts: [[Doubt]]
  /// By clock: those of them by which the most pairs are explained, to be named as steps.
  private(set) var named: [[Doubt]]

  /// Where a pair of clocks parts.
  typealias Step = (x: Int, y: Int, span: PairScan.Span)

  /// `steady` has by clock where one of its pairs goes on, `dense` where one does that alone is enough.
  init(_ steps: [Step], steady: [[Doubt]], dense: [[Doubt]]) {
    doubts = steady.map { _ in [] }
    named = doubts
    var covers = Covers(steady, dense)
    for (x, y, span) in steps {
      // A pair whose clocks have both stepped by as much goes on steadily for who has not asked it in
      // between: one pair is not enough, and where many are not either, those places count which fewest cover.
      for depth in Self.depthMin... {
        let ofX = covers.open(span.x, of: x, depth)
        let ofY = covers.open(span.y, of: y, depth)
        doubts[x] += ofX
        doubts[y] += ofY
        guard ofX.isEmpty, ofY.isEmpty, covers.reaches(depth, x, y) else { break }
      }
    }
    for clock in doubts.indices { doubts[clock] = doubts[clock].united }
    let counts = counts(steps)
    named = chosen(steps, counts) { $0 == $1 }
    doubts = chosen(steps, counts) { $0 * Self.clearMin > $1 }
  }

  /// By which factor one doubt explains more than another one for the other to be none.
  private static let clearMin = 5
  /// So many pairs must go on for a clock not to have stepped.
  private static let depthMin = 3

  /// By doubt: how many pairs it explains.
  private func counts(_ steps: [Step]) -> [[Int]] {
    var counts = doubts.map { [Int](repeating: 0, count: $0.count) }
    for (x, y, span) in steps {
      for place in places(x, span.x) { counts[x][place] += 1 }
      for place in places(y, span.y) { counts[y][place] += 1 }
    }
    return counts
  }

  /// The doubts that explain so many pairs, beside the most that one does of those which explain the same
  /// pair, that `isEnough`.
  private func chosen(
    _ steps: [Step],
    _ counts: [[Int]],
    _ isEnough: (_ count: Int, _ most: Int) -> Bool
  ) -> [[Doubt]] {
    var isChosen = counts.map { $0.map { _ in false } }
    for (x, y, span) in steps {
      let all = places(x, span.x).map { (x, $0) } + places(y, span.y).map { (y, $0) }
      let most = all.map { counts[$0.0][$0.1] }.max() ?? 0
      for (clock, place) in all where isEnough(counts[clock][place], most) {
        isChosen[clock][place] = true
      }
    }
    return doubts.indices.map { clock in
      doubts[clock].indices.filter { isChosen[clock][$0] }.map { doubts[clock][$0] }
    }
  }

  /// By clock and step: the clocks that may have stepped in its place, none where some pair is explained by it
  /// alone.
  static func others(_ named: [[Doubt]], _ partings: [Step]) -> [[Set<Int>]] {
    var others = named.map { $0.map { _ in Set<Int>() } }
    var isSure = named.map { $0.map { _ in false } }
    for (x, y, span) in partings {
      let all =
        places(named[x], span.x).map { (clock: x, place: $0) }
        + places(named[y], span.y).map { (clock: y, place: $0) }
      for (clock, place) in all {
        let rest = all.lazy.map(\.clock).filter { $0 != clock }
        if rest.isEmpty { isSure[clock][place] = true }
        others[clock][place].formUnion(rest)
      }
    }
    for clock in named.indices {
      for place in named[clock].indices where isSure[clock][place] { others[clock][place] = [] }
    }
    return others
  }

  /// The doubts of a clock that overlap a span.
  private func places(_ clock: Int, _ span: Doubt) -> Range<Int> {
    Self.places(doubts[clock], span)
  }

  private static func places(_ doubts: [Doubt], _ span: Doubt) -> Range<Int> {
    let first = doubts.partitioningIndex { $0.to > span.from }
    return first..<max(first, doubts.partitioningIndex { $0.from >= span.to })
  }
}

/// Where clocks have not stepped by what their pairs say.
private struct Covers {
  /// By clock: where one of its pairs goes on.
  private let steady: [[Doubt]]
  /// By clock: where one of them is enough, in order.
  private let dense: [[Doubt]]
  /// By clock and depth: where as many of them do.
  private var covered: [[[Doubt]]]

  init(_ steady: [[Doubt]], _ dense: [[Doubt]]) {
    self.steady = steady.map { $0.filter { $0.from < $0.to } }
    self.dense = dense.map { $0.filter { $0.from < $0.to }.united }
    covered = steady.map { _ in [] }
  }

  /// Whether at that depth anything of two clocks may be covered.
  func reaches(_ depth: Int, _ one: Int, _ other: Int) -> Bool {
    depth <= max(steady[one].count, steady[other].count)
  }

  /// What of a span of a clock fewer than `depth` of its pairs cover.
  mutating func open(_ span: Doubt, of clock: Int, _ depth: Int) -> [Doubt] {
    while covered[clock].count < depth {
      let many = Self.covered(steady[clock], covered[clock].count + 1)
      covered[clock].append((many + dense[clock]).united)
    }
    let covers = covered[clock][depth - 1]
    var open: [Doubt] = []
    var from = span.from
    var place = covers.partitioningIndex { $0.to > span.from }
    while place < covers.count, covers[place].from < span.to {
      if from < covers[place].from { open.append(Doubt(from: from, to: covers[place].from)) }
      from = max(from, covers[place].to)
      place += 1
    }
    if from < span.to { open.append(Doubt(from: from, to: span.to)) }
    return open
  }

  /// Where at least `depth` of some stretches lie over each other, in order.
  private static func covered(_ stretches: [Doubt], _ depth: Int) -> [Doubt] {
    let ends =
      stretches.map { (time: $0.from, step: 1) } + stretches.map { (time: $0.to, step: -1) }
    var covered: [Doubt] = []
    var count = 0
    // Of ends at one time those that begin come first.
    for end in ends.sorted(by: { ($0.time, $1.step) < ($1.time, $0.step) }) {
      if count == depth - 1, end.step == 1 {
        covered.append(Doubt(from: end.time, to: end.time))
      }
      if count == depth, end.step == -1 { covered[covered.count - 1].to = end.time }
      count += end.step
    }
    return covered.united
  }
}
