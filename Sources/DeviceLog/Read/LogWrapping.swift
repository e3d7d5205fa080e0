// SPDX-License-Identifier: Apache-2.0

/// What a tracker or an editor has put around every line of a log.
///
///     TAB default TAB 18:38:04.9+0800 TAB …           indented, as code is in Markdown
///     … runningboardd TAB \[app\<org.example.notes\>:44\] Suspending task.       escaped for Markdown
///
/// It is found once, in the beginning of the log: a single line of a log may begin with a blank, or
/// hold a backslash, and mean it.
struct LogWrapping: Equatable {
  /// Lines that are looked at.
  private static let sampleMax = 200

  /// Whether all lines, or all rows of its table, begin with blanks or tabs.
  var isIndented = false
  /// Whether brackets have backslashes before them.
  var isEscaped = false

  init() {}

  init(_ block: LogText) {
    var rest = block.prefix(256 << 10)
    var (lines, indented, rows, indentedRows) = (0, 0, 0, 0)
    while lines < Self.sampleMax, !rest.isEmpty {
      let line = rest.until(0x0A)
      rest = rest.dropFirst(line.count + 1)
      let text = line.trimmed
      guard text.count > 0 else { continue }
      let isIndented = line[0] == 0x20 || line[0] == 0x09
      lines += 1
      if isIndented { indented += 1 }
      // The words around a table have no tabs in them.
      guard text.find(byte: 0x09) != nil else { continue }
      rows += 1
      if isIndented { indentedRows += 1 }
    }
    isIndented = lines > 0 && (rows > 0 ? indentedRows == rows : indented == lines)
    isEscaped =
      block.find("app\\<") != nil || block.find("application\\<") != nil
      || block.find("\\[app") != nil
  }
}

extension LogText {
  /// The text without the backslashes that Markdown wants before brackets, written over itself.
  ///
  /// As in ``unescaped()``: the text is a piece of the read buffer, which belongs to the scan.
  func withoutEscapes() -> LogText {
    let out = UnsafeMutablePointer(mutating: start)
    var length = 0
    var at = 0
    while at < count {
      if self[at] == 0x5C, at + 1 < count, Self.isEscapedInMarkdown(self[at + 1]) { at += 1 }
      out[length] = self[at]
      length += 1
      at += 1
    }
    for rest in length..<count { out[rest] = 0x20 }
    return prefix(length)
  }

  private static func isEscapedInMarkdown(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: "_"), UInt8(ascii: "*"), UInt8(ascii: "("), UInt8(ascii: ")"),
      UInt8(ascii: "#"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
      UInt8(ascii: "!"), UInt8(ascii: "|"), UInt8(ascii: "~"), UInt8(ascii: ":"),
      UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "`"), UInt8(ascii: "&"):
      true
    default: false
    }
  }
}
