// SPDX-License-Identifier: Apache-2.0

/// What the evidence proves about clocks of different machines: when it was what, on each of them.
///
///     let graph = ClockGraph(clocks: [.counter, .counter], evidence: evidence)
///     graph.interval(of: Moment(0, sent), on: 1)       // from low to high
///     graph.order(Moment(0, sent), Moment(1, saved))   // before, after, or it cannot be said
///
/// Each piece of evidence bounds one clock by another at one moment, and rates carry the bound to other
/// moments (``PairRate``). Bounds of different clocks are chained, and the tightest of all chains counts.
/// Where a pair of clocks parts faster than rates allow, one of them has stepped: before and after it they
/// are bounded apart, never averaged. What contradicts the rest is set aside and counted: a clock
/// that most of its partners contradict, a pair, or a message.
///
/// To make one takes a few sorts of the evidence; a question takes a few looks at each pair of clocks.
package struct ClockGraph: Sendable {
  /// A stretch of a clock's times without a step; bounds are between these.
  struct Node {
    var clock: Int
    /// The times of its clock that are surely its own.
    var from: Double
    var to: Double
  }

  /// What two clocks have to do with each other.
  package struct Pair: Sendable {
    /// The two clocks, the one with the smaller number first.
    package let clocks: (Int, Int)
    /// How many pieces of evidence say that the first was not after the second, and the other way.
    package internal(set) var counts: (forward: Int, backward: Int)
    /// By how much the second gains on the first, as a fraction; 0 where no trend is supported.
    package internal(set) var trend: Double
    /// How far their rates may differ from that.
    package internal(set) var wander: Double
  }

  /// How many clocks there are.
  package var clockCount: Int { bases.count }
  /// The pairs of clocks with evidence, in order.
  package internal(set) var pairs: [Pair] = []
  /// Where clocks have stepped, by clock and time.
  package internal(set) var steps: [ClockStep] = []
  /// What was set aside.
  package internal(set) var contradictions = Contradictions()

  /// A time of each clock from which its times count here.
  let bases: [Int64]
  var nodes: [Node] = []
  /// By clock: its nodes, in order of time.
  var nodesOfClock: [[Int]] = []
  var channels: [Channel] = []
  /// By node: the channels from it, and the nodes to which they lead.
  var leaving: [[Way]] = []
  /// By node: the channels to it, and the nodes that they come from.
  var arriving: [[Way]] = []

  /// A channel by its place, and the node at its other end.
  struct Way {
    let channel: Int
    let node: Int
    /// All of the channel, where it is whole.
    let corners: ChannelCorners?
  }

  func upper(_ way: Way, _ x: Double) -> Double {
    way.corners?.upper(x) ?? channels[way.channel].upper(x)
  }

  func lower(_ way: Way, _ y: Double) -> Double {
    way.corners?.lower(y) ?? channels[way.channel].lower(y)
  }

  /// What `evidence` proves of as many clocks as there are in `clocks`, whose errors of rate these are.
  ///
  /// `gone` counts what was let go before: it weighs in what is said of pairs, and proves nothing more.
  package init(
    clocks: [ClockRate],
    evidence: [Evidence],
    gone: [ThinnedEvidence.Pair: ThinnedEvidence.Gone] = [:]
  ) {
    var bases = [Int64?](repeating: nil, count: clocks.count)
    for piece in evidence {
      for moment in [piece.earlier, piece.later] {
        bases[moment.clock] = min(bases[moment.clock] ?? .max, moment.time)
      }
    }
    self.bases = bases.map { $0 ?? 0 }
    var builder = GraphBuilder(self.bases, clocks, evidence, gone)
    builder.build(&self)
  }

  /// A time of a clock as it counts here.
  func local(_ moment: Moment) -> Double {
    let (time, overflow) = moment.time.subtractingReportingOverflow(bases[moment.clock])
    return overflow ? (moment.time < 0 ? -0x1p63 : 0x1p63) : Double(time)
  }

  func time(_ local: Double, of clock: Int, up: Bool) -> Int64? {
    guard local.isFinite else { return nil }
    // One more than rounding could take away.
    let whole = up ? local.rounded(.up) + 1 : local.rounded(.down) - 1
    guard abs(whole) < 0x1p62 else { return nil }
    let (time, overflow) = bases[clock].addingReportingOverflow(Int64(whole))
    return overflow ? nil : time
  }

  /// When `moment` was, on another clock.
  package func interval(of moment: Moment, on clock: Int) -> ClockInterval {
    if moment.clock == clock { return ClockInterval(low: moment.time, high: moment.time) }
    return interval(bounds(of: moment), on: clock)
  }

  /// When a moment whose bounds these are was, on one clock: in one of its stretches or between two.
  ///
  /// The bounds of a node are of what its clock would show had it always gone as it did in that stretch.
  func interval(_ found: [Bounds], on clock: Int) -> ClockInterval {
    let own = nodesOfClock[clock]
    var hull = Bounds(low: .infinity, high: -.infinity)
    func add(_ low: Double, _ high: Double) {
      guard low <= high else { return }
      hull.low = min(hull.low, low)
      hull.high = max(hull.high, high)
    }
    for node in own {
      add(max(found[node].low, nodes[node].from), min(found[node].high, nodes[node].to))
    }
    for (one, next) in zip(own, own.dropFirst())
    where found[one].high >= nodes[one].to && found[next].low <= nodes[next].from {
      add(nodes[one].to, nodes[next].from)
    }
    // Evidence that was set aside nowhere and yet leaves no time: nothing is said.
    if hull.low > hull.high { hull = Bounds() }
    return ClockInterval(
      low: time(hull.low, of: clock, up: false),
      high: time(hull.high, of: clock, up: true)
    )
  }

  /// Which of two moments was first.
  package func order(_ one: Moment, _ other: Moment) -> MomentOrder {
    if one.clock == other.clock {
      return one.time < other.time ? .before : one.time > other.time ? .after : .cannotSay
    }
    if let order = directOrder(one, other) { return order }
    let there = interval(of: one, on: other.clock)
    if let high = there.high, high < other.time { return .before }
    if let low = there.low, low > other.time { return .after }
    return .cannotSay
  }

  /// Which was first, by what the two clocks have to do with each other; nil where that does not say.
  ///
  /// It needs no look at other clocks, whose evidence only narrows what is known.
  func directOrder(_ one: Moment, _ other: Moment) -> MomentOrder? {
    let (from, to) = (nodes(of: one), nodes(of: other))
    guard from.count == 1, to.count == 1 else { return nil }
    for way in leaving[from[0]] where way.node == to[0] {
      let high = time(upper(way, local(one)), of: other.clock, up: true)
      if let high, high < other.time { return .before }
    }
    for way in arriving[from[0]] where way.node == to[0] {
      let low = time(lower(way, local(one)), of: other.clock, up: false)
      if let low, low > other.time { return .after }
    }
    return nil
  }

  /// Nanoseconds from one moment to another, on the clock of the second: from the least to the most.
  package func duration(from one: Moment, to other: Moment) -> ClockInterval {
    let start = interval(of: one, on: other.clock)
    func since(_ time: Int64) -> Int64 {
      let (length, overflow) = other.time.subtractingReportingOverflow(time)
      return overflow ? (other.time < time ? .min : .max) : length
    }
    return ClockInterval(low: start.high.map(since), high: start.low.map(since))
  }
}
