// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// A number, or a unit, as it stands in the line of an event: `1,204`, `4.2`, `0x1f`, `KiB`.
///
///     NumberWord("4.2")?.isShown(4_163_000_000, .duration)      // true: the line says 4.2 s
///
/// It is compared with what `Quantity` rounds a value to, by arithmetic: nothing is written out.
struct NumberWord {
  private var exact: UInt64?
  /// In tenths, as rounded quantities have them.
  private var tenths: UInt64?
  private var fraction: Double?
  private var unit: Unit?

  /// What stands behind a quantity, with its size in nanoseconds or bytes.
  private enum Unit: String, CaseIterable {
    case ns, microseconds = "µs", ms, s, min, h
    case byte, bytes, kib, mib
  }

  /// Nil for a word that is neither.
  init?(_ word: String) {
    unit = Unit(rawValue: word)
    let digits = word.filter { $0 != "," }
    if digits.hasPrefix("0x") {
      exact = UInt64(digits.dropFirst(2), radix: 16)
    } else if digits.first?.isASCII == true {
      exact = UInt64(digits) ?? Int64(digits).map { UInt64(bitPattern: $0) }
    }
    fraction = Double(digits)
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    if let whole = parts.first.flatMap({ UInt64($0) }), whole < 1 << 59, parts.count <= 2 {
      let tenth = parts.count == 2 ? UInt64(parts[1]) : 0
      if parts.count == 1 || parts[1].utf8.count == 1 { tenths = tenth.map { whole * 10 + $0 } }
    }
    if unit == nil, exact == nil, tenths == nil, fraction == nil { return nil }
  }

  /// Whether the line of an event with such a value shows the word.
  func isShown(_ bits: UInt64, _ type: FieldType) -> Bool {
    switch type {
    case .int, .hex: bits == exact
    case .double: fraction == Double(bitPattern: bits)
    case .bytes: isShown(bytes: bits)
    case .duration: isShown(duration: Int64(bitPattern: bits).magnitude)
    case .name, .bool, .state, .work, .level, .resource, .log: false
    }
  }

  private func isShown(bytes: UInt64) -> Bool {
    switch bytes {
    case 0..<100_000:
      bytes == exact || unit == (bytes == 1 ? .byte : .bytes) || bytes == 1 && unit == .bytes
    case 100_000..<(100 << 20): unit == .kib || Self.rounded(bytes, per: 1 << 10) == tenths
    default: unit == .mib || Self.rounded(bytes, per: 1 << 20) == tenths
    }
  }

  private func isShown(duration ns: UInt64) -> Bool {
    switch ns {
    case 0..<1_000: return ns == exact || unit == .ns
    case 0..<999_500: return unit == .microseconds || Self.rounded(ns, per: 1_000) == tenths
    case 0..<999_500_000: return unit == .ms || Self.rounded(ns, per: 1_000_000) == tenths
    case 0..<119_500_000_000: return unit == .s || Self.rounded(ns, per: 1_000_000_000) == tenths
    case 0..<7_199_500_000_000:
      let seconds = (ns + 500_000_000) / 1_000_000_000
      return unit == .min || seconds % 60 != 0 && unit == .s || seconds / 60 == exact
        || seconds % 60 == exact
    default:
      let minutes = ns / 60_000_000_000 + (ns % 60_000_000_000 >= 30_000_000_000 ? 1 : 0)
      return unit == .h || minutes % 60 != 0 && unit == .min || minutes / 60 == exact
        || minutes % 60 == exact
    }
  }

  /// As quantities are rounded: one decimal below a hundred, none above.
  private static func rounded(_ value: UInt64, per unit: UInt64) -> UInt64 {
    let whole = value / unit
    let tenths = whole * 10 + (value % unit * 10 + unit / 2) / unit
    return tenths >= 1_000 ? (whole + (value % unit * 2 >= unit ? 1 : 0)) * 10 : tenths
  }
}
