// SPDX-License-Identifier: Apache-2.0

/// Numbers as people read them.
public enum Words {
  /// A length of time with two or three figures: `850 µs`, `12 ms`, `4.2 s`, `3 min 5 s`.
  public static func duration(_ nanoseconds: Int64) -> String {
    let sign = nanoseconds < 0 ? "-" : ""
    let ns = nanoseconds.magnitude
    switch ns {
    case 0..<1_000: return "\(sign)\(ns) ns"
    case 0..<1_000_000: return "\(sign)\(decimal(ns, per: 1_000)) µs"
    case 0..<1_000_000_000: return "\(sign)\(decimal(ns, per: 1_000_000)) ms"
    case 0..<120_000_000_000: return "\(sign)\(decimal(ns, per: 1_000_000_000)) s"
    case 0..<7_200_000_000_000:
      let seconds = ns / 1_000_000_000
      return seconds % 60 == 0
        ? "\(sign)\(seconds / 60) min" : "\(sign)\(seconds / 60) min \(seconds % 60) s"
    default:
      let minutes = ns / 60_000_000_000
      return minutes % 60 == 0
        ? "\(sign)\(grouped(minutes / 60)) h"
        : "\(sign)\(grouped(minutes / 60)) h \(minutes % 60) min"
    }
  }

  /// One decimal below a hundred, none above, and none when it would be 0.
  private static func decimal(_ value: UInt64, per unit: UInt64) -> String {
    let whole = value / unit
    let tenth = value % unit / (unit / 10)
    return whole < 100 && tenth > 0 ? "\(whole).\(tenth)" : "\(whole)"
  }

  /// With a comma at each thousand: `16,384`.
  public static func grouped(_ number: UInt64) -> String {
    let digits = String(number)
    var out = ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { out.append(",") }
      out.append(digit)
    }
    return out
  }

  /// A size: `1 byte`, `1,204 bytes`.
  public static func bytes(_ count: UInt64) -> String {
    count == 1 ? "1 byte" : "\(grouped(count)) bytes"
  }

  /// A count with its noun: `1 event`, `12 events`.
  public static func count(_ number: UInt64, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
  }
}
