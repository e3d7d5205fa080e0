// SPDX-License-Identifier: Apache-2.0
public import Timeline
public import Trace

/// How numbers and states are said.
///
///     Wording.time(TraceTime(rawValue: 2_104_318_000))     // "+2.104 s"
///     Wording.duration(42_000)                             // "42 µs"
///     Wording.bytes(1_204)                                 // "1,204 bytes"
public enum Wording {
  /// Since the first event, to the millisecond: `+2.104 s`.
  public static func time(_ time: TraceTime, digits: Int = 3) -> String {
    sign(time.rawValue, always: true) + seconds(time.rawValue, digits: digits) + " s"
  }

  /// A length of time in the unit that suits it.
  public static func duration(_ nanoseconds: Int64) -> String {
    let size = nanoseconds.magnitude
    let prefix = sign(nanoseconds, always: false)
    switch size {
    case 0..<1_000: return "\(prefix)\(size) ns"
    case 1_000..<1_000_000: return prefix + fixed(size, per: 1_000) + " µs"
    case 1_000_000..<1_000_000_000: return prefix + fixed(size, per: 1_000_000) + " ms"
    case 1_000_000_000..<60_000_000_000: return prefix + seconds(nanoseconds, digits: 3) + " s"
    case 60_000_000_000..<3_600_000_000_000:
      return "\(prefix)\(size / 60_000_000_000) min \(size / 1_000_000_000 % 60) s"
    default:
      let minutes = size / 60_000_000_000
      return "\(prefix)\(grouped(minutes / 60)) h \(minutes % 60) min"
    }
  }

  /// A size, in bytes as long as that is easily read.
  public static func bytes(_ count: UInt64) -> String {
    switch count {
    case 1: "1 byte"
    case 0..<100_000: grouped(count) + " bytes"
    case 100_000..<(100 << 20): fixed(count, per: 1 << 10) + " KiB"
    default: fixed(count, per: 1 << 20) + " MiB"
    }
  }

  /// `12,345`.
  public static func grouped(_ count: some BinaryInteger) -> String {
    let digits = String(count.magnitude)
    var text = ""
    for (offset, digit) in digits.enumerated() {
      if offset > 0, (digits.count - offset) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (count < 0 ? "-" : "") + text
  }

  /// `1 event`, `2 events`, `2 processes`.
  public static func count(_ number: Int, _ thing: String) -> String {
    let things = thing.hasSuffix("s") ? thing + "es" : thing + "s"
    return "\(grouped(number)) \(number == 1 ? thing : things)"
  }

  /// All bytes of a file: `1 byte`, `3,282 bytes`, and what that is `of` each of some events.
  public static func fileBytes(_ bytes: UInt64, events: Int) -> String {
    let size = bytes == 1 ? "1 byte" : "\(grouped(bytes)) bytes"
    guard events > 0 else { return size }
    // Two decimals where that says something.
    let scale = bytes / UInt64(events) < 10 ? 100 : 10
    let parts = Int((Double(bytes) * Double(scale) / Double(events)).rounded())
    let fraction = String(parts % scale + scale).dropFirst()
    return "\(size) (\(grouped(parts / scale)).\(fraction) an event)"
  }

  /// The state in words.
  public static func state(_ state: AppState) -> String {
    switch state {
    case .unknown: "unknown"
    case .notRunning: "not running"
    case .inactive: "inactive"
    case .active: "active"
    case .background: "background"
    case .suspended: "suspended"
    }
  }

  /// The level in words.
  public static func level(_ level: DurabilityLevel) -> String {
    switch level {
    case .process: "the process only"
    case .kernel: "the kernel"
    case .disk: "the disk"
    case .remote: "a server"
    }
  }

  /// The kind of work in words.
  public static func work(_ kind: WorkKind) -> String { kind == .other ? "" : "\(kind)" }

  /// `main`, or the number of the thread.
  public static func thread(_ thread: ThreadID) -> String {
    thread == .main ? "main" : "t\(thread.rawValue)"
  }

  /// A list as one says it: `a, b and c`.
  public static func list(_ words: [String]) -> String {
    guard words.count > 1, let last = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " and " + last
  }

  static func seconds(_ nanoseconds: Int64, digits: Int) -> String {
    let size = nanoseconds.magnitude
    var fraction = String(size % 1_000_000_000)
    fraction = String(repeating: "0", count: 9 - fraction.count) + fraction
    return grouped(size / 1_000_000_000) + "." + fraction.prefix(digits)
  }

  private static func sign(_ value: Int64, always: Bool) -> String {
    value < 0 ? "-" : always ? "+" : ""
  }

  /// At most three significant decimals, none that say nothing.
  private static func fixed(_ value: UInt64, per unit: UInt64) -> String {
    let whole = value / unit
    let tenths = value % unit * 10 / unit
    return whole >= 100 || tenths == 0 ? grouped(whole) : "\(whole).\(tenths)"
  }
}
