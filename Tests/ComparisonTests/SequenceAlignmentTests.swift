// SPDX-License-Identifier: Apache-2.0
@testable import LifetraceComparison
import Support
import Testing

@Suite struct SequenceAlignmentTests {
  /// The length of the longest common subsequence, by the table.
  private func longest(_ left: [Int32], _ right: [Int32]) -> Int {
    var row = [Int](repeating: 0, count: right.count + 1)
    for one in left {
      var diagonal = 0
      for (index, other) in right.enumerated() {
        let above = row[index + 1]
        row[index + 1] = one == other ? diagonal + 1 : max(above, row[index])
        diagonal = above
      }
    }
    return row[right.count]
  }

  @Test func whatMeetsIsEqualAndNothingMoreCouldMeet() {
    print("seed \(SeededRandom.seed)")
    var random = SeededRandom(seed: SeededRandom.seed)
    for _ in 0..<2_000 {
      let letters = Int32.random(in: 1...5, using: &random)
      func some() -> [Int32] {
        (0..<Int.random(in: 0...24, using: &random)).map { _ in
          Int32.random(in: 0...letters, using: &random)
        }
      }
      let (left, right) = (some(), some())
      let alignment = SequenceAlignment(left, right)
      var (from, to, met) = (0, 0, 0)
      for stretch in alignment.stretches {
        #expect(!stretch.left.isEmpty || !stretch.right.isEmpty)
        #expect(left[from..<stretch.left.lowerBound] == right[to..<stretch.right.lowerBound])
        met += stretch.left.lowerBound - from
        (from, to) = (stretch.left.upperBound, stretch.right.upperBound)
      }
      #expect(left[from...] == right[to...])
      met += left.count - from
      #expect(met == longest(left, right), "\(left) \(right) \(alignment.stretches)")
    }
  }

  @Test func sequencesWithoutAnythingInCommonAreOneDifference() {
    let count = SequenceAlignment.differencesMax
    let left = (0..<Int32(count)).map { $0 * 2 }
    let right = left.map { $0 + 1 }
    let alignment = SequenceAlignment([-1] + left + [-2], [-1] + right + [-2])
    #expect(alignment.isGivenUp)
    #expect(alignment.stretches == [.init(left: 1..<count + 1, right: 1..<count + 1)])
  }
}
