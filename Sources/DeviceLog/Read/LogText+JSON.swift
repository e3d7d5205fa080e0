// SPDX-License-Identifier: Apache-2.0

extension LogText {
  /// What stands behind a quoted key and its colon, or nil.
  ///
  /// A key that a string quotes is not found: its quotes have backslashes before them.
  func jsonValue(_ key: StaticString) -> LogText? {
    guard let rest = after(key)?.trimmedLeft, rest.count > 1, rest[0] == 0x3A else { return nil }
    return rest.dropFirst(1).trimmedLeft
  }

  /// The string behind a quoted key, without its quotes and with its escapes, or nil.
  func jsonString(_ key: StaticString) -> LogText? {
    guard let value = jsonValue(key), value.count > 1, value[0] == 0x22 else { return nil }
    var end = 1
    while end < value.count, value[end] != 0x22 { end += value[end] == 0x5C ? 2 : 1 }
    return end < value.count ? value.prefix(end).dropFirst(1) : nil
  }

  /// The string that escapes stand for, written over the text itself, which is never shorter.
  ///
  /// The bytes behind it become blanks. The text is a piece of the read buffer, which belongs to
  /// the scan until it asks for more; nothing else looks at it.
  func unescaped() -> LogText {
    guard find(byte: 0x5C) != nil else { return self }
    let out = UnsafeMutablePointer(mutating: start)
    var length = 0
    var at = 0
    func put(_ byte: UInt8) {
      out[length] = byte
      length += 1
    }
    while at < count {
      guard self[at] == 0x5C, at + 1 < count else {
        put(self[at])
        at += 1
        continue
      }
      let escape = self[at + 1]
      at += 2
      switch escape {
      case 0x6E: put(0x0A)
      case 0x74: put(0x09)
      case 0x72: put(0x0D)
      case 0x62, 0x66: put(0x20)
      case 0x75:
        guard let first = codeUnit(at) else { break }
        at += 4
        var units = [first]
        if first & 0xFC00 == 0xD800, at + 1 < count, self[at] == 0x5C, self[at + 1] == 0x75,
          let second = codeUnit(at + 2)
        {
          units.append(second)
          at += 6
        }
        for byte in String(decoding: units, as: UTF16.self).utf8 { put(byte) }
      default: put(escape)
      }
    }
    for rest in length..<count { out[rest] = 0x20 }
    return prefix(length)
  }

  /// Four hexadecimal digits at `index`, or nil.
  private func codeUnit(_ index: Int) -> UInt16? {
    guard index + 4 <= count else { return nil }
    return dropFirst(index).prefix(4).hexadecimal.map { UInt16(truncatingIfNeeded: $0) }
  }
}
