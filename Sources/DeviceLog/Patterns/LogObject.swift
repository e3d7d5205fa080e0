// SPDX-License-Identifier: Apache-2.0

/// An entry of `log show --style json`, which stands on many lines: a key and its value on each.
///
///     },{
///       "eventMessage" : "…",
///       "timestamp" : "2021-11-25 14:41:34.367850+0000",
///
/// The lines with the keys that are wanted are put together to one line of ndjson, wherever they
/// stand; an entry is whole with its last one, or when a key comes again.
struct LogObject {
  /// The keys of an entry that an import reads.
  private static let keys: [StaticString] = [
    "\"timestamp\"", "\"eventMessage\"", "\"processImagePath\"", "\"processID\"",
  ]
  /// Longer values are left out.
  private static let valueBytesMax = 65_536

  private var bytes: [UInt8] = []
  private var seen: Set<Int> = []

  /// Adds `line` when it has a key that is wanted; returns the entry that it completes, as one line.
  mutating func take(_ line: LogText) -> [UInt8]? {
    let text = line.trimmed
    guard text.count > 4, text[0] == 0x22, text.count <= Self.valueBytesMax,
      let key = Self.keys.firstIndex(where: { text.starts($0) })
    else { return nil }
    var entry: [UInt8]?
    if seen.contains(key) { entry = finish() }
    seen.insert(key)
    bytes.append(bytes.isEmpty ? 0x7B : 0x2C)
    let value = text[text.count - 1] == 0x2C ? text.prefix(text.count - 1) : text
    for index in 0..<value.count { bytes.append(value[index]) }
    return entry ?? (seen.count == Self.keys.count ? finish() : nil)
  }

  private mutating func finish() -> [UInt8] {
    let entry = bytes + [0x7D]
    bytes.removeAll(keepingCapacity: true)
    seen.removeAll(keepingCapacity: true)
    return entry
  }
}
