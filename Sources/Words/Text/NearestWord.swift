// SPDX-License-Identifier: Apache-2.0

/// The known word that is nearest to `word`, if one is near enough to have been meant.
package func nearest(to word: String, among known: [String]) -> String? {
  let scored = known.map { (distance(word, $0), $0) }.min { $0.0 < $1.0 }
  guard let (score, best) = scored, score <= (word.count < 4 ? 1 : max(2, word.count / 3))
  else { return nil }
  return best
}

/// The number of edits from one word to the other; words longer than 64 letters are cut.
private func distance(_ left: String, _ right: String) -> Int {
  let (a, b) = (Array(left.prefix(64).utf8), Array(right.prefix(64).utf8))
  var row = Array(0...b.count)
  for (i, letter) in a.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for (j, other) in b.enumerated() {
      let change = diagonal + (letter == other ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
    }
  }
  return row[b.count]
}
