// SPDX-License-Identifier: Apache-2.0

/// Which elements of two sequences meet, so that the fewest are left alone.
///
///     SequenceAlignment([1, 2, 3], [1, 3, 4]).stretches
///     // [left 1..<2, right 1..<1], [left 3..<3, right 2..<3]
///
/// By the greedy algorithm of Myers (An O(ND) Difference Algorithm, 1986), which takes time and memory
/// by how much differs and not by how long the sequences are.
struct SequenceAlignment {
  /// More elements without a partner than this are not sought for the best alignment.
  static let differencesMax = 2_000

  /// A part that differs: what stands on the left there, and what on the right; one of them may be empty.
  struct Stretch: Equatable {
    var left: Range<Int>
    var right: Range<Int>
  }

  /// The parts that differ, in order.
  private(set) var stretches: [Stretch] = []
  /// Whether the sequences have so little in common that the middle was not aligned.
  private(set) var isGivenUp = false

  /// Aligns two sequences of keys.
  init(_ left: [Int32], _ right: [Int32]) {
    var start = 0
    while start < left.count, start < right.count, left[start] == right[start] { start += 1 }
    var (leftEnd, rightEnd) = (left.count, right.count)
    while leftEnd > start, rightEnd > start, left[leftEnd - 1] == right[rightEnd - 1] {
      leftEnd -= 1
      rightEnd -= 1
    }
    guard leftEnd > start || rightEnd > start else { return }
    let (middle, other) = (left[start..<leftEnd], right[start..<rightEnd])
    guard !middle.isEmpty, !other.isEmpty, let pairs = Self.pairs(middle, other) else {
      isGivenUp = !middle.isEmpty && !other.isEmpty
      stretches = [Stretch(left: start..<leftEnd, right: start..<rightEnd)]
      return
    }
    var (from, to) = (start, start)
    for pair in pairs + [(leftEnd, rightEnd)] {
      if pair.0 > from || pair.1 > to {
        stretches.append(Stretch(left: from..<pair.0, right: to..<pair.1))
      }
      (from, to) = (pair.0 + 1, pair.1 + 1)
    }
  }

  /// The indices that meet, in order; nil where more than ``differencesMax`` elements would not.
  private static func pairs(_ left: ArraySlice<Int32>, _ right: ArraySlice<Int32>)
    -> [(Int, Int)]?
  {
    var rounds: [Round] = []
    for differences in 0...min(differencesMax, left.count + right.count) {
      var round = Round(differences: differences)
      for diagonal in stride(from: -differences, through: differences, by: 2) {
        var x = Round.start(on: diagonal, after: rounds.last).x
        var y = x - diagonal
        while x < left.count, y < right.count,
          left[left.startIndex + x] == right[right.startIndex + y]
        {
          x += 1
          y += 1
        }
        round[diagonal] = x
        if x >= left.count, y >= right.count { return way(back: rounds, left, right) }
      }
      rounds.append(round)
    }
    return nil
  }

  /// The furthest places that are reached with so many differences, by diagonal (left minus right).
  private struct Round {
    private var places: [Int]
    private let differences: Int

    init(differences: Int) {
      self.differences = differences
      places = Array(repeating: 0, count: differences + 1)
    }

    /// How far on the left; a diagonal is one of those of the round.
    subscript(diagonal: Int) -> Int {
      get { places[(diagonal + differences) / 2] }
      set { places[(diagonal + differences) / 2] = newValue }
    }

    /// Where the next round begins on a diagonal, and whether it leaves an element of the right alone.
    static func start(on diagonal: Int, after last: Round?) -> (x: Int, goesDown: Bool) {
      guard let last else { return (0, false) }
      let differences = last.differences + 1
      let goesDown =
        diagonal == -differences
        || diagonal != differences && last[diagonal - 1] < last[diagonal + 1]
      return goesDown ? (last[diagonal + 1], true) : (last[diagonal - 1] + 1, false)
    }
  }

  private static func way(
    back rounds: [Round],
    _ left: ArraySlice<Int32>,
    _ right: ArraySlice<Int32>
  ) -> [(Int, Int)] {
    var pairs: [(Int, Int)] = []
    var (x, y) = (left.count, right.count)
    var rounds = rounds
    while true {
      let start = Round.start(on: x - y, after: rounds.last)
      while x > start.x {
        x -= 1
        y -= 1
        pairs.append((left.startIndex + x, right.startIndex + y))
      }
      guard rounds.popLast() != nil else { return pairs.reversed() }
      if start.goesDown { y -= 1 } else { x -= 1 }
    }
  }
}
