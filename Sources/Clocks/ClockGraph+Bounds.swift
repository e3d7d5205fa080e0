// SPDX-License-Identifier: Apache-2.0

extension ClockGraph {
  /// The bounds of one moment on every stretch of every clock.
  struct Bounds {
    var low = -Double.infinity
    var high = Double.infinity

    var width: Double { high - low }
  }

  /// The nodes that a moment may belong to: two where it is in doubt.
  func nodes(of moment: Moment) -> [Int] {
    let own = nodesOfClock[moment.clock]
    let time = local(moment)
    let sure = own.first { nodes[$0].from <= time && time <= nodes[$0].to }
    if let sure { return [sure] }
    let next = own.firstIndex { nodes[$0].from > time } ?? own.count
    return [next - 1, next].filter(own.indices.contains).map { own[$0] }
  }

  /// The moment by node, through the tightest of all chains of evidence.
  ///
  /// Where it is in doubt, only that its clock does not run back is known: it was not before the end of the
  /// one stretch and not after the start of the next one.
  func bounds(of moment: Moment) -> [Bounds] {
    let starts = nodes(of: moment)
    let time = local(moment)
    var bounds = [Bounds](repeating: Bounds(), count: nodes.count)
    for start in starts {
      let own = nodes[start]
      if own.to < time {
        bounds[start].low = own.to
      } else if time < own.from {
        bounds[start].high = own.from
      } else {
        bounds[start] = Bounds(low: time, high: time)
      }
    }
    _ = spread(&bounds, from: starts)
    return bounds
  }

  /// Lets bounds go on from node to node until none gets tighter.
  ///
  /// Returns a node at which they contradict each other, if there is one, with how it was reached.
  func spread(_ bounds: inout [Bounds], from starts: [Int]) -> Loop? {
    var queue = starts
    var isQueued = [Bool](repeating: false, count: nodes.count)
    var visits = [Int](repeating: 0, count: nodes.count)
    var cameFrom = [(low: Int, high: Int)](repeating: (-1, -1), count: nodes.count)
    for start in starts { isQueued[start] = true }
    var at = 0
    while at < queue.count {
      // Of those that nothing went on from yet the tightest comes next: it is hardly tightened any more.
      var tightest = at
      for place in at..<queue.count where visits[queue[place]] == 0 {
        let isFirst = visits[queue[tightest]] > 0
        if isFirst || bounds[queue[place]].width < bounds[queue[tightest]].width {
          tightest = place
        }
      }
      let node = queue[tightest]
      queue.swapAt(at, tightest)
      at += 1
      isQueued[node] = false
      visits[node] += 1
      guard visits[node] <= nodes.count + 1 else { return Loop(at: node, cameFrom) }
      let here = bounds[node]
      for way in leaving[node] {
        let next = way.node
        let high = upper(way, here.high)
        guard high < bounds[next].high - Self.stir else { continue }
        bounds[next].high = high
        cameFrom[next].high = node
        if bounds[next].low > high + Self.slack { return Loop(at: next, cameFrom) }
        if !isQueued[next] {
          isQueued[next] = true
          queue.append(next)
        }
      }
      for way in arriving[node] {
        let next = way.node
        let low = lower(way, here.low)
        guard low > bounds[next].low + Self.stir else { continue }
        bounds[next].low = low
        cameFrom[next].low = node
        if low > bounds[next].high + Self.slack { return Loop(at: next, cameFrom) }
        if !isQueued[next] {
          isQueued[next] = true
          queue.append(next)
        }
      }
    }
    return nil
  }

  /// Less is no news: the eighth part of a nanosecond.
  private static let stir = 0.125
  /// Rounding along a chain.
  private static let slack = 8.0

  /// Pairs of nodes along two chains that contradict each other.
  struct Loop {
    var hops: Set<Hop> = []

    struct Hop: Hashable {
      var from: Int
      var to: Int
    }

    init(at node: Int, _ cameFrom: [(low: Int, high: Int)]) {
      for way in [\(low: Int, high: Int).low, \.high] {
        var here = node
        while cameFrom[here][keyPath: way] >= 0 {
          let from = cameFrom[here][keyPath: way]
          guard hops.insert(Hop(from: min(from, here), to: max(from, here))).inserted else { break }
          here = from
        }
      }
    }
  }
}
