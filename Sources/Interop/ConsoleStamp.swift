// SPDX-License-Identifier: Apache-2.0

/// The time that a line of a log begins with, as it is written there.
///
///     18:38:04.900002+0800                    time of day only
///     Nov 12 12:24:37                         a day without a year
///     2021-11-25 14:41:34.367850+0000         all of it
struct ConsoleStamp {
  /// What the line says of the day.
  enum Day {
    case none
    /// The day of a year that is not said, from 0.
    case ofYear(Int64)
    /// Days since 1970.
    case full(Int64)
  }

  static let dayNanoseconds: Int64 = 86_400_000_000_000

  var day = Day.none
  /// Since midnight, in the log's own zone.
  var timeOfDay: Int64 = 0
  /// Seconds east of Greenwich, 0 where the line does not say.
  var zone: Int64 = 0
}

extension ConsoleStamp {
  /// Reads a stamp at the start of `text`; returns the bytes it takes, or 0 when there is none.
  @inline(__always)
  mutating func read(_ text: ConsoleText) -> Int {
    var at = 0
    day = .none
    zone = 0
    if text.count >= 11, text[4] == 0x2D, text[7] == 0x2D {
      guard let year = Self.two(text, 0), let century = Self.two(text, 2),
        let month = Self.two(text, 5), let date = Self.two(text, 8), (1...12).contains(month),
        (1...31).contains(date), (19...21).contains(year)
      else { return 0 }
      day = .full(Self.days(year: year * 100 + century, month: month, day: date))
      at = 11
    }
    let clock = readClock(text.dropFirst(at))
    guard clock > 0 else { return 0 }
    at += clock
    return at + readZone(text.dropFirst(at))
  }

  /// Reads `Mon DD ` and the time behind it, as syslog writes; 0 when there is none.
  mutating func readSyslog(_ text: ConsoleText) -> Int {
    guard text.count >= 15, let month = Self.month(text) else { return 0 }
    var at = 4
    if text[at] == 0x20 { at += 1 }
    guard let date = text.dropFirst(at).integer, (1...31).contains(date) else { return 0 }
    at += date >= 10 ? 3 : 2
    zone = 0
    day = .ofYear(Self.days(year: 1970, month: month, day: date))
    let clock = readClock(text.dropFirst(at))
    return clock > 0 ? at + clock : 0
  }

  /// Reads `HH:MM:SS` with an optional fraction.
  @inline(__always)
  private mutating func readClock(_ text: ConsoleText) -> Int {
    guard text.count >= 8, text[2] == 0x3A, text[5] == 0x3A, let hour = Self.two(text, 0),
      let minute = Self.two(text, 3), let second = Self.two(text, 6), hour < 24, minute < 60,
      second < 61
    else { return 0 }
    var nanoseconds = ((hour * 60 + minute) * 60 + second) * 1_000_000_000
    var at = 8
    if at < text.count, text[at] == 0x2E || text[at] == 0x2C {
      var unit: Int64 = 100_000_000
      at += 1
      while at < text.count, text[at] &- 0x30 < 10 {
        nanoseconds += Int64(text[at] &- 0x30) * unit
        unit /= 10
        at += 1
      }
    }
    timeOfDay = nanoseconds
    return at
  }

  /// Reads `+0800`, ` -0500`, `+08:00` or `Z`.
  @inline(__always)
  private mutating func readZone(_ text: ConsoleText) -> Int {
    var at = 0
    if text.count > 0, text[0] == 0x5A { return 1 }
    if text.count > 5, text[0] == 0x20, text[1] == 0x2B || text[1] == 0x2D { at = 1 }
    guard text.count >= at + 5, text[at] == 0x2B || text[at] == 0x2D,
      let hours = Self.two(text, at + 1)
    else { return 0 }
    let colon = text[at + 3] == 0x3A ? 1 : 0
    guard text.count >= at + 5 + colon, let minutes = Self.two(text, at + 3 + colon) else {
      return 0
    }
    zone = (hours * 60 + minutes) * 60 * (text[at] == 0x2D ? -1 : 1)
    return at + 5 + colon
  }

  @inline(__always)
  private static func two(_ text: ConsoleText, _ at: Int) -> Int64? {
    let tens = text[at] &- 0x30
    let ones = text[at + 1] &- 0x30
    return tens < 10 && ones < 10 ? Int64(tens) * 10 + Int64(ones) : nil
  }

  /// Days since 1970 of a date of the Gregorian calendar.
  static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func month(_ text: ConsoleText) -> Int64? {
    let names: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
    guard text[3] == 0x20 else { return nil }
    for month in 0..<12 {
      let name = ConsoleText(names.utf8Start + month * 3, 3)
      if name[0] == text[0], name[1] == text[1], name[2] == text[2] { return Int64(month + 1) }
    }
    return nil
  }
}

/// Turns the stamps of a log, which may lack a day, into one running time.
///
/// Without dates a line that is far earlier than the one before belongs to the
/// next day; a line a little earlier is only out of order.
struct ConsoleClock {
  /// Lines of different daemons are out of order by less than this.
  static let disorderMax: Int64 = 300_000_000_000

  /// A log does not turn more days than this: times stay far from the ends of 64 bits.
  static let dayMax: Int64 = 100_000

  /// Whether the log says its year; decided by the first line.
  private(set) var isDated = false
  private var isStarted = false
  private var firstZone: Int64 = 0
  private var firstDay: Int64 = 0
  private var day: Int64 = 0
  private var latest: Int64 = .min

  /// Nanoseconds since 1970 (UTC) of a dated log, else since midnight before the first line, in its zone.
  @inline(__always)
  mutating func time(_ stamp: ConsoleStamp) -> Int64 {
    if !isStarted { start(stamp) }
    if isDated, case .full(let day) = stamp.day {
      self.day = day
      latest = day &* ConsoleStamp.dayNanoseconds + stamp.timeOfDay - stamp.zone * 1_000_000_000
      return latest
    }
    return undated(stamp)
  }

  private mutating func start(_ stamp: ConsoleStamp) {
    isStarted = true
    firstZone = stamp.zone
    switch stamp.day {
    case .full(let day):
      isDated = true
      firstDay = day
      self.day = day
    case .ofYear(let day): firstDay = day
    case .none: break
    }
  }

  private mutating func undated(_ stamp: ConsoleStamp) -> Int64 {
    let length = ConsoleStamp.dayNanoseconds
    let reference = isDated ? 0 : firstZone
    var time = stamp.timeOfDay - (stamp.zone - reference) * 1_000_000_000
    if case .ofYear(let ordinal) = stamp.day, !isDated {
      // The year may have turned since the first line.
      let days = (ordinal - firstDay + 365) % 365
      latest = time + days * length
      return latest
    }
    time += day * length
    if latest != .min {
      if time < latest - Self.disorderMax, day < Self.dayMax {
        let missing = (latest - Self.disorderMax - time + length - 1) / length
        // A line from before midnight, after the first one from behind it, does not turn the day.
        day += missing
        time += missing * length
      } else if time > latest + length - Self.disorderMax, day > 0 {
        return time - length
      }
    }
    latest = time
    return time
  }
}
