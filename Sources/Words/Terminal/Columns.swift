// SPDX-License-Identifier: Apache-2.0

/// How wide text is on a terminal, and where it is broken when it is too wide.
///
///     Columns.width(of: "📝.txt")                         // 6
///     Columns.wrap("#1  a long sentence", to: 12)         // ["#1  a long", "    sentence"]
package enum Columns {
  /// On narrower terminals nothing is broken by us.
  package static let wrapMin = 20

  /// The columns that `text` takes; escapes of colours take none.
  package static func width(of text: String) -> Int {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
    return pieces(text).reduce(0) { $0 + $1.width }
  }

  /// `line` in lines no wider than `columns`, broken at blanks where there are some.
  ///
  /// What goes on stands under the text, four columns in. Where `line` has line breaks, each of its
  /// lines is broken on its own: a caret stays under what it points at.
  package static func wrap(_ line: String, to columns: Int) -> [String] {
    let parts = line.split(separator: "\n", omittingEmptySubsequences: false)
    if parts.count > 1 { return parts.flatMap { wrap(String($0), to: columns) } }
    guard columns >= wrapMin, width(of: line) > columns else { return [line] }
    let indent = line.prefix { $0 == " " }.count + 4
    let margin = String(repeating: " ", count: min(indent, columns / 2))
    var lines: [String] = []
    var current = ""
    var used = 0
    var start = 0
    // The last blank of the current line, and how wide the line is up to there.
    var blank: (at: String.Index, used: Int)?
    for piece in pieces(line) {
      if used + piece.width > columns, piece.width > 0 {
        if piece.text == " " {
          // It ends the line; what follows begins the next.
          lines.append(current)
          (current, used, blank, start) = (margin, margin.count, nil, margin.count)
          continue
        }
        if let last = blank {
          let rest = current[last.at...].drop { $0 == " " }
          lines.append(String(current[..<last.at]))
          current = margin + rest
          used = margin.count + width(of: String(rest))
        } else {
          lines.append(current)
          (current, used) = (margin, margin.count)
        }
        blank = nil
        start = margin.count
      }
      if piece.text == " ", used > start { blank = (current.endIndex, used) }
      if piece.text == " ", used == start, !lines.isEmpty { continue }
      current += piece.text
      used += piece.width
    }
    lines.append(current)
    return lines.map { line in
      var line = line
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// Characters, and escapes as pieces without a width.
  private static func pieces(_ text: String) -> [(text: String, width: Int)] {
    var out: [(text: String, width: Int)] = []
    var rest = text[...]
    while let character = rest.first {
      if character == "\u{1b}", let end = rest.firstIndex(of: "m") {
        out.append((String(rest[...end]), 0))
        rest = rest[rest.index(after: end)...]
      } else {
        out.append((String(character), width(of: character)))
        rest = rest.dropFirst()
      }
    }
    return out
  }

  /// Two for the ideographs of East Asia and for pictures, none for what only marks its neighbour.
  private static func width(of character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if character.unicodeScalars.contains(where: { $0 == "\u{FE0F}" }) { return 2 }
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F: return 0
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
      0x20000...0x3FFFD:
      return 2
    default:
      let isMark =
        scalar.properties.generalCategory == .nonspacingMark
        || scalar.properties.generalCategory == .enclosingMark
      return isMark ? 0 : 1
    }
  }
}
