// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import Support
import Testing

@Suite struct TextSearchTests {
  @Test func theFirstAndTheLastAreFoundAsByTryingEachPlace() {
    var random = SeededRandom(seed: 41)
    for _ in 0..<2_000 {
      let whole = text(of: Int.random(in: 0...12, using: &random), &random)
      let part = text(of: Int.random(in: 0...3, using: &random), &random)
      let places = whole.unicodeScalars.indices.map { $0 } + [whole.endIndex]
      let fitting = places.filter { whole.utf8[$0...].starts(with: part.utf8) }
      #expect(whole.firstRange(of: part)?.lowerBound == fitting.first, "\(part) in \(whole)")
      #expect(whole.lastRange(of: part)?.lowerBound == fitting.last, "\(part) in \(whole)")
      #expect(whole.contains(part) == !fitting.isEmpty)
      let range = whole.firstRange(of: part)
      #expect(range.map { Array(whole[$0].utf8) } ?? Array(part.utf8) == Array(part.utf8))
    }
  }

  @Test func aPartOfATextIsSearchedInItsOwnPlaces() {
    let whole = "a::b::c"
    let rest = whole.dropFirst(3)
    #expect(rest.firstRange(of: "::").map { whole[$0.upperBound...] } == "c")
    #expect(rest.firstRange(of: "a") == nil)
    #expect(whole.contains(rest))
  }

  @Test func textIsReplacedFromTheLeft() {
    #expect("aaa".replacing("aa", with: "b") == "ba")
    #expect("a\\b\\".replacing("\\", with: "\\\\") == "a\\\\b\\\\")
    #expect("".replacing("a", with: "b") == "")
    #expect("a--b----c".components(separatedBy: "--") == ["a", "b", "", "c"])
    #expect("abc".components(separatedBy: "") == ["abc"])
  }

  /// Of few letters, so that parts occur; some take two bytes, whose second is the same.
  private func text(of count: Int, _ random: inout SeededRandom) -> String {
    let letters = ["a", "b", "é", "è"]
    return (0..<count).map { _ in letters[Int.random(in: 0..<4, using: &random)] }.joined()
  }
}
