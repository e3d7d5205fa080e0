// SPDX-License-Identifier: Apache-2.0
import LifetraceWords
import Testing

/// Columns under each other, whatever is painted.
@Suite struct TableTests {
  private var table: Table {
    var table = Table(indent: 2)
    table.add([Cell("#9", .faint, right: true), Cell("📝.txt", .name), Cell(""), Cell("edit")])
    table.add([Cell("#10", .faint, right: true), Cell("a", .name), Cell(""), Cell("save", .bad)])
    return table
  }

  @Test func columnsStandUnderEachOtherAndEmptyOnesTakeNoRoom() {
    #expect(table.lines(Paint(isOn: false)) == ["   #9  📝.txt  edit", "  #10  a       save"])
  }

  @Test func paintTakesNoColumns() {
    let lines = table.lines(Paint(isOn: true))
    #expect(lines.last?.hasSuffix("\u{1b}[1;31msave\u{1b}[0m") == true)
    #expect(lines.map(Columns.width) == [19, 19])
  }
}
