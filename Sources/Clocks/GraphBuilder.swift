// SPDX-License-Identifier: Apache-2.0

/// Makes a ``ClockGraph`` of evidence: points by pair, steps, what is set aside, channels.
struct GraphBuilder {
  struct Key: Hashable {
    var x: Int
    var y: Int
  }

  let bases: [Int64]
  let rates: [ClockRate]
  private let gone: [ThinnedEvidence.Pair: ThinnedEvidence.Gone]
  private(set) var points: [Key: [PairPoint]] = [:]
  private var keys: [Key] = []
  /// By pair of nodes: where their evidence may be wrong or both clocks have stepped.
  private(set) var gaps: [Key: [PairScan.Span]] = [:]
  /// By pair of nodes: where a step may be hidden, for the bounds of one side.
  private(set) var hidden: [Key: (upper: [PairScan.Span], lower: [PairScan.Span])] = [:]
  private var contradictions = Contradictions()
  /// By clock: the greatest time that it showed.
  private var lasts: [Double]
  /// By clock: when it may have stepped.
  private var doubts: [[Doubt]] = []
  /// By clock: those of them that are told as its steps.
  private var named: [[Doubt]] = []
  /// Where pairs part, which steps explain.
  private var partings: [StepBlame.Step] = []
  /// Clocks whose steps were looked for in too small a place.
  private var widened: Set<Int> = []

  init(
    _ bases: [Int64],
    _ rates: [ClockRate],
    _ evidence: [Evidence],
    _ gone: [ThinnedEvidence.Pair: ThinnedEvidence.Gone]
  ) {
    self.bases = bases
    self.rates = rates
    self.gone = gone
    lasts = Array(repeating: 0, count: rates.count)
    for piece in evidence {
      for moment in [piece.earlier, piece.later] {
        lasts[moment.clock] = max(lasts[moment.clock], local(moment))
      }
    }
    for (index, piece) in evidence.enumerated() where piece.earlier.clock != piece.later.clock {
      let isForward = piece.earlier.clock < piece.later.clock
      let (x, y) = isForward ? (piece.earlier, piece.later) : (piece.later, piece.earlier)
      points[Key(x: x.clock, y: y.clock), default: []].append(
        PairPoint(x: local(x), y: local(y), isUpper: isForward, evidence: index)
      )
    }
    keys = points.keys.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    for key in keys { points[key]?.sort { $0.x < $1.x } }
  }

  private func local(_ moment: Moment) -> Double {
    let (time, overflow) = moment.time.subtractingReportingOverflow(bases[moment.clock])
    return overflow ? 0x1p63 : Double(time)
  }

  /// What was let go of a pair.
  func gone(_ key: Key) -> ThinnedEvidence.Gone {
    gone[.init(key.x, key.y)] ?? .init()
  }

  /// How many pieces of evidence a pair has had.
  private func evidenceCount(_ key: Key) -> Int { (points[key]?.count ?? 0) + gone(key).count }

  func limit(_ key: Key) -> Double { rates[key.x].errorMax + rates[key.y].errorMax }

  mutating func build(_ graph: inout ClockGraph) {
    var scans: [Key: PairScan] = [:]
    for key in keys { scans[key] = PairScan(points[key] ?? [], rate: limit(key)) }
    setAsideClocks(scans)
    blame(scans, &graph)
    var whole = self
    connect(&graph)
    // A step that was looked for in the wrong place makes chains contradict each other: then it is anywhere
    // where one step explains what is known of it, before the clock is set aside for that.
    while let clock = setAsideLoops(&graph) {
      whole.widen(clock, scans, &graph)
      self = whole
      connect(&graph)
    }
    contradictions.pieces.sort()
    graph.contradictions = contradictions
  }

  // MARK: - Steps

  private static let blameRoundsMax = 8

  /// Doubts the clocks that may have stepped.
  private mutating func blame(_ scans: [Key: PairScan], _ graph: inout ClockGraph) {
    var steady = [[Doubt]](repeating: [], count: rates.count)
    var dense = steady
    for key in keys {
      guard let scan = scans[key] else { continue }
      steady[key.x] += scan.steady.map(\.x)
      steady[key.y] += scan.steady.map(\.y)
      dense[key.x] += scan.dense.map(\.x)
      dense[key.y] += scan.dense.map(\.y)
    }
    let steps: [StepBlame.Step] = keys.flatMap { key in
      (scans[key]?.steps ?? []).map { (x: key.x, y: key.y, span: $0) }
    }
    partings = steps
    let blame = StepBlame(steps, steady: steady, dense: dense)
    (doubts, named) = (blame.doubts, blame.named)
    settle(&graph)
  }

  /// Lets a clock have stepped anywhere where one step explains all that a step of it was to explain.
  private mutating func widen(
    _ clock: Int,
    _ scans: [Key: PairScan],
    _ graph: inout ClockGraph
  ) {
    let spans = keys.flatMap { key -> [Doubt] in
      guard let steps = scans[key]?.steps else { return [] }
      return key.x == clock ? steps.map(\.x) : key.y == clock ? steps.map(\.y) : []
    }
    func common(_ doubt: Doubt) -> Doubt {
      let explained = spans.filter { $0.from < doubt.to && doubt.from < $0.to }
      // Those that leave it least room first: others may be of another step as well.
      var common = Doubt(from: -.infinity, to: .infinity)
      for span in explained.sorted(by: { $0.to - $0.from < $1.to - $1.from })
      where span.from < common.to && common.from < span.to {
        common = Doubt(from: max(common.from, span.from), to: min(common.to, span.to))
      }
      return explained.isEmpty ? doubt : common
    }
    doubts[clock] = (doubts[clock] + doubts[clock].map(common)).united
    named[clock] = named[clock].map(common).united
    widened.insert(clock)
    settle(&graph)
  }

  /// Doubts more clocks until no pair parts within a stretch of both of its clocks.
  private mutating func settle(_ graph: inout ClockGraph) {
    addNodes(doubts, &graph)
    for _ in 0..<Self.blameRoundsMax {
      let more = remainingSteps(doubts, graph)
      guard !more.isEmpty else { break }
      partings += more
      for (x, y, span) in more {
        for (clock, doubt) in [(x, span.x), (y, span.y)] {
          doubts[clock] = (doubts[clock] + [doubt]).united
          named[clock] = (named[clock] + [doubt]).united
        }
      }
      addNodes(doubts, &graph)
    }
    graph.steps = StepBlame.others(named, partings).enumerated().flatMap { clock, others in
      zip(named[clock], others).map { doubt, others in
        let ends = [doubt.from, doubt.to].map { bases[clock] &+ Int64(clamping: $0) }
        return ClockStep(clock: clock, from: ends[0], to: ends[1], others: others.sorted())
      }
    }
  }

  /// Where pairs part though neither of their clocks is in doubt.
  private func remainingSteps(_ doubts: [[Doubt]], _ graph: ClockGraph) -> [StepBlame.Step] {
    var steps: [StepBlame.Step] = []
    for key in keys where !doubts[key.x].isEmpty || !doubts[key.y].isEmpty {
      for (_, group) in groups(points[key] ?? [], key, graph) {
        steps += PairScan(group, rate: limit(key)).steps.map { (x: key.x, y: key.y, span: $0) }
      }
    }
    return steps
  }

  // MARK: - What is set aside

  /// What contradicts the rest of its stretch; the pair, where the stretch still falls apart.
  private mutating func setAsidePieces(of key: Key, _ graph: ClockGraph) {
    guard let own = points[key] else { return }
    for (nodes, group) in groups(own, key, graph) {
      let scan = PairScan(group, rate: limit(key))
      guard scan.steps.isEmpty else {
        contradictions.pairs.append(
          .init(first: key.x, second: key.y, evidenceCount: evidenceCount(key))
        )
        return forget { $0 == key }
      }
      hidden[nodes] = scan.hidden
      let gone = Set(scan.odd)
      guard !gone.isEmpty else { continue }
      points[key]?.removeAll { gone.contains($0.evidence) }
      contradictions.pieces += scan.odd
      gaps[nodes] = scan.gaps
    }
  }

  private mutating func forget(_ gone: (Key) -> Bool) {
    for key in keys where gone(key) { points[key] = nil }
    keys.removeAll(where: gone)
  }

  /// Fewer pieces of evidence say little about who is wrong.
  private static let judgedMin = 8

  /// Clocks that contradict themselves with most of their partners, the worst one first.
  private mutating func setAsideClocks(_ scans: [Key: PairScan]) {
    func isBad(_ key: Key, beyond few: Int) -> Bool {
      guard let scan = scans[key] else { return false }
      return 8 * (scan.odd.count + 3 * scan.steps.count) > scan.count + gone(key).agreeing
        && scan.odd.count + scan.steps.count > few
    }
    func isJudged(_ key: Key) -> Bool { (scans[key]?.count ?? 0) >= Self.judgedMin }
    while true {
      var worst: Contradictions.Clock?
      for clock in rates.indices {
        let own = keys.filter { ($0.x == clock || $0.y == clock) && isJudged($0) }
        let against = own.count { isBad($0, beyond: 2) }
        guard against > (worst?.against ?? 0), 2 * against >= own.count else { continue }
        worst = Contradictions.Clock(
          clock: clock,
          partners: own.count,
          against: against,
          evidenceCount: keys.reduce(0) {
            $1.x == clock || $1.y == clock ? $0 + evidenceCount($1) : $0
          }
        )
      }
      // With one partner either of them may be wrong.
      guard let worst, worst.against > 1 else { break }
      contradictions.clocks.append(worst)
      forget { $0.x == worst.clock || $0.y == worst.clock }
    }
    // A pair that has no others beside it has to be worse: two steps within a few messages are no lie.
    let bad = keys.filter { isBad($0, beyond: 3) }
    for key in bad {
      contradictions.pairs.append(
        .init(first: key.x, second: key.y, evidenceCount: evidenceCount(key))
      )
    }
    forget(bad.contains)
  }

  /// Chains of clocks that contradict each other: who stands in most of them goes.
  ///
  /// Ends at a clock that has stepped, and whose step may be elsewhere; nil where nothing is left.
  private mutating func setAsideLoops(_ graph: inout ClockGraph) -> Int? {
    while true {
      var loops: [ClockGraph.Loop] = []
      // A chain that contradicts itself shows from wherever it can be reached.
      let stride = max(1, graph.nodes.count / Self.loopStartsMax)
      for node in Swift.stride(from: 0, to: graph.nodes.count, by: stride)
      where !graph.leaving[node].isEmpty {
        for time in samples(graph.nodes[node]) {
          var bounds = [ClockGraph.Bounds](repeating: .init(), count: graph.nodes.count)
          bounds[node] = .init(low: time, high: time)
          if let loop = graph.spread(&bounds, from: [node]) {
            loops.append(loop)
            break
          }
        }
      }
      guard !loops.isEmpty else { return nil }
      if let clock = disconnect(loops, &graph) { return clock }
    }
  }

  private static let loopStartsMax = 64

  /// Times at which chains are compared.
  private func samples(_ node: ClockGraph.Node) -> [Double] {
    let from = max(node.from, 0)
    let to = min(node.to, lasts[node.clock])
    return [0.1, 0.5, 0.9].map { from + $0 * (to - from) }
  }

  /// The clock that is to be widened instead, if it is one.
  private mutating func disconnect(
    _ loops: [ClockGraph.Loop],
    _ graph: inout ClockGraph
  ) -> Int? {
    var ofClock: [Int: Int] = [:]
    var ofPair: [Key: Int] = [:]
    for loop in loops {
      var clocks: Set<Int> = []
      var pairs: Set<Key> = []
      for hop in loop.hops {
        let (one, other) = (graph.nodes[hop.from].clock, graph.nodes[hop.to].clock)
        clocks.formUnion([one, other])
        if one != other { pairs.insert(Key(x: min(one, other), y: max(one, other))) }
      }
      for clock in clocks { ofClock[clock, default: 0] += 1 }
      for pair in pairs { ofPair[pair, default: 0] += 1 }
    }
    // A pair that explains as much as a clock does is the smaller thing to give up.
    func weight(_ pair: (key: Key, value: Int)) -> (Int, Int, Int, Int) {
      (pair.value, -evidenceCount(pair.key), -pair.key.x, -pair.key.y)
    }
    let pair = ofPair.max { weight($0) < weight($1) }
    let clock = ofClock.max { ($0.value, -$0.key) < ($1.value, -$1.key) }
    guard let pair, let clock else { return nil }
    if loops.count > 2, clock.value > pair.value {
      if !doubts[clock.key].isEmpty, !widened.contains(clock.key) { return clock.key }
      let own = keys.filter { $0.x == clock.key || $0.y == clock.key }
      contradictions.clocks.append(
        .init(
          clock: clock.key,
          partners: own.count,
          against: own.count(where: { ofPair[$0] != nil }),
          evidenceCount: own.reduce(0) { $0 + evidenceCount($1) }
        )
      )
      forget { $0.x == clock.key || $0.y == clock.key }
    } else {
      contradictions.pairs.append(
        .init(
          first: pair.key.x,
          second: pair.key.y,
          evidenceCount: evidenceCount(pair.key)
        )
      )
      forget { $0 == pair.key }
    }
    reconnect(&graph)
    return nil
  }

  private mutating func connect(_ graph: inout ClockGraph) {
    for key in keys { setAsidePieces(of: key, graph) }
    graph.leaving = Array(repeating: [], count: graph.nodes.count)
    graph.arriving = Array(repeating: [], count: graph.nodes.count)
    reconnect(&graph)
  }

  private func reconnect(_ graph: inout ClockGraph) {
    graph.pairs = []
    graph.channels = []
    for node in graph.nodes.indices {
      graph.leaving[node] = []
      graph.arriving[node] = []
    }
    for key in keys { connect(key, &graph) }
    connectStretches(&graph)
  }
}

extension Int64 {
  /// The whole number nearest to `value`, or the nearest that there is.
  init(clamping value: Double) {
    self = value >= 0x1p63 ? .max : value < -0x1p63 ? .min : Int64(value)
  }
}
