// SPDX-License-Identifier: Apache-2.0

/// The time that a line of a log begins with, as it is written there.
///
///     18:38:04.900002+0800                    time of day only
///     Nov 12 12:24:37                         a day without a year
///     2021-11-25 14:41:34.367850+0000         all of it
///
/// The hours may be those of a 12-hour clock, `6:38:04.9 PM`.
struct LogStamp {
  /// What the line says of the day.
  enum Day {
    case none
    /// The day of a year that is not said, from 0; as if it were a leap year.
    case ofYear(Int64)
    /// A date, in days since 1970.
    case full(Int64)
  }

  static let dayNanoseconds: Int64 = 86_400_000_000_000

  var day = Day.none
  /// Since midnight, in the log's own zone.
  var timeOfDay: Int64 = 0
  /// Seconds east of Greenwich, 0 where the line does not say.
  var zone: Int64 = 0
  /// Whether the line says it.
  var hasZone = false
}

extension LogStamp {
  /// Reads a stamp at the start of `text`; returns the bytes it takes, or 0 when there is none.
  @inline(__always)
  mutating func read(_ text: LogText) -> Int {
    var at = 0
    day = .none
    zone = 0
    hasZone = false
    if text.count >= 11, text[4] == 0x2D, text[7] == 0x2D {
      guard let year = Self.two(text, 0), let century = Self.two(text, 2),
        let month = Self.two(text, 5), let date = Self.two(text, 8), (1...12).contains(month),
        (1...31).contains(date), (19...21).contains(year)
      else { return 0 }
      day = .full(Self.days(year: year * 100 + century, month: month, day: date))
      at = 11
    } else if text.count >= 19, text[2] == 0x2E || text[4] == 0x2F {
      at = readLocalDate(text)
    }
    let clock = readClock(text.dropFirst(at))
    guard clock > 0 else { return 0 }
    at += clock
    return at + readZone(text.dropFirst(at))
  }

  /// Reads `01.09.2026, ` or `2026/09/01 `, in which no place is in doubt; 0 when there is none.
  private mutating func readLocalDate(_ text: LogText) -> Int {
    let isDotted = text[2] == 0x2E
    let places = isDotted ? (year: 6, month: 3, date: 0) : (year: 0, month: 5, date: 8)
    guard text[isDotted ? 5 : 7] == (isDotted ? 0x2E : 0x2F),
      let century = Self.two(text, places.year), (19...21).contains(century),
      let year = Self.two(text, places.year + 2), let month = Self.two(text, places.month),
      (1...12).contains(month), let date = Self.two(text, places.date), (1...31).contains(date)
    else { return 0 }
    day = .full(Self.days(year: century * 100 + year, month: month, day: date))
    return text[10] == 0x2C ? 12 : 11
  }

  /// Reads `Mon DD ` and the time behind it, as syslog writes; 0 when there is none.
  mutating func readSyslog(_ text: LogText) -> Int {
    guard text.count >= 15, let month = Self.month(text) else { return 0 }
    var at = 4
    if text[at] == 0x20 { at += 1 }
    guard let date = text.dropFirst(at).integer, (1...31).contains(date) else { return 0 }
    at += date >= 10 ? 3 : 2
    zone = 0
    day = .ofYear(Self.days(year: 1972, month: month, day: date) - Self.leapYearBegin)
    let clock = readClock(text.dropFirst(at))
    return clock > 0 ? at + clock : 0
  }

  private static let leapYearBegin = days(year: 1972, month: 1, day: 1)

  /// Reads `HH:MM:SS` with an optional fraction, or `H:MM:SS PM`.
  @inline(__always)
  private mutating func readClock(_ text: LogText) -> Int {
    if text.count >= 9, text[1] == 0x3A { return readHalfDay(text, hourDigits: 1) }
    let length = readFullDay(text)
    return length > 0 && Self.isHalfDay(text.dropFirst(length))
      ? readHalfDay(text, hourDigits: 2) : length
  }

  /// Whether ` AM` or ` PM` follows, behind a blank or a narrow one.
  @inline(__always)
  private static func isHalfDay(_ text: LogText) -> Bool {
    text.count >= 3 && (text[0] == 0x20 || text[0] == 0xE2) && halfDay(text) != nil
  }

  /// The hours to add and the bytes that say so.
  private static func halfDay(_ text: LogText) -> (hours: Int64, bytes: Int)? {
    let blank = text.starts(" ") ? 1 : text.starts("\u{202F}") ? 3 : 0
    let word = text.dropFirst(blank)
    guard blank > 0, word.count >= 2, word[1] | 0x20 == 0x6D else { return nil }
    switch word[0] | 0x20 {
    case 0x61: return (0, blank + 2)
    case 0x70: return (12, blank + 2)
    default: return nil
    }
  }

  private mutating func readHalfDay(_ text: LogText, hourDigits: Int) -> Int {
    var length: Int
    if hourDigits == 1 {
      var padded: [UInt8] = [0x30]
      padded += (0..<min(text.count, 18)).map { text[$0] }
      let count = padded.count
      length = padded.withUnsafeBufferPointer { bytes in
        bytes.baseAddress.map { readFullDay(LogText($0, count)) } ?? 0
      }
      length -= 1
    } else {
      length = readFullDay(text)
    }
    let hour = timeOfDay / 3_600_000_000_000
    guard length > 0, (1...12).contains(hour), let half = Self.halfDay(text.dropFirst(length))
    else { return 0 }
    timeOfDay += (half.hours - (hour == 12 ? 12 : 0)) * 3_600_000_000_000
    return length + half.bytes
  }

  /// Reads `HH:MM:SS` with an optional fraction.
  @inline(__always)
  private mutating func readFullDay(_ text: LogText) -> Int {
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
  private mutating func readZone(_ text: LogText) -> Int {
    var at = 0
    if text.count > 0, text[0] == 0x5A {
      hasZone = true
      return 1
    }
    if text.count > 5, text[0] == 0x20, text[1] == 0x2B || text[1] == 0x2D { at = 1 }
    guard text.count >= at + 5, text[at] == 0x2B || text[at] == 0x2D,
      let hours = Self.two(text, at + 1)
    else { return 0 }
    let colon = text[at + 3] == 0x3A ? 1 : 0
    guard text.count >= at + 5 + colon, let minutes = Self.two(text, at + 3 + colon) else {
      return 0
    }
    hasZone = true
    zone = (hours * 60 + minutes) * 60 * (text[at] == 0x2D ? -1 : 1)
    return at + 5 + colon
  }

  @inline(__always)
  private static func two(_ text: LogText, _ at: Int) -> Int64? {
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

  private static func month(_ text: LogText) -> Int64? {
    let names: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
    guard text[3] == 0x20 else { return nil }
    for month in 0..<12 {
      let name = LogText(names.utf8Start + month * 3, 3)
      if name[0] == text[0], name[1] == text[1], name[2] == text[2] { return Int64(month + 1) }
    }
    return nil
  }
}
