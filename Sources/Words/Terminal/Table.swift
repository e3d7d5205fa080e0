// SPDX-License-Identifier: Apache-2.0

/// One field of a table.
package struct Cell: Sendable {
  package var text: String
  package var style: Style
  /// Numbers stand under each other at their ends.
  package var isRight: Bool

  package init(_ text: String, _ style: Style = .plain, right: Bool = false) {
    self.text = text
    self.style = style
    isRight = right
  }
}

/// Rows whose columns stand under each other; a column without any text takes no room.
package struct Table: Sendable {
  /// Columns grow no wider than this; the last one grows as it likes.
  private static let columnMax = 64
  package var rows: [[Cell]] = []
  package var indent = 0

  /// No rows yet; each line is `indent` blanks in.
  package init(indent: Int = 0) { self.indent = indent }

  package mutating func add(_ cells: [Cell]) { rows.append(cells) }

  /// A line a row.
  package func lines(_ paint: Paint) -> [String] {
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
