// SPDX-License-Identifier: GPL-3.0-or-later

/// What a piece of text is, so that a terminal can show it.
enum Style: String {
  case plain = ""
  case strong = "1"
  case faint = "2"
  case good = "32"
  case warning = "33"
  case bad = "1;31"
  case name = "36"
}

/// Adds the terminal's escapes, or nothing.
struct Paint: Sendable {
  var isOn: Bool

  func callAsFunction(_ text: String, _ style: Style) -> String {
    isOn && style != .plain && !text.isEmpty ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
  }
}

/// One field of a table.
struct Cell {
  var text: String
  var style: Style
  var isRight: Bool

  init(_ text: String, _ style: Style = .plain, right: Bool = false) {
    self.text = text
    self.style = style
    isRight = right
  }
}

/// Rows whose columns stand under each other; a column without any text takes no room.
struct Table {
  /// Columns grow no wider than this; the last one grows as it likes.
  static let columnMax = 64
  var rows: [[Cell]] = []
  var indent = 0

  mutating func add(_ cells: [Cell]) { rows.append(cells) }

  func lines(_ paint: Paint) -> [String] {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], min(Columns.width(of: cell.text), Self.columnMax))
      }
    }
    return rows.map { row in
      var line = String(repeating: " ", count: indent)
      var pending = 0
      for (column, cell) in row.enumerated() where widths[column] > 0 {
        let room = String(
          repeating: " ",
          count: max(0, widths[column] - Columns.width(of: cell.text))
        )
        let before = String(repeating: " ", count: pending)
        pending = 2
        if cell.isRight {
          line += before + room + paint(cell.text, cell.style)
        } else if cell.text.isEmpty {
          pending += before.count + room.count
        } else {
          line += before + paint(cell.text, cell.style)
          pending += room.count
        }
      }
      return line
    }
  }
}
