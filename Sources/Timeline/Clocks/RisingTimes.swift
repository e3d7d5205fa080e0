// SPDX-License-Identifier: Apache-2.0

/// Times that never fall, each of which may be lifted with all behind it.
///
///     var times = RisingTimes([1, 2, 9])
///     times.lift(from: 0, to: 5)        // 5, 5, 9
///
/// A lift and a look take as many steps as the count has binary digits, however
/// much a lift moves: the lifts stand in a Fenwick tree of prefix maxima.
struct RisingTimes {
  private let own: [Int64]
  private var lifts: [Int64]

  init(_ times: [Int64]) {
    own = times
    lifts = Array(repeating: .min, count: times.count + 1)
  }

  subscript(index: Int) -> Int64 {
    var time = own[index]
    var node = index + 1
    while node > 0 {
      time = max(time, lifts[node])
      node &= node - 1
    }
    return time
  }

  /// From `index` on no time is below `time`.
  mutating func lift(from index: Int, to time: Int64) {
    var node = index + 1
    while node < lifts.count {
      lifts[node] = max(lifts[node], time)
      node += node & -node
    }
  }
}
