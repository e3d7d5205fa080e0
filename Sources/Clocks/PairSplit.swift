// SPDX-License-Identifier: Apache-2.0

/// The points of a pair in stretches that agree with themselves, and those that agree with none.
struct PairSplit {
  /// Points between two steps, by index: those that agree with each other.
  struct Stretch {
    private(set) var all: [Int] = []
    private(set) var uppers: [Int] = []
    private(set) var lowers: [Int] = []
    /// Where points in a row contradict it: the first of them, and how many.
    fileprivate(set) var odd: [(first: Int, count: Int)] = []

    fileprivate mutating func add(_ index: Int, _ point: PairPoint) {
      all.append(index)
      if point.isUpper { uppers.append(index) } else { lowers.append(index) }
    }
  }

  /// In order; at least one.
  private(set) var stretches = [Stretch()]
  /// The indices of evidence that the points around it contradict.
  private(set) var odd: [Int] = []

  private let points: [PairPoint]
  private let rate: Double
  private var bounds: OpenBounds
  /// Those that contradict the bounds, and each other not.
  private var others: [Int] = []
  private var otherBounds: OpenBounds
  /// Those behind the first of these that both allow: they say nothing about which of them is right.
  private var undecided: [Int] = []

  /// So many points in a row that contradict what came before are a step; fewer are wrong themselves.
  static let stepPointsMin = 3

  /// So many of them are a stretch of their own where what comes next contradicts both them and what was
  /// before: two steps with few messages in between are more likely than as many wrong messages in a row.
  private static let stretchPointsMin = 2

  /// Of more of those nothing is made.
  private static let undecidedMax = 64

  /// Goes through `points`, which are in order of x; `rate` bounds the difference of the rates.
  init(_ points: [PairPoint], rate: Double) {
    self.points = points
    self.rate = rate
    bounds = OpenBounds(rate: rate)
    otherBounds = bounds
    for index in points.indices { take(index) }
    // Too few to tell a step from a mistake: after them either may be true.
    while !others.isEmpty { part() }
  }

  private mutating func take(_ index: Int) {
    let fits = bounds.allows(points[index])
    if !others.isEmpty {
      let fitsOthers = otherBounds.allows(points[index])
      if fits, fitsOthers {
        if undecided.count < Self.undecidedMax { undecided.append(index) }
        return
      }
      if !fits, !fitsOthers, others.count >= Self.stretchPointsMin {
        part()
        return take(index)
      }
      if fits || !fitsOthers {
        setAsideOthers()
        return take(index)
      }
    }
    if fits {
      bounds.add(points[index])
      stretches[stretches.count - 1].add(index, points[index])
      return
    }
    others.append(index)
    otherBounds.add(points[index])
    if others.count >= Self.stepPointsMin { part() }
  }

  private mutating func setAsideOthers() {
    guard let first = others.first else { return }
    odd += others.map { points[$0].evidence }
    stretches[stretches.count - 1].odd.append((first, others.count))
    let again = undecided
    forgetOthers()
    for index in again { take(index) }
  }

  /// Those behind the step may contradict each other by another one, so each is looked at again.
  private mutating func part() {
    let again = (others + undecided).sorted()
    stretches.append(Stretch())
    bounds = OpenBounds(rate: rate)
    forgetOthers()
    for index in again { take(index) }
  }

  private mutating func forgetOthers() {
    (others, undecided) = ([], [])
    otherBounds = OpenBounds(rate: rate)
  }
}
