// SPDX-License-Identifier: Apache-2.0
package import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

extension Alignment {
  /// How well the clocks of several machines lie on the axis that pictures have, a sentence; nil where
  /// there is one clock.
  ///
  ///     Its 3 clocks are put on that of phone: server to within ±2.5 ms; watch by real time alone, …
  ///
  /// Looks at the bounds of the first clocks as often as `clocks` does; the others are counted.
  package var axisSentence: String? {
    let clocks = recording.clocks
    guard clocks.count > 1 else { return nil }
    let names = recording.names
    let others = clocks.indices.filter { $0 != references[0] }
    var told = others.prefix(Self.toldMax).map { "\(names[$0]) \(place(of: $0))" }
    let more = others.count - told.count
    if more > 0 {
      told.append("\(Quantity.count(more, "more clock")), which lifetrace clocks lists")
    }
    return "Its \(clocks.count) clocks are put on that of \(names[references[0]]): "
      + "\(told.joined(separator: "; "))."
  }

  /// More clocks are counted.
  private static let toldMax = 4

  /// By what a clock has its place on the axis, and how well it is known.
  private func place(of number: Int) -> String {
    let clocks = recording.clocks
    guard references[number] == references[0] else {
      let knowsReal = clocks.indices.contains {
        references[$0] == references[number] && clocks[$0].realOffset != nil
      }
      return knowsReal
        ? "by real time alone, which proves nothing"
        : "behind the others, as nothing compares their times"
    }
    let widths = ClockFacts.widths(self, clocks[number], number).map(\.nanoseconds)
    guard let worst = widths.compactMap({ $0 }).max() else {
      return "by messages that went one way only, and real time"
    }
    let half = Quantity.duration(worst / 2 + worst % 2)
    return widths.contains(nil) ? "to within ±\(half) where it is known" : "to within ±\(half)"
  }
}
