// SPDX-License-Identifier: Apache-2.0

/// Numbers as people read them, wherever the tool speaks; machines get them exact.
///
///     Quantity.duration(42_300)             // "42.3 µs"
///     Quantity.bytes(1_204)                 // "1,204 bytes"
///     Quantity.count(2, "process")          // "2 processes"
public enum Quantity {
  /// A length of time, rounded to two or three figures: `850 µs`, `12 ms`, `4.2 s`, `3 min 5 s`.
  public static func duration(_ nanoseconds: Int64) -> String {
    let sign = nanoseconds < 0 ? "-" : ""
    let ns = nanoseconds.magnitude
    // Each unit ends where its greatest number would be rounded to the next one's least.
    switch ns {
    case 0..<1_000: return "\(sign)\(ns) ns"
    case 0..<999_500: return "\(sign)\(decimal(ns, per: 1_000)) µs"
    case 0..<999_500_000: return "\(sign)\(decimal(ns, per: 1_000_000)) ms"
    case 0..<119_500_000_000: return "\(sign)\(decimal(ns, per: 1_000_000_000)) s"
    case 0..<7_199_500_000_000:
      let seconds = (ns + 500_000_000) / 1_000_000_000
      return seconds % 60 == 0
        ? "\(sign)\(seconds / 60) min" : "\(sign)\(seconds / 60) min \(seconds % 60) s"
    default:
      let minutes = (ns + 30_000_000_000) / 60_000_000_000
      return minutes % 60 == 0
        ? "\(sign)\(grouped(minutes / 60)) h"
        : "\(sign)\(grouped(minutes / 60)) h \(minutes % 60) min"
    }
  }

  /// Seconds since the start of a recording, with their sign and without a unit: `+1,202.104`.
  public static func sinceStart(_ nanoseconds: Int64, digits: Int = 3) -> String {
    let size = nanoseconds.magnitude
    var fraction = String(size % 1_000_000_000)
    fraction = String(repeating: "0", count: 9 - fraction.count) + fraction
    let whole = (nanoseconds < 0 ? "-" : "+") + grouped(size / 1_000_000_000)
    return digits > 0 ? whole + "." + fraction.prefix(digits) : whole
  }

  /// A size, in bytes as long as that is easily read: `1 byte`, `1,204 bytes`, `120.5 KiB`.
  public static func bytes(_ count: UInt64) -> String {
    switch count {
    case 0..<100_000: Quantity.count(count, "byte")
    case 100_000..<(100 << 20): decimal(count, per: 1 << 10) + " KiB"
    default: decimal(count, per: 1 << 20) + " MiB"
    }
  }

  /// With a comma at each thousand: `16,384`.
  public static func grouped(_ number: some BinaryInteger) -> String {
    let digits = String(number.magnitude)
    var out = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { out.append(",") }
      out.append(digit)
    }
    return out
  }

  /// A count with its noun: `1 event`, `12 events`, `2 processes`.
  public static func count(_ number: some BinaryInteger, _ thing: String) -> String {
    let things = ["s", "ch"].contains { thing.hasSuffix($0) } ? thing + "es" : thing + "s"
    return "\(grouped(number)) \(number == 1 ? thing : things)"
  }

  /// All bytes of a file, and how many that is an event: `3,282 bytes (4.06 an event)`.
  public static func fileBytes(_ bytes: UInt64, events: Int) -> String {
    let size = count(bytes, "byte")
    guard events > 0 else { return size }
    // Two decimals where that says something.
    let scale = bytes / UInt64(events) < 10 ? 100 : 10
    let parts = Int((Double(bytes) * Double(scale) / Double(events)).rounded())
    let fraction = String(parts % scale + scale).dropFirst()
    return "\(size) (\(grouped(parts / scale)).\(fraction) an event)"
  }

  /// Rounded: one decimal below a hundred, none above, and none when it would be 0.
  private static func decimal(_ value: UInt64, per unit: UInt64) -> String {
    let whole = value / unit
    let tenths = whole * 10 + (value % unit * 10 + unit / 2) / unit
    if tenths >= 1_000 { return "\(whole + (value % unit * 2 >= unit ? 1 : 0))" }
    return tenths % 10 > 0 ? "\(tenths / 10).\(tenths % 10)" : "\(tenths / 10)"
  }
}
