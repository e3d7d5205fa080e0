// SPDX-License-Identifier: Apache-2.0
internal import CLifetracePlatform
import LifetracePlatform

/// A run of bytes of a log, as it lies in the read buffer.
///
///     let message = line.after("taskID = ")       // the rest of the line behind the words
///
/// Logs hold invalid UTF-8, NUL bytes and terminal colours; everything here works
/// on bytes, and ``string`` repairs. Valid only while the buffer is.
struct LogText {
  var start: UnsafePointer<UInt8>
  var count: Int

  @inline(__always)
  init(_ start: UnsafePointer<UInt8>, _ count: Int) {
    self.start = start
    self.count = count < 0 ? 0 : count
  }

  @inline(__always)
  subscript(index: Int) -> UInt8 { start[index] }

  @inline(__always)
  var isEmpty: Bool { count == 0 }

  /// The bytes as text; bytes that are not UTF-8 become U+FFFD.
  var string: String {
    String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// At most `limit` bytes as text, for what goes into a trace.
  func string(limit: Int) -> String { prefix(limit).string }

  @inline(__always)
  func prefix(_ length: Int) -> LogText { LogText(start, min(length, count)) }

  @inline(__always)
  func dropFirst(_ length: Int) -> LogText {
    let dropped = min(length, count)
    return LogText(start + dropped, count - dropped)
  }

  @inline(__always)
  func starts(_ words: StaticString) -> Bool {
    words.utf8CodeUnitCount <= count && memcmp(start, words.utf8Start, words.utf8CodeUnitCount) == 0
  }

  @inline(__always)
  func equals(_ words: StaticString) -> Bool {
    words.utf8CodeUnitCount == count && memcmp(start, words.utf8Start, count) == 0
  }

  /// What stands behind `words` where the text begins with them, or nil.
  @inline(__always)
  func behind(_ words: StaticString) -> LogText? {
    starts(words) ? dropFirst(words.utf8CodeUnitCount) : nil
  }

  /// Where `words` first occurs, or nil.
  func find(_ words: StaticString) -> Int? {
    guard let hit = cplatform_find(start, count, words.utf8Start, words.utf8CodeUnitCount) else {
      return nil
    }
    return UnsafeRawPointer(hit) - UnsafeRawPointer(start)
  }

  /// What stands behind the first `words`, or nil.
  func after(_ words: StaticString) -> LogText? {
    cut(at: words)?.behind
  }

  /// What stands before the first `words` and what behind them, or nil.
  func cut(at words: StaticString) -> (before: LogText, behind: LogText)? {
    find(words).map { (prefix($0), dropFirst($0 + words.utf8CodeUnitCount)) }
  }

  /// Where `byte` first occurs, or nil.
  @inline(__always)
  func find(byte: UInt8) -> Int? {
    guard count > 0, let hit = memchr(start, Int32(byte), count) else { return nil }
    return UnsafeRawPointer(hit) - UnsafeRawPointer(start)
  }

  /// What stands before the first `byte`, or all of it.
  @inline(__always)
  func until(_ byte: UInt8) -> LogText { prefix(find(byte: byte) ?? count) }

  /// Without blanks on either side.
  var trimmed: LogText {
    var text = self
    while text.count > 0, text[0] == 0x20 || text[0] == 0x09 { text = text.dropFirst(1) }
    while text.count > 0, text[text.count - 1] <= 0x20 { text.count -= 1 }
    return text
  }
}

extension LogText {
  /// A decimal number at the start, or nil; saturates.
  @inline(__always)
  var integer: Int64? {
    var index = 0
    let negative = count > 0 && start[0] == 0x2D
    if negative { index = 1 }
    var value: Int64 = 0
    let first = index
    while index < count, start[index] &- 0x30 < 10 {
      let (scaled, over) = value.multipliedReportingOverflow(by: 10)
      value = over ? .max / 2 : scaled
      value = value.addingReportingOverflow(Int64(start[index] &- 0x30)).partialValue
      if value < 0 { value = .max / 2 }
      index += 1
    }
    guard index > first else { return nil }
    return negative ? -value : value
  }

  /// A process id at the start, or nil.
  @inline(__always)
  var pid: UInt32? {
    guard let value = integer, value > 0, value <= 0x7FFF_FFFF else { return nil }
    return UInt32(value)
  }

  /// `0x…` or a decimal number at the start, or nil.
  var code: UInt64? {
    guard starts("0x") || starts("0X") else { return integer.map { UInt64(bitPattern: $0) } }
    var value: UInt64 = 0
    var index = 2
    while index < count, index < 18, let digit = Self.hexDigit(start[index]) {
      value = value << 4 | UInt64(digit)
      index += 1
    }
    return index > 2 ? value : nil
  }

  /// A hexadecimal number without a prefix that fills all of it, or nil.
  var hexadecimal: UInt64? {
    guard count > 0, count <= 16 else { return nil }
    var value: UInt64 = 0
    for index in 0..<count {
      guard let digit = Self.hexDigit(start[index]) else { return nil }
      value = value << 4 | UInt64(digit)
    }
    return value
  }

  /// Seconds such as `180.000000` as nanoseconds, or nil.
  var seconds: Int64? {
    guard let whole = integer, whole >= 0, whole < 1_000_000_000 else { return nil }
    var nanoseconds = whole * 1_000_000_000
    guard let dot = find(byte: 0x2E), dot <= 10 else { return nanoseconds }
    var unit: Int64 = 100_000_000
    var index = dot + 1
    while index < count, start[index] &- 0x30 < 10, unit > 0 {
      nanoseconds += Int64(start[index] &- 0x30) * unit
      unit /= 10
      index += 1
    }
    return nanoseconds
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
