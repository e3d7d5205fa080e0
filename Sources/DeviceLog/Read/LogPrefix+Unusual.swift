// SPDX-License-Identifier: Apache-2.0

/// Lines that trackers, mails, test drivers and terminals have put something around.
///
///     > default TAB 18:38:04.9+0800 TAB …      quoted
///     1323   :Jul  1 21:40:06 …                with the number of the line
///     par défaut TAB 18:38:04.9+0200 TAB …     a level of another language
///     [IOS_SYSLOG_ROW ] Jun 19 15:34:06 …      a test driver's log
extension LogPrefix {
  /// Tries `line` without the text that is not the log's own; false when that has no prefix either.
  mutating func readUnusual(_ line: LogText) -> Bool {
    var rest = line
    var hasColors = false
    for _ in 0..<4 {
      guard rest.count > 12 else { break }
      // Colours are taken out in place.
      hasColors = hasColors || rest[0] == 0x1B
      guard let inner = Self.withoutWrapping(rest) else { break }
      rest = inner
      if readUsual(rest) {
        isRewritten = isRewritten || hasColors
        return true
      }
    }
    guard rest.count > 12 else { return false }
    if readLocalized(rest) { return true }
    guard let at = rest.prefix(96).find("SYSLOG_ROW"),
      let close = rest.dropFirst(at).prefix(16).find(byte: 0x5D)
    else { return false }
    return readUsual(rest.dropFirst(at + close + 1).trimmedLeft)
  }

  private static func withoutWrapping(_ line: LogText) -> LogText? {
    switch line[0] {
    case 0x3E: line.dropFirst(1).trimmedLeft
    case 0x1B: line.withoutColors()
    case 0x30...0x39: withoutNumber(line)
    default: nil
    }
  }

  /// `level TAB time TAB process TAB message` with a level that is not English.
  private mutating func readLocalized(_ line: LogText) -> Bool {
    guard let tab = line.prefix(48).find(byte: 0x09) else { return false }
    var rest = line.dropFirst(tab + 1)
    let length = stamp.read(rest)
    guard length > 0 else { return false }
    rest = rest.dropFirst(length)
    guard rest.count > 1, rest[0] == 0x09 else { return false }
    rest = rest.dropFirst(1)
    guard let end = rest.find(byte: 0x09) else { return false }
    process = rest.prefix(end)
    message = rest.dropFirst(end + 1)
    return true
  }

  /// What stands behind a number and a tab, or a number, blanks and a colon.
  private static func withoutNumber(_ line: LogText) -> LogText? {
    var at = 0
    while at < line.count, at < 10, line[at] &- 0x30 < 10 { at += 1 }
    let rest = line.dropFirst(at)
    guard at > 0, at < 10, rest.count > 12 else { return nil }
    if rest[0] == 0x09 { return rest.dropFirst(1) }
    let behind = rest.trimmedLeft
    guard behind.count > 12, behind[0] == 0x3A, behind[1] &- 0x30 > 9 else { return nil }
    return behind.dropFirst(1).trimmedLeft
  }
}

extension LogText {
  /// The text without a terminal's colours, written over itself.
  ///
  /// As in ``unescaped()``: the text is a piece of the read buffer, which belongs to the scan.
  func withoutColors() -> LogText {
    let out = UnsafeMutablePointer(mutating: start)
    var length = 0
    var at = 0
    while at < count {
      guard self[at] == 0x1B, at + 1 < count, self[at + 1] == 0x5B else {
        if self[at] != 0x1B {
          out[length] = self[at]
          length += 1
        }
        at += 1
        continue
      }
      at += 2
      // Parameters, and the letter that ends them.
      while at < count, self[at] < 0x40 { at += 1 }
      at += 1
    }
    for rest in length..<count { out[rest] = 0x20 }
    return prefix(length)
  }
}
