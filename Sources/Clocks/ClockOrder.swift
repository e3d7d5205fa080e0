// SPDX-License-Identifier: Apache-2.0

/// Which of two moments was first, for one who asks about many that lie close together.
///
///     var order = ClockOrder(graph)
///     order(Moment(0, sent), Moment(1, saved))      // what graph.order says
///
/// No clock goes back: what another one showed at the two ends of a short stretch of its times bounds what
/// it showed in between. So all chains of evidence are gone through twice a stretch, and again only for a
/// moment that lies about as near to a bound as the stretch is long.
package struct ClockOrder: Sendable {
  /// 131 µs: most bounds between machines are wider.
  private static let stretchBits: Int64 = 17
  /// Bounds are whole nanoseconds, rounded.
  private static let slack: Int64 = 4

  private struct Stretch {
    var number: Int64
    /// The graph's bounds at its first and at its last time; nil until it is asked about again.
    var ends: (first: [ClockGraph.Bounds], last: [ClockGraph.Bounds])?
  }

  private let graph: ClockGraph
  /// By clock: the one asked about last.
  private var stretches: [Stretch?]

  /// For moments of the clocks of `graph`.
  package init(_ graph: ClockGraph) {
    self.graph = graph
    stretches = Array(repeating: nil, count: graph.clockCount)
  }

  /// Which of the two was first.
  package mutating func callAsFunction(_ one: Moment, _ other: Moment) -> MomentOrder {
    let clocks = [one.clock, other.clock]
    // A clock that has stepped may have shown a time twice.
    guard one.clock != other.clock, clocks.allSatisfy({ graph.nodesOfClock[$0].count == 1 }) else {
      return graph.order(one, other)
    }
    if let order = graph.directOrder(one, other) { return order }
    let number = one.time >> Self.stretchBits
    guard stretches[one.clock]?.number == number else {
      stretches[one.clock] = Stretch(number: number)
      return graph.order(one, other)
    }
    let ends = stretches[one.clock]?.ends ?? ends(of: number, on: one.clock)
    stretches[one.clock]?.ends = ends
    let (early, late) = (
      graph.interval(ends.first, on: other.clock), graph.interval(ends.last, on: other.clock)
    )
    if let high = late.high, high < other.time { return .before }
    if let low = early.low, low > other.time { return .after }
    let mayBeBehind = early.high.map { other.time <= $0.minus(Self.slack) } ?? true
    let mayBeBefore = late.low.map { $0.plus(Self.slack) <= other.time } ?? true
    return mayBeBehind && mayBeBefore ? .cannotSay : graph.order(one, other)
  }

  private func ends(
    of number: Int64,
    on clock: Int
  ) -> (first: [ClockGraph.Bounds], last: [ClockGraph.Bounds]) {
    let first = number << Self.stretchBits
    let last = first | ((1 << Self.stretchBits) - 1)
    return (graph.bounds(of: Moment(clock, first)), graph.bounds(of: Moment(clock, last)))
  }
}
