// SPDX-License-Identifier: GPL-3.0-or-later

/// Reads lengths of time as people type them.
package enum TypedDuration {
  private static let units: [(String, Int64)] = [
    ("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("min", 60_000_000_000),
    ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
  ]

  /// Nanoseconds of `2.5`, `300ms`, `1m30s`, `+2.104 s` without its sign; seconds without a unit.
  package static func parse(_ text: String) -> Int64? {
    var rest = Substring(text.filter { $0 != "," && $0 != " " && $0 != "_" })
    guard !rest.isEmpty else { return nil }
    var total: Int64 = 0
    while !rest.isEmpty {
      let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      rest = rest.dropFirst(number.count)
      let unit = units.first { rest.hasPrefix($0.0) }
      if let unit { rest = rest.dropFirst(unit.0.count) } else if !rest.isEmpty { return nil }
      guard let part = scaled(number, by: unit?.1 ?? 1_000_000_000) else { return nil }
      let (sum, overflow) = total.addingReportingOverflow(part)
      guard !overflow else { return nil }
      total = sum
    }
    return total
  }

  /// Exact to the nanosecond: a Double would round long times.
  private static func scaled(_ number: Substring, by unit: Int64) -> Int64? {
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard !number.isEmpty, number != ".", parts.count <= 2,
      let whole = Int64(parts[0].isEmpty ? "0" : String(parts[0]))
    else { return nil }
    let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    var total = product
    var place = unit
    for digit in parts.count == 2 ? parts[1] : "" {
      place /= 10
      let (sum, overflow) = total.addingReportingOverflow(
        Int64(digit.wholeNumberValue ?? 0) * place
      )
      guard !overflow else { return nil }
      total = sum
    }
    return total
  }
}
