// SPDX-License-Identifier: Apache-2.0

/// What the clock on the wall showed at the times of a stream, as its host or its log knew it.
///
///     WallClock(of: attributes)?.text(event.time)     // "2026-11-21 18:38:07.702 +08:00"
///
/// Times of a log are shown as the log has written them: in its own zone, and
/// without a day where its lines carry none.
public struct WallClock: Hashable, Sendable {
  /// Nanoseconds of a day.
  public static let day: Int64 = 86_400_000_000_000

  /// What the wall shows at time 0: nanoseconds since 1970, or since midnight, in its zone.
  public let start: Int64
  /// Whether the day is known.
  public let hasDay: Bool
  /// The zone as it is written behind a time; empty where it is not known.
  private let zone: String

  /// The wall of a writer; nil where the recording does not say the time of day.
  public init?(of attributes: WriterAttributes) {
    switch attributes.clock {
    case .real where attributes.evidence == .log:
      let offset = attributes.realOffset
      self.init(start: offset, hasDay: true, zone: offset == 0 ? "" : Self.zone(offset))
    case .timeOfDay:
      self.init(start: 0, hasDay: false, zone: "")
    case .real: self.init(utc: 0)
    case .monotonic, .virtual:
      guard attributes.realOffset != 0 else { return nil }
      self.init(utc: attributes.realOffset)
    }
  }

  /// A wall in Greenwich that shows `start`, in nanoseconds since 1970, at time 0.
  public init(utc start: Int64) {
    self.init(start: start, hasDay: true, zone: " UTC")
  }

  private init(start: Int64, hasDay: Bool, zone: String) {
    self.start = start
    self.hasDay = hasDay
    self.zone = zone
  }

  /// The same wall for times that are counted from `origin`.
  public func counted(from origin: HostTime) -> WallClock {
    WallClock(
      start: HostTime(rawValue: start).advanced(by: origin.rawValue).rawValue,
      hasDay: hasDay,
      zone: zone
    )
  }

  /// `2026-11-21 18:38:07.702 UTC`, or `18:38:07.702` where the day is not known.
  public func text(_ time: HostTime) -> String {
    let (day, _) = split(time)
    let clock = clock(time)
    guard hasDay else { return day == 0 ? clock : "\(clock), day \(day + 1)" }
    return "\(Self.date(day)) \(clock)\(zone)"
  }

  /// The time of day, such as `18:38:07.702`, with `digits` behind the second.
  public func clock(_ time: HostTime, digits: Int = 3) -> String {
    let (_, rest) = split(time)
    let seconds = rest / 1_000_000_000
    let text =
      "\(Self.two(seconds / 3_600)):\(Self.two(seconds / 60 % 60)):\(Self.two(seconds % 60))"
    guard digits > 0 else { return text }
    return text + "." + String(rest % 1_000_000_000 + 1_000_000_000).dropFirst().prefix(digits)
  }

  /// Nanoseconds from time 0 to the next time at which the wall shows `clock`, since midnight.
  public func next(_ clock: Int64) -> Int64 {
    let now = split(HostTime(rawValue: 0)).rest
    return clock >= now ? clock - now : clock - now + Self.day
  }

  private func split(_ time: HostTime) -> (day: Int64, rest: Int64) {
    let shown = HostTime(rawValue: start).advanced(by: time.rawValue).rawValue
    let rest = shown % Self.day
    return rest < 0 ? (shown / Self.day - 1, rest + Self.day) : (shown / Self.day, rest)
  }

  /// The civil date by Howard Hinnant's days algorithm.
  private static func date(_ days: Int64) -> String {
    let z = days + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let dayOfMonth = dayOfYear - (153 * shifted + 2) / 5 + 1
    return "\(year)-\(two(month))-\(two(dayOfMonth))"
  }

  private static func zone(_ nanoseconds: Int64) -> String {
    let minutes = Int64(clamping: nanoseconds.magnitude / 60_000_000_000)
    return " \(nanoseconds < 0 ? "-" : "+")\(two(minutes / 60)):\(two(minutes % 60))"
  }

  private static func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
