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
    var text = String(text)
    // In bytes, one after the other: a scenario asks for it at each step that waits.
    return text.withUTF8 { nanoseconds($0, bareSeconds) }
  }

  private static func nanoseconds(
    _ text: UnsafeBufferPointer<UInt8>,
    _ bareSeconds: Bool
  ) -> Int64? {
    var rest = text.filter { !separators.contains($0) }[...]
    guard !rest.isEmpty else { return nil }
    if rest.count == 1, rest.first == digits.lowerBound { return 0 }
    let bareUnit: Int64? = bareSeconds ? 1_000_000_000 : nil
    var total: Int64 = 0
    while !rest.isEmpty {
      let number = rest.prefix { digits.contains($0) || $0 == point }
      rest = rest.dropFirst(number.count)
      let unit = timeUnits.first { rest.starts(with: $0.0.utf8) }
      if let unit { rest = rest.dropFirst(unit.0.utf8.count) } else if !rest.isEmpty { return nil }
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

  private static let separators = Array(", _".utf8)
  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
  private static let point = UInt8(ascii: ".")

  /// `1.5` of a unit, whose parts smaller than a nanosecond are left out.
  private static func scaled(_ number: ArraySlice<UInt8>, by unit: Int64) -> Int64? {
    guard number.contains(where: digits.contains) else { return nil }
    var total: Int64 = 0
    /// What a digit behind the point is worth ten of; nil in front of the point.
    var place: Int64?
    for byte in number {
      guard byte != point else {
        guard place == nil else { return nil }
        place = unit
        continue
      }
      let digit = Int64(byte - digits.lowerBound)
      place = place.map { $0 / 10 }
      let (product, isTooLarge) =
        place == nil ? total.multipliedReportingOverflow(by: 10) : (total, false)
      let (part, isPartTooLarge) = digit.multipliedReportingOverflow(by: place ?? unit)
      let (sum, overflow) = product.addingReportingOverflow(part)
      guard !isTooLarge, !isPartTooLarge, !overflow else { return nil }
      total = sum
    }
    return total
  }
}
