// SPDX-License-Identifier: Apache-2.0

/// Lengths of time and sizes as people type them: in options, scenarios, stories and at the prompt.
///
///     TypedQuantity.nanoseconds("1m30s")                      // 90_000_000_000
///     TypedQuantity.nanoseconds("2.5", bareSeconds: true)      // 2_500_000_000
///     TypedQuantity.bytes("64MiB")                            // 67_108_864
///
/// The other way is `Quantity`.
public enum TypedQuantity {
  /// What may stand behind a number of time; a unit before those that it begins with.
  private static let timeUnits: [(String, Int64)] = [
    ("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("min", 60_000_000_000),
    ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
  ]

  private static let sizeUnits: [Substring: Int] = [
    "": 1, "B": 1, "K": 1 << 10, "KiB": 1 << 10, "M": 1 << 20, "MiB": 1 << 20, "G": 1 << 30,
    "GiB": 1 << 30, "kB": 1_000, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000,
  ]

  /// What ``nanoseconds(_:bareSeconds:)`` takes where each number has its unit, as a regular expression.
  public static let durationPattern = "^(0|([0-9.,_]+ ?(ns|us|µs|ms|s|m|min|h|d) ?)+)$"

  /// Nanoseconds of `300ms`, `1m30s`, `2.104 s`; exact, as a Double would round long times.
  ///
  /// A number without a unit is refused, unless it is 0 or `bareSeconds`. Nil for anything else,
  /// for a sign, and for 2^63 ns and more.
  public static func nanoseconds(
    _ text: some StringProtocol,
    bareSeconds: Bool = false
  ) -> Int64? {
    var rest = Substring(text.filter { $0 != "," && $0 != " " && $0 != "_" })
    guard !rest.isEmpty else { return nil }
    if rest == "0" { return 0 }
    let bareUnit: Int64? = bareSeconds ? 1_000_000_000 : nil
    var total: Int64 = 0
    while !rest.isEmpty {
      let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      rest = rest.dropFirst(number.count)
      let unit = timeUnits.first { rest.hasPrefix($0.0) }
      if let unit { rest = rest.dropFirst(unit.0.count) } else if !rest.isEmpty { return nil }
      guard let size = unit?.1 ?? bareUnit, let part = scaled(number, by: size) else { return nil }
      let (sum, overflow) = total.addingReportingOverflow(part)
      guard !overflow else { return nil }
      total = sum
    }
    return total
  }

  /// Bytes of `64MiB`, `10MB`, `4096`; nil for anything else, and for 0.
  public static func bytes(_ text: some StringProtocol) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits), number > 0,
      let unit = sizeUnits[Substring(text.dropFirst(digits.count))]
    else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit)
    return overflow ? nil : bytes
  }

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
