// SPDX-License-Identifier: Apache-2.0
@testable import LifetraceClocks
import Support
import Testing

/// Lines of pieces: forth and back, and lifted.
@Suite struct AxisMapTests {
  @Test func aShiftMovesAll() {
    let map = AxisMap(shift: 7)
    #expect(map.axis(3) == 10)
    #expect(map.raw(10) == 3)
    #expect(map.shift == 7)
    #expect(map.axis(.max) == .max)
  }

  @Test("Back from the axis leads to the last time of the clock that stands there")
  func back() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    for _ in 0..<200 {
      var knot = AxisMap.Knot(raw: 0, axis: Int64(random.below(50)))
      var knots: [AxisMap.Knot] = []
      for _ in 0..<1 + random.below(6) {
        knots.append(knot)
        knot.raw += Int64(1 + random.below(30))
        knot.axis += Int64(random.below(30))
      }
      let map = try #require(AxisMap(knots))
      for axis in Int64(-10)..<200 {
        let raw = map.raw(axis)
        #expect(map.axis(raw) <= axis)
        #expect(map.axis(raw + 1) > axis, "\(knots) at \(axis)")
      }
    }
  }

  @Test("A lifted line is the least that is nowhere lower and reaches all lifts")
  func lifts() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    for _ in 0..<300 {
      var knots: [AxisMap.Knot] = []
      for number in 0..<1 + random.below(4) {
        let last = knots.last?.axis ?? 0
        knots.append(.init(raw: Int64(number * 20), axis: last + Int64(random.below(30))))
      }
      let map = try #require(AxisMap(knots))
      let lifts = (0..<random.below(5)).map { _ in
        AxisMap.Knot(raw: Int64(random.below(100) - 20), axis: Int64(random.below(140)))
      }
      let lifted = map.lifted(lifts)
      for raw in Int64(-30)..<200 {
        let floor = lifts.filter { $0.raw <= raw }.map(\.axis).max() ?? .min
        let expected = max(map.axis(raw), floor)
        // Rounding between knots may take one away.
        #expect(abs(lifted.axis(raw) - expected) <= 1, "\(knots) \(lifts) at \(raw)")
        #expect(lifted.axis(raw) >= floor, "\(knots) \(lifts) at \(raw)")
      }
    }
  }
}
