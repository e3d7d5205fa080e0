// SPDX-License-Identifier: Apache-2.0

// Text within text, byte for byte. The searches of the standard library compare characters, and stand
// in the module of regular expressions, which a static program links whole: 1.2 MB for these lines.

extension StringProtocol {
  /// Where the first `text` stands in it, the empty one at its beginning; costs its length times that
  /// of `text` at most.
  package func firstRange(of text: String) -> Range<Index>? {
    range(of: text, isLast: false)
  }

  /// Where the last `text` stands in it, the empty one at its end.
  package func lastRange(of text: String) -> Range<Index>? {
    range(of: text, isLast: true)
  }

  package func contains(_ text: String) -> Bool { firstRange(of: text) != nil }

  package func contains(_ text: Substring) -> Bool { firstRange(of: String(text)) != nil }

  /// What stands between the `separator`s: one part more than there are of them.
  package func components(separatedBy separator: String) -> [String] {
    var parts: [String] = []
    var rest = self[...]
    while !separator.isEmpty, let range = rest.firstRange(of: separator) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }

  private func range(of text: String, isLast: Bool) -> Range<Index>? {
    var (whole, text) = (String(self), text)
    let found = whole.withUTF8 { bytes in
      text.withUTF8 { wanted -> Int? in
        guard bytes.count >= wanted.count else { return nil }
        let offsets = 0...bytes.count - wanted.count
        let fits = { (offset: Int) in
          wanted.indices.allSatisfy { bytes[offset + $0] == wanted[$0] }
        }
        return isLast ? offsets.last(where: fits) : offsets.first(where: fits)
      }
    }
    return found.map { offset in
      let begin = utf8.index(startIndex, offsetBy: offset)
      return begin..<utf8.index(begin, offsetBy: text.utf8.count)
    }
  }
}

extension String {
  /// With `new` for each `text` in it, from the left.
  package func replacing(_ text: String, with new: String) -> String {
    components(separatedBy: text).joined(separator: new)
  }
}
