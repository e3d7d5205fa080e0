// SPDX-License-Identifier: Apache-2.0

/// Which of many is first, asked for again and again while only the first one changes.
///
///     var tree = LoserTree([5, 3, 9])
///     tree.first                  // 1
///     tree.replaceFirst(with: 7)
///     tree.first                  // 0
///
/// Each inner node keeps who lost there, so that a new entry of the first one plays only those whom its
/// old entry has beaten: as many comparisons as the count has binary digits.
struct LoserTree<Entry: Comparable> {
  private(set) var entries: [Entry]
  /// By inner node, from 1: the leaf that lost there; at 0 the one that won all.
  private var losers: [Int32]

  /// Takes as many comparisons as there are entries.
  init(_ entries: [Entry]) {
    self.entries = entries
    let count = entries.count
    losers = Array(repeating: 0, count: max(1, count))
    guard count > 1 else { return }
    var winners = Array(repeating: Int32(0), count: 2 * count)
    for leaf in 0..<count { winners[count + leaf] = Int32(leaf) }
    for node in stride(from: count - 1, to: 0, by: -1) {
      let (left, right) = (winners[2 * node], winners[2 * node + 1])
      let isLeft = entries[Int(left)] < entries[Int(right)]
      winners[node] = isLeft ? left : right
      losers[node] = isLeft ? right : left
    }
    losers[0] = winners[1]
  }

  var isEmpty: Bool { entries.isEmpty }

  /// The leaf of the first entry; there must be one.
  var first: Int { Int(losers[0]) }

  /// The entry that would come first without the first, as many comparisons away as one takes to replace;
  /// nil where there is only one.
  var second: Entry? {
    guard entries.count > 1 else { return nil }
    var node = (entries.count + first) / 2
    var least = Int(losers[node])
    while node > 1 {
      node /= 2
      let loser = Int(losers[node])
      if entries[loser] < entries[least] { least = loser }
    }
    return entries[least]
  }

  /// Puts another entry in the place of the first.
  mutating func replaceFirst(with entry: Entry) {
    var winner = losers[0]
    entries[Int(winner)] = entry
    var node = (entries.count + Int(winner)) / 2
    while node > 0 {
      let loser = losers[node]
      if entries[Int(loser)] < entries[Int(winner)] {
        losers[node] = winner
        winner = loser
      }
      node /= 2
    }
    losers[0] = winner
  }
}
