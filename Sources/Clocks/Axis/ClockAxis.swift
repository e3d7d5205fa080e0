// SPDX-License-Identifier: Apache-2.0

/// One axis for people: a line for each clock through the middle of what is proved, on which no message is
/// received before it was sent.
///
/// Clocks between which there is evidence form a group, whose axis is the time of one of them, the
/// group's reference. How groups lie to each other is not proved by anything here.
package struct ClockAxis: Sendable {
  /// By clock: from its times to those of its group's reference.
  package internal(set) var maps: [AxisMap]
  /// By clock: the reference of its group.
  package private(set) var references: [Int]
  /// Whether all messages that were not set aside keep their order; else some of them stand at one time.
  package private(set) var isOrdered = true

  /// Lines are bent so often at most, at equal distances.
  private static let placesMax = 256
  /// And not more often than each ten seconds.
  private static let placeNanoseconds: Int64 = 10_000_000_000

  /// The axis of the clocks of `graph`.
  ///
  /// `spans` are the times of each clock that are asked for; `guesses` are added to a time of a clock for
  /// about the same time on all of them, and decide only what `evidence` leaves open. Where evidence was
  /// let go for the graph, `all` hands all of it to who asks, as messages keep their order that bound
  /// nothing; it is called twice, and again as long as that moves one.
  package init(
    _ graph: ClockGraph,
    evidence: [Evidence],
    spans: [ClosedRange<Int64>?],
    guesses: [Int64?],
    all: ((_ body: (Evidence) -> Void) -> Void)? = nil
  ) {
    references = Self.references(graph)
    maps = spans.map { _ in AxisMap(shift: 0) }
    var members: [Int: [Int]] = [:]
    for (clock, reference) in references.enumerated() where clock != reference {
      members[reference, default: []].append(clock)
    }
    for (reference, members) in members {
      place(members, by: reference, graph, spans, guesses)
    }
    order(graph, evidence, all)
  }

  /// By clock: of its group the one that has evidence with most others, without steps where there is one.
  private static func references(_ graph: ClockGraph) -> [Int] {
    var root = Array(0..<graph.clockCount)
    func top(_ clock: Int) -> Int {
      var clock = clock
      while root[clock] != clock { clock = root[clock] }
      return clock
    }
    var partners = Array(repeating: 0, count: graph.clockCount)
    for pair in graph.pairs {
      let (one, other) = (top(pair.clocks.0), top(pair.clocks.1))
      root[max(one, other)] = min(one, other)
      partners[pair.clocks.0] += 1
      partners[pair.clocks.1] += 1
    }
    for clock in graph.steps.map(\.clock) { partners[clock] -= graph.clockCount }
    var best: [Int: Int] = [:]
    for clock in root.indices {
      let group = top(clock)
      if best[group].map({ partners[clock] > partners[$0] }) ?? true { best[group] = clock }
    }
    return root.indices.map { best[top($0)] ?? $0 }
  }

  private mutating func place(
    _ members: [Int],
    by reference: Int,
    _ graph: ClockGraph,
    _ spans: [ClosedRange<Int64>?],
    _ guesses: [Int64?]
  ) {
    guard !members.isEmpty else { return }
    func guess(_ clock: Int) -> Int64? {
      guard let own = guesses[clock], let its = guesses[reference] else { return nil }
      return own.minus(its)
    }
    var knots: [Int: [AxisMap.Knot]] = [:]
    var first = spans[reference]?.lowerBound
    var last = spans[reference]?.upperBound
    // Where a clock begins, ends and steps, what it shows is looked up by its own time.
    for clock in members {
      var own = spans[clock].map { [$0.lowerBound, $0.upperBound] } ?? []
      let steps = graph.steps.filter { $0.clock == clock }
      own += steps.flatMap { [$0.from, $0.to] }
      func axis(_ raw: Int64) -> Int64? {
        let interval = graph.interval(of: Moment(clock, raw), on: reference)
        return Self.middle(interval, guess: guess(clock).map(raw.plus))
      }
      for step in steps {
        guard let from = axis(step.from), let to = axis(step.to) else { continue }
        knots[clock, default: []].append(Self.early(step, from, to))
      }
      for raw in own {
        guard let axis = axis(raw) else { continue }
        knots[clock, default: []].append(.init(raw: raw, axis: axis))
        first = min(first ?? axis, axis)
        last = max(last ?? axis, axis)
      }
    }
    guard let first, let last else { return }
    let count = min(last.minus(first) / Self.placeNanoseconds, Int64(Self.placesMax))
    for number in 0..<max(0, count) {
      let time = first.plus(last.minus(first) / count * number)
      for (clock, interval) in graph.sureIntervals(of: Moment(reference, time))
      where references[clock] == reference && clock != reference {
        let own = guess(clock).map { time.minus($0) }
        guard let raw = Self.middle(interval, guess: own) else { continue }
        knots[clock, default: []].append(.init(raw: raw, axis: time))
      }
    }
    for clock in members {
      let line = (knots[clock] ?? []).sorted { ($0.raw, $0.axis) < ($1.raw, $1.axis) }
      if let map = AxisMap(line) { maps[clock] = map }
    }
  }

  /// How the line goes from before a step to behind it: never later than either side has it.
  ///
  /// A time that stands too early is lifted by messages; one that stands too late would lift others.
  private static func early(_ step: ClockStep, _ from: Int64, _ to: Int64) -> AxisMap.Knot {
    let (shown, gone) = (step.to.minus(step.from), to.minus(from))
    return shown > gone
      ? AxisMap.Knot(raw: step.to.minus(gone), axis: from)
      : AxisMap.Knot(raw: step.to.minus(1), axis: from.plus(shown).minus(1))
  }

  private static func middle(_ interval: ClockInterval, guess: Int64?) -> Int64? {
    switch (interval.low, interval.high) {
    case (let low?, let high?): low.plus(high.minus(low) / 2)
    case (let low?, nil): max(low, guess ?? low)
    case (nil, let high?): min(high, guess ?? high)
    case (nil, nil): guess
    }
  }

  // MARK: - Messages

  /// Rounds after which what still moves is given up.
  private static let roundsMax = 100

  /// Bends lines, and lifts what is left, until no message that counts stands before its send.
  private mutating func order(
    _ graph: ClockGraph,
    _ evidence: [Evidence],
    _ all: ((_ body: (Evidence) -> Void) -> Void)?
  ) {
    let odd = Set(graph.contradictions.pieces)
    let known = Set(graph.pairs.map { ThinnedEvidence.Pair($0.clocks.0, $0.clocks.1) })
    let used = evidence.indices.filter { !odd.contains($0) && known.contains(evidence[$0].pair) }
    order(graph) { body in
      used.forEach { body(evidence[$0]) }
    } where: { _ in
      true
    }
    guard let all, isOrdered else { return }
    // What was let go may be what others contradict: it moves nothing then.
    order(graph, all) { piece in
      known.contains(piece.pair) && graph.order(piece.earlier, piece.later) != .after
    }
  }

  /// The same for the messages that `each` hands out; only of those that stand wrong it is asked whether
  /// they count.
  private mutating func order(
    _ graph: ClockGraph,
    _ each: (_ body: (Evidence) -> Void) -> Void,
    where counts: @escaping (Evidence) -> Bool
  ) {
    bend(graph, each, where: counts)
    lift(graph, each, where: counts)
  }

  /// Whether a message stands where it is received before it was sent.
  func standsBefore(_ piece: Evidence) -> Bool {
    maps[piece.later.clock].axis(piece.later.time)
      < maps[piece.earlier.clock].axis(piece.earlier.time)
  }

  /// Lifts receives until none stands before its send; gives up after some rounds.
  private mutating func lift(
    _ graph: ClockGraph,
    _ each: (_ body: (Evidence) -> Void) -> Void,
    where counts: @escaping (Evidence) -> Bool
  ) {
    var lifts: [Int: [AxisMap.Knot]] = [:]
    var drops: [Int: [AxisMap.Knot]] = [:]
    let stepped = Set(
      references.indices.filter { graph.nodesOfClock[$0].count > 1 }.map { references[$0] }
    )
    let lines = maps
    for round in 0... {
      var found: Set<Int> = []
      each { piece in
        guard standsBefore(piece), counts(piece) else { return }
        let (earlier, later) = (piece.earlier, piece.later)
        // The reference's own times stay what they are, unless a clock that has stepped may have shown some
        // twice.
        if references[later.clock] == later.clock, !stepped.contains(later.clock) {
          let received = maps[later.clock].axis(later.time)
          drops[earlier.clock, default: []].append(.init(raw: earlier.time, axis: received))
          found.insert(earlier.clock)
        } else {
          let sent = maps[earlier.clock].axis(earlier.time)
          lifts[later.clock, default: []].append(.init(raw: later.time, axis: sent))
          found.insert(later.clock)
        }
      }
      guard !found.isEmpty else { return }
      guard round < Self.roundsMax else {
        isOrdered = false
        return
      }
      for clock in found {
        maps[clock] = lines[clock].lifted(lifts[clock] ?? []).lowered(drops[clock] ?? [])
      }
    }
  }
}

extension ClockGraph {
  /// When a moment was on each other clock that had surely not stepped, or had, around then.
  func sureIntervals(of moment: Moment) -> [(clock: Int, interval: ClockInterval)] {
    guard nodes(of: moment).count == 1 else { return [] }
    let found = bounds(of: moment)
    return found.indices.compactMap { node in
      let own = nodes[node]
      guard found[node].low >= own.from, found[node].high <= own.to else { return nil }
      let interval = ClockInterval(
        low: time(found[node].low, of: own.clock, up: false),
        high: time(found[node].high, of: own.clock, up: true)
      )
      return interval.low == nil && interval.high == nil ? nil : (own.clock, interval)
    }
  }
}
