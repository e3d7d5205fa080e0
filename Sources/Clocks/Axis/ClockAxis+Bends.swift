// SPDX-License-Identifier: Apache-2.0

extension ClockAxis {
  /// Lines are bent at so many moments at most.
  private static let bendsMax = 16_384
  /// And the worst message of so many stretches of the axis in one round.
  private static let stretches = 1_024
  /// So many messages are looked at in one round, 8 MB of them.
  private static let wrongMax = 1 << 17
  /// Bounds are rounded outward to whole nanoseconds, along a chain more than once.
  private static let rounding: Int64 = 16

  /// Leads lines through the exact middle of what is proved at the ends of messages that they contradict.
  ///
  /// Middles contradict no message and no rate: where one clock is at most `d` behind another one, the least
  /// that is proved of it is at most `d` behind the least of the other, and so are the greatest and, with
  /// these, their means. Straight lines between middles may leave the bounds, as these are widest between
  /// messages; one bend at each end of a message is enough for it.
  mutating func bend(
    _ graph: ClockGraph,
    _ each: (_ body: (Evidence) -> Void) -> Void,
    where counts: @escaping (Evidence) -> Bool
  ) {
    var bent: Set<Moment> = []
    while bent.count < Self.bendsMax {
      let worst = worstMessages(each, where: counts)
      var knots: [Int: [AxisMap.Knot]] = [:]
      for piece in worst {
        let ends = [piece.earlier, piece.later]
        guard ends.contains(where: { !bent.contains($0) }) else { continue }
        var places = ends.map { middle(of: $0, graph) }
        if let sent = places[0], let received = places[1], sent > received,
          sent.minus(received) <= Self.rounding
        {
          let isFixed = references[piece.later.clock] == piece.later.clock
          places[isFixed ? 0 : 1] = isFixed ? received : sent
        }
        for (end, place) in zip(ends, places) where bent.insert(end).inserted {
          guard let place, references[end.clock] != end.clock else { continue }
          knots[end.clock, default: []].append(.init(raw: end.time, axis: place))
        }
      }
      guard !knots.isEmpty else { return }
      for (clock, more) in knots { maps[clock] = maps[clock].through(more) }
    }
  }

  /// Of each stretch of the axis, and by the clock that receives, the message that stands most behind its
  /// send.
  private func worstMessages(
    _ each: (_ body: (Evidence) -> Void) -> Void,
    where counts: @escaping (Evidence) -> Bool
  ) -> [Evidence] {
    struct Place: Hashable {
      var clock: Int
      var stretch: Int64
    }
    var wrong: [(place: Int64, behind: Int64, piece: Evidence)] = []
    each { piece in
      guard wrong.count < Self.wrongMax, standsBefore(piece), counts(piece) else { return }
      let sent = maps[piece.earlier.clock].axis(piece.earlier.time)
      let received = maps[piece.later.clock].axis(piece.later.time)
      wrong.append((received, sent.minus(received), piece))
    }
    let first = wrong.map(\.place).min() ?? 0
    let last = wrong.map(\.place).max() ?? 0
    let length = max(1, last.minus(first) / Int64(Self.stretches))
    var worst: [Place: (behind: Int64, piece: Evidence)] = [:]
    for (place, behind, piece) in wrong {
      let place = Place(clock: piece.later.clock, stretch: place.minus(first) / length)
      if behind > worst[place]?.behind ?? 0 { worst[place] = (behind, piece) }
    }
    return worst.values.map(\.piece).sorted {
      ($0.later.clock, $0.later.time, $0.earlier.clock, $0.earlier.time)
        < ($1.later.clock, $1.later.time, $1.earlier.clock, $1.earlier.time)
    }
  }

  /// Where a moment stands by the middle of what is proved, or, where that has one end, as near to where it is
  /// as that allows; nil where nothing bounds it, or its clock may have stepped just then.
  private func middle(of moment: Moment, _ graph: ClockGraph) -> Int64? {
    let reference = references[moment.clock]
    guard moment.clock != reference else { return moment.time }
    guard graph.nodes(of: moment).count == 1 else { return nil }
    let interval = graph.interval(of: moment, on: reference)
    let place = maps[moment.clock].axis(moment.time)
    return switch (interval.low, interval.high) {
    case (let low?, let high?): low.plus(high.minus(low) / 2)
    case (let low?, nil): max(low, place)
    case (nil, let high?): min(high, place)
    case (nil, nil): nil
    }
  }
}
