// SPDX-License-Identifier: Apache-2.0

/// A clock that went a way that no clock goes: it was set, or stood still while others went on.
package struct ClockStep: Hashable, Sendable {
  /// The clock.
  package let clock: Int
  /// Up to here, in nanoseconds on the clock, it had not stepped.
  package let from: Int64
  /// From here on it had.
  package let to: Int64
}

/// A stretch of a clock's times in which it may or may not have stepped yet, relative to its base.
struct Doubt {
  var from: Double
  var to: Double
}

extension PairScan.Step {
  /// By clock of the pair: from the one point to the other.
  var spans: (x: Doubt, y: Doubt) {
    (
      Doubt(from: before.x, to: max(before.x, after.x)),
      Doubt(from: min(before.y, after.y), to: max(before.y, after.y))
    )
  }
}

/// Whose steps explain that pairs of clocks part: the fewest clocks that do, each with its stretches.
///
/// Pairs are what contradictions are found in; a clock that steps does so in all of its pairs. Where two
/// clocks explain the same and nothing more, either may be it, and both are doubted.
struct StepBlame {
  private(set) var doubts: [[Doubt]]

  private struct Record {
    var clocks: (Int, Int)
    var spans: (Doubt, Doubt)

    func span(of clock: Int) -> Doubt? {
      clock == clocks.0 ? spans.0 : clock == clocks.1 ? spans.1 : nil
    }
    func other(than clock: Int) -> Int { clock == clocks.0 ? clocks.1 : clocks.0 }
  }

  init(clocks: Int, steps: [(x: Int, y: Int, step: PairScan.Step)]) {
    doubts = Array(repeating: [], count: clocks)
    var open = steps.map { found in
      Record(
        clocks: (found.x, found.y),
        spans: found.step.spans
      )
    }
    while !open.isEmpty {
      let clusters = (0..<clocks).map { Self.densest(open, $0) }
      let most = clusters.map(\.count).max() ?? 0
      guard most > 0 else { break }
      let blamed = clusters.indices.filter { clusters[$0].count == most }
      var explained: Set<Int> = []
      // Among equals, those who share what they explain are all doubted; others have their turn later.
      for clock in blamed {
        let members = clusters[clock]
        guard explained.isEmpty || !explained.isDisjoint(with: members) || most == 1 else {
          continue
        }
        explained.formUnion(members)
        // A pair whose other clock has steps of its own at that time does not say where this one has.
        let own = members.filter { clusters[open[$0].other(than: clock)].count < 2 }
        let spans = (own.isEmpty ? members : own).compactMap { open[$0].span(of: clock) }
        let from = own.isEmpty ? spans.map(\.from).min() : spans.map(\.from).max()
        let to = own.isEmpty ? spans.map(\.to).max() : spans.map(\.to).min()
        if let from, let to { doubts[clock].append(Doubt(from: min(from, to), to: max(from, to))) }
      }
      open = open.indices.filter { !explained.contains($0) }.map { open[$0] }
    }
    for clock in doubts.indices { doubts[clock] = Self.united(doubts[clock]) }
  }

  /// The records, by index, of which most overlap on the axis of `clock`.
  private static func densest(_ records: [Record], _ clock: Int) -> [Int] {
    let own = records.indices.filter { records[$0].span(of: clock) != nil }
    var best: [Int] = []
    for index in own {
      // The densest place begins where some span begins.
      guard let place = records[index].span(of: clock)?.from else { continue }
      let there = own.filter {
        records[$0].span(of: clock).map { $0.from <= place && place <= $0.to } ?? false
      }
      if there.count > best.count { best = there }
    }
    return best
  }

  private static func united(_ doubts: [Doubt]) -> [Doubt] {
    var united: [Doubt] = []
    for doubt in doubts.sorted(by: { $0.from < $1.from }) {
      if let last = united.last, doubt.from <= last.to {
        united[united.count - 1].to = max(last.to, doubt.to)
      } else {
        united.append(doubt)
      }
    }
    return united
  }
}
