// SPDX-License-Identifier: Apache-2.0

/// The known word that is nearest to `word`, if one is near enough to have been meant.
package func nearest(to word: String, among known: [String]) -> String? {
  let most = word.count < 4 ? 1 : max(2, word.count / 3)
  // No fewer edits than letters that one of the two has more; words are cut as below.
  let length = min(word.utf8.count, lettersMax)
  let scored = known.lazy.filter { abs(min($0.utf8.count, lettersMax) - length) <= most }
    .map { (distance(word, $0), $0) }.min { $0.0 < $1.0 }
  guard let (score, best) = scored, score <= most else { return nil }
  return best
}

private let lettersMax = 64

/// The number of edits from one word to the other; of longer words the first ``lettersMax`` letters.
private func distance(_ left: String, _ right: String) -> Int {
  let (a, b) = (Array(left.utf8.prefix(lettersMax)), Array(right.utf8.prefix(lettersMax)))
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
