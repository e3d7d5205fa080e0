// SPDX-License-Identifier: Apache-2.0

/// What becomes of evidence: stretches of clocks, and channels between them.
extension GraphBuilder {
  func addNodes(_ doubts: [[Doubt]], _ graph: inout ClockGraph) {
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
  func groups(
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

  func connect(_ key: Key, _ graph: inout ClockGraph) {
    guard let own = points[key], !own.isEmpty else { return }
    let limit = limit(key)
    let groups = groups(own, key, graph)
    // Where all of it is in doubt, they may go as any two clocks may.
    var widest = PairRate(unknown: groups.isEmpty ? limit : 0)
    for (nodes, all) in groups {
      let (spans, hidden) = (gaps[nodes] ?? [], hidden[nodes] ?? ([], []))
      let gaps = PairGaps(spans)
      let group = all.filter { !gaps.contain($0) }
      let rate = PairRate(group, limit: limit)
      if rate.wander > widest.wander { widest = rate }
      var back = PairRate(unknown: Self.turned(rate.wander, limit))
      back.trend = 1 / (1 + rate.trend) - 1
      let forward = group.filter(\.isUpper).map { ($0.x, $0.y) }
      let backward = group.filter { !$0.isUpper }.map { ($0.y, $0.x) }.sorted { $0.0 < $1.0 }
      add(
        Channel(forward, rate: rate, limit: limit, gaps: PairGaps(spans + hidden.upper)),
        from: nodes.x,
        to: nodes.y,
        &graph
      )
      add(
        Channel(
          backward,
          rate: back,
          limit: Self.turned(limit, limit),
          gaps: PairGaps(spans + hidden.lower).turned
        ),
        from: nodes.y,
        to: nodes.x,
        &graph
      )
    }
    let count = own.count(where: \.isUpper)
    let gone = gone(key)
    graph.pairs.append(
      .init(
        clocks: (key.x, key.y),
        counts: (count + gone.forward, own.count - count + gone.backward),
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
  func connectStretches(_ graph: inout ClockGraph) {
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
    let corners = channel.isWhole ? channel.corners : nil
    let place = graph.channels.count
    graph.leaving[from].append(.init(channel: place, node: to, corners: corners))
    graph.arriving[to].append(.init(channel: place, node: from, corners: corners))
    graph.channels.append(channel)
  }
}
