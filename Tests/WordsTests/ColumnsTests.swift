// SPDX-License-Identifier: Apache-2.0
import LifetraceWords
import Testing

/// Text on terminals that are too narrow for it, and text that is wider than it is long.
@Suite struct ColumnsTests {
  @Test(arguments: [
    ("", 0), ("draft.txt", 9), ("Übersicht", 9), ("📝.txt", 6), ("日本語", 6), ("e\u{301}", 1),
    ("\u{1b}[1;31mred\u{1b}[0m", 3),
  ])
  func widths(text: String, width: Int) {
    #expect(Columns.width(of: text) == width)
  }

  @Test func linesAreBrokenAtBlanks() {
    #expect(
      Columns.wrap("#23  suspended: no code runs from here", to: 24)
        == ["#23  suspended: no code", "    runs from here"]
    )
    #expect(Columns.wrap("  a short one", to: 24) == ["  a short one"])
    // Exactly as wide as the terminal is not too wide.
    #expect(Columns.wrap("twelve and eight are", to: 20) == ["twelve and eight are"])
    #expect(
      Columns.wrap("twelve and eight are twenty", to: 20) == ["twelve and eight are", "    twenty"]
    )
  }

  @Test func eachLineOfATextIsBrokenOnItsOwn() {
    let caret = "there is no field unsavd: did you mean it?\n  where unsavd\n        ^~~~~~"
    #expect(
      Columns.wrap(caret, to: 30)
        == [
          "there is no field unsavd: did", "    you mean it?", "  where unsavd", "        ^~~~~~",
        ]
    )
  }

  @Test func aWordWithoutBlanksIsCut() {
    let lines = Columns.wrap(String(repeating: "x", count: 50), to: 20)
    #expect(lines.map(\.count) == [20, 20, 18])
  }

  /// Whatever the text and the width: nothing but blanks is lost, and nothing is too wide.
  @Test func nothingIsLost() {
    let text =
      "\u{1b}[1m#1\u{1b}[0m  📝 日本語日本語 \u{1b}[36mNotes/Editor.swift:41\u{1b}[0m  was, made  by Übersicht"
    for columns in Columns.wrapMin..<90 {
      let lines = Columns.wrap(text, to: columns)
      for line in lines { #expect(Columns.width(of: line) <= columns, "\(columns): \(line)") }
      #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " }, "\(columns)")
    }
  }
}
