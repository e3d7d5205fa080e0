// SPDX-License-Identifier: Apache-2.0

/// A duration as people write it: `500ms`, `2s`, `1.5h`; nil for anything else.
///
/// - Returns: Nanoseconds, at most a year.
package func nanoseconds(of text: String) -> Int64? {
  let units: [(String, Double)] = [
    ("ns", 1), ("us", 1e3), ("ms", 1e6), ("min", 6e10), ("s", 1e9), ("m", 6e10), ("h", 3.6e12),
    ("d", 8.64e13),
  ]
  for (unit, factor) in units where text.hasSuffix(unit) {
    guard let number = Double(text.dropLast(unit.count)), number >= 0 else { continue }
    let value = number * factor
    return value <= 3.2e16 ? Int64(value) : nil
  }
  return text == "0" ? 0 : nil
}

/// A size as people write it: `64MiB`, `10MB`, `4096`; nil for anything else.
package func bytes(of text: String) -> Int? {
  let units = [
    "": 1, "B": 1, "K": 1 << 10, "KiB": 1 << 10, "M": 1 << 20, "MiB": 1 << 20, "G": 1 << 30,
    "GiB": 1 << 30, "kB": 1_000, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000,
  ]
  let digits = text.prefix { $0.isNumber }
  guard let number = Int(digits), number > 0,
    let unit = units[String(text.dropFirst(digits.count))]
  else { return nil }
  let (bytes, overflow) = number.multipliedReportingOverflow(by: unit)
  return overflow ? nil : bytes
}

/// The known word that is nearest to `word`, if one is near enough to have been meant.
package func nearest(to word: String, among known: [String]) -> String? {
  let scored = known.map { (distance(word, $0), $0) }.min { $0.0 < $1.0 }
  guard let (score, best) = scored, score <= max(2, word.count / 3) else { return nil }
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
