// SPDX-License-Identifier: Apache-2.0

/// Makes a ``ClockGraph`` of evidence: points by pair, steps, what is set aside, channels.
struct GraphBuilder {
  private struct Key: Hashable {
    var x: Int
    var y: Int
  }

  private let bases: [Int64]
  private let rates: [ClockRate]
  private let evidence: [Evidence]
  private var points: [Key: [PairPoint]] = [:]
  private var keys: [Key] = []
  /// By pair of nodes: where their evidence may be wrong or both clocks have stepped.
  private var gaps: [Key: [PairScan.Span]] = [:]
  private var contradictions = Contradictions()
  /// By clock: the greatest time that it showed.
  private var lasts: [Double]

  init(_ bases: [Int64], _ rates: [ClockRate], _ evidence: [Evidence]) {
    self.bases = bases
    self.rates = rates
    self.evidence = evidence
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

  /// How many pieces of evidence a pair has.
  private func count(_ key: Key) -> Int { points[key].map(count(of:)) ?? 0 }

  private func count(of points: some Sequence<PairPoint>) -> Int {
    points.reduce(0) { $0 + Int(evidence[$1.evidence].count) }
  }

  private func limit(_ key: Key) -> Double { rates[key.x].errorMax + rates[key.y].errorMax }

  mutating func build(_ graph: inout ClockGraph) {
    var scans: [Key: PairScan] = [:]
    for key in keys { scans[key] = PairScan(points[key] ?? [], rate: limit(key)) }
    setAsideClocks(scans)
    blame(scans, &graph)
    for key in keys { setAsidePieces(of: key, graph) }
    graph.leaving = Array(repeating: [], count: graph.nodes.count)
    graph.arriving = Array(repeating: [], count: graph.nodes.count)
    for key in keys { connect(key, &graph) }
    connectStretches(&graph)
    setAsideLoops(&graph)
    contradictions.pieces.sort()
    graph.contradictions = contradictions
  }

  // MARK: - Steps

  private static let blameRoundsMax = 8

  /// Doubts clocks until no pair parts within a stretch of both of its clocks.
  private func blame(_ scans: [Key: PairScan], _ graph: inout ClockGraph) {
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
    let blame = StepBlame(steps, steady: steady, dense: dense)
    var (doubts, named) = (blame.doubts, blame.named)
    addNodes(doubts, &graph)
    for _ in 0..<Self.blameRoundsMax {
      let more = remainingSteps(doubts, graph)
      guard !more.isEmpty else { break }
      for (x, y, span) in more {
        for (clock, doubt) in [(x, span.x), (y, span.y)] {
          doubts[clock] = (doubts[clock] + [doubt]).united
          named[clock] = (named[clock] + [doubt]).united
        }
      }
      addNodes(doubts, &graph)
    }
    for (clock, own) in named.enumerated() {
      for doubt in own {
        let ends = [doubt.from, doubt.to].map { bases[clock] &+ Int64(clamping: $0) }
        graph.steps.append(ClockStep(clock: clock, from: ends[0], to: ends[1]))
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
        contradictions.pairs.append(.init(first: key.x, second: key.y, evidenceCount: count(key)))
        return forget { $0 == key }
      }
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
    func isBad(_ key: Key) -> Bool {
      guard let scan = scans[key] else { return false }
      return 8 * (scan.odd.count + 3 * scan.steps.count) > scan.count
        && scan.odd.count + scan.steps.count > 2
    }
    func isJudged(_ key: Key) -> Bool { (scans[key]?.count ?? 0) >= Self.judgedMin }
    while true {
      var worst: Contradictions.Clock?
      for clock in rates.indices {
        let own = keys.filter { ($0.x == clock || $0.y == clock) && isJudged($0) }
        let against = own.count(where: isBad)
        guard against > (worst?.against ?? 0), 2 * against >= own.count else { continue }
        worst = Contradictions.Clock(
          clock: clock,
          partners: own.count,
          against: against,
          evidenceCount: keys.reduce(0) {
            $1.x == clock || $1.y == clock ? $0 + count($1) : $0
          }
        )
      }
      // With one partner either of them may be wrong.
      guard let worst, worst.against > 1 else { break }
      contradictions.clocks.append(worst)
      forget { $0.x == worst.clock || $0.y == worst.clock }
    }
    for key in keys where isBad(key) {
      contradictions.pairs.append(.init(first: key.x, second: key.y, evidenceCount: count(key)))
    }
    forget(isBad)
  }

  /// Chains of clocks that contradict each other: who stands in most of them goes.
  private mutating func setAsideLoops(_ graph: inout ClockGraph) {
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
      guard !loops.isEmpty else { return }
      disconnect(loops, &graph)
    }
  }

  private static let loopStartsMax = 64

  /// Times at which chains are compared.
  private func samples(_ node: ClockGraph.Node) -> [Double] {
    let from = max(node.from, 0)
    let to = min(node.to, lasts[node.clock])
    return [0.1, 0.5, 0.9].map { from + $0 * (to - from) }
  }

  private mutating func disconnect(_ loops: [ClockGraph.Loop], _ graph: inout ClockGraph) {
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
      (pair.value, -count(pair.key), -pair.key.x, -pair.key.y)
    }
    let pair = ofPair.max { weight($0) < weight($1) }
    let clock = ofClock.max { ($0.value, -$0.key) < ($1.value, -$1.key) }
    guard let pair, let clock else { return }
    if loops.count > 2, clock.value > pair.value {
      let own = keys.filter { $0.x == clock.key || $0.y == clock.key }
      contradictions.clocks.append(
        .init(
          clock: clock.key,
          partners: own.count,
          against: own.count(where: { ofPair[$0] != nil }),
          evidenceCount: own.reduce(0) { $0 + count($1) }
        )
      )
      forget { $0.x == clock.key || $0.y == clock.key }
    } else {
      contradictions.pairs.append(
        .init(
          first: pair.key.x,
          second: pair.key.y,
          evidenceCount: count(pair.key)
        )
      )
      forget { $0 == pair.key }
    }
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

  // MARK: - Nodes and channels

  private func addNodes(_ doubts: [[Doubt]], _ graph: inout ClockGraph) {
    (graph.nodes, graph.nodesOfClock) = ([], [])
    for clock in rates.indices {
      let first = graph.nodes.count
      var from = -Double.infinity
      for doubt in doubts[clock] {
        graph.nodes.append(.init(clock: clock, from: from, to: doubt.from))
        from = doubt.to
      }
      graph.nodes.append(.init(clock: clock, from: from, to: .infinity))
      graph.nodesOfClock.append(Array(first..<graph.nodes.count))
    }
  }

  private func node(_ graph: ClockGraph, _ clock: Int, _ time: Double) -> Int? {
    graph.nodesOfClock[clock].first { graph.nodes[$0].from <= time && time <= graph.nodes[$0].to }
  }

  /// Points by the stretches of their clocks, in order; those in doubt belong to none.
  private func groups(
    _ points: [PairPoint],
    _ key: Key,
    _ graph: ClockGraph
  ) -> [(nodes: Key, points: [PairPoint])] {
    var groups: [Key: [PairPoint]] = [:]
    for point in points {
      guard let x = node(graph, key.x, point.x), let y = node(graph, key.y, point.y) else {
        continue
      }
      groups[Key(x: x, y: y), default: []].append(point)
    }
    return groups.sorted { ($0.key.x, $0.key.y) < ($1.key.x, $1.key.y) }
      .map { (nodes: $0.key, points: $0.value) }
  }

  private func connect(_ key: Key, _ graph: inout ClockGraph) {
    guard let own = points[key], !own.isEmpty else { return }
    var widest = PairRate(unknown: 0)
    for (nodes, all) in groups(own, key, graph) {
      let limit = limit(key)
      let gaps = PairGaps(gaps[nodes] ?? [])
      let group = all.filter { !gaps.contain($0) }
      let rate = PairRate(group, limit: limit)
      if rate.wander > widest.wander { widest = rate }
      var back = PairRate(unknown: Self.turned(rate.wander, limit))
      back.trend = 1 / (1 + rate.trend) - 1
      let forward = group.filter(\.isUpper).map { ($0.x, $0.y) }
      let backward = group.filter { !$0.isUpper }.map { ($0.y, $0.x) }.sorted { $0.0 < $1.0 }
      add(
        Channel(forward, rate: rate, limit: limit, gaps: gaps),
        from: nodes.x,
        to: nodes.y,
        &graph
      )
      add(
        Channel(backward, rate: back, limit: Self.turned(limit, limit), gaps: gaps.turned),
        from: nodes.y,
        to: nodes.x,
        &graph
      )
    }
    let forward = count(of: own.lazy.filter(\.isUpper))
    graph.pairs.append(
      .init(
        clocks: (key.x, key.y),
        counts: (forward, count(key) - forward),
        trend: widest.trend,
        wander: widest.wander
      )
    )
  }

  /// How far a rate of x against y may be from its middle where one of y against x may be `wander` from its.
  private static func turned(_ wander: Double, _ limit: Double) -> Double {
    wander / ((1 - limit) * (1 - limit))
  }

  /// A clock's times rise also over a step.
  private func connectStretches(_ graph: inout ClockGraph) {
    for (clock, own) in graph.nodesOfClock.enumerated() {
      for (one, next) in zip(own, own.dropFirst()) {
        let point = (graph.nodes[one].to, graph.nodes[next].from)
        let limit = 2 * rates[clock].errorMax
        add(
          Channel([point], rate: PairRate(unknown: limit), limit: limit),
          from: one,
          to: next,
          &graph
        )
      }
    }
  }

  private func add(_ channel: Channel, from: Int, to: Int, _ graph: inout ClockGraph) {
    guard channel.evidenceCount > 0 else { return }
    graph.leaving[from].append((graph.channels.count, to))
    graph.arriving[to].append((graph.channels.count, from))
    graph.channels.append(channel)
  }
}

extension Int64 {
  /// The whole number nearest to `value`, or the nearest that there is.
  init(clamping value: Double) {
    self = value >= 0x1p63 ? .max : value < -0x1p63 ? .min : Int64(value)
  }
}
