// SPDX-License-Identifier: Apache-2.0

/// Turns the stamps of a log, which may lack a day, into one running time.
///
/// Without dates a line that is far earlier than the one before belongs to the
/// next day; a line a little earlier is only out of order.
struct LogClock {
  /// Lines of different daemons are out of order by less than this.
  static let disorderMax: Int64 = 300_000_000_000

  /// A log does not turn more days than this: times stay far from the ends of 64 bits.
  static let dayMax: Int64 = 100_000

  /// Whether the log says its year; decided by the first line.
  private(set) var isDated = false
  private var isStarted = false
  /// Seconds east of Greenwich of the first line; times are shown there.
  private(set) var firstZone: Int64 = 0
  /// Whether the first line says its zone.
  private(set) var hasZone = false
  private var firstDay: Int64 = 0
  private var day: Int64 = 0
  /// How often times have gone back far enough to begin a new day, where no line says its day.
  private(set) var midnights = 0
  /// Where the year is not said: how often it has turned, and in which of them there was a February 29.
  private var years: Int64 = 0
  private var leapYear: Int64?
  private var latest: Int64 = .min

  /// Set back by one hour, give or take, in a log that does not say its zone: the end of summer time.
  private static let summerTime: ClosedRange<Int64> = 3_300_000_000_000...3_900_000_000_000
  /// This many lines in a row from an hour before are no disorder.
  private static let stepLines = 64
  /// A step that the log reports comes within this.
  private static let stepDelayMax: Int64 = 60_000_000_000

  /// Where the clock was set back: from that time on it runs, without the step, so much ahead.
  private(set) var steps: [(since: Int64, shift: Int64)] = []
  /// That of the last step, 0 before the first.
  private(set) var shift: Int64 = 0
  /// Lines in a row that are far behind the newest.
  private(set) var behind = 0
  /// Far before all times.
  private var newest: Int64 = .min / 2
  private var firstBehind: Int64 = 0
  /// The newest time when the log said that the clock is being set.
  private var stepTold: Int64 = .min / 2

  /// The log says that the clock is being set.
  mutating func expectStep() { stepTold = newest }

  /// The time of a line; it does not go back with the clock of the device.
  @inline(__always)
  mutating func time(_ stamp: LogStamp) -> Int64 {
    let time = ownTime(stamp) &+ shift
    if time >= newest - Self.disorderMax {
      if time > newest { newest = time }
      behind = 0
      return time
    }
    return timeBehind(time, stamp)
  }

  /// Looks whether the clock was set back, which only lines in a row from before can show.
  private mutating func timeBehind(_ time: Int64, _ stamp: LogStamp) -> Int64 {
    behind += 1
    if behind == 1 { firstBehind = time }
    let back = newest - firstBehind
    let isSummer = behind >= Self.stepLines && stamp.zone == 0 && Self.summerTime.contains(back)
    let isTold = newest - stepTold < Self.stepDelayMax
    guard isTold || isSummer else { return time }
    stepTold = .min / 2
    shift += back
    steps.append((newest, shift))
    behind = 0
    newest = max(newest, time + back)
    return time + back
  }

  /// Nanoseconds since 1970 (UTC) of a dated log, else since midnight before the first line, in its zone.
  @inline(__always)
  private mutating func ownTime(_ stamp: LogStamp) -> Int64 {
    if !isStarted { start(stamp) }
    if isDated, case .full(let day) = stamp.day {
      self.day = day
      latest = day &* LogStamp.dayNanoseconds + stamp.timeOfDay - stamp.zone * 1_000_000_000
      return latest
    }
    return undated(stamp)
  }

  private mutating func start(_ stamp: LogStamp) {
    isStarted = true
    firstZone = stamp.zone
    hasZone = stamp.hasZone
    switch stamp.day {
    case .full(let day):
      isDated = true
      firstDay = day
      self.day = day
    case .ofYear(let day):
      firstDay = day
      self.day = day
    case .none: break
    }
  }

  /// Days from the first line's to this one of a year that is not said.
  private mutating func days(to ordinal: Int64) -> Int64 {
    // The year has turned; a line from before, out of order, does not turn it back.
    if ordinal < day - 183, years < 100 { years += 1 }
    let year = ordinal > day + 183 && years > 0 ? years - 1 : years
    if year == years { day = ordinal }
    if ordinal == Self.leapDay { leapYear = year }
    let length = Self.leapDay + 307
    var days = ordinal + year * length - firstDay
    for turn in 0...max(0, year) where turn != leapYear {
      // March 1 of a year without a February 29 comes a day sooner.
      let march = turn * length + Self.leapDay + 1
      if march > firstDay, march <= ordinal + year * length { days -= 1 }
    }
    return days
  }

  private static let leapDay: Int64 = 59

  private mutating func undated(_ stamp: LogStamp) -> Int64 {
    let length = LogStamp.dayNanoseconds
    let reference = isDated ? 0 : firstZone
    var time = stamp.timeOfDay - (stamp.zone - reference) * 1_000_000_000
    if case .ofYear(let ordinal) = stamp.day, !isDated {
      latest = time + days(to: ordinal) * length
      return latest
    }
    time += day * length
    let wall = stamp.timeOfDay + day * length
    if wall != time, !isDated, latest != .min, abs(wall - latest) < Self.disorderMax,
      abs(time - latest) > Self.disorderMax
    {
      // Old exports give some lines another zone, and the time of the first line's all the same.
      time = wall
    }
    if latest != .min {
      if time < latest - Self.disorderMax, day < Self.dayMax {
        let missing = (latest - Self.disorderMax - time + length - 1) / length
        // A line from before midnight, after the first one from behind it, does not turn the day.
        day += missing
        midnights += 1
        time += missing * length
      } else if time > latest + length - Self.disorderMax, day > 0 {
        return time - length
      }
    }
    latest = time
    return time
  }

  /// What the clock of the device showed at a time of ``time(_:)``.
  func shown(_ time: Int64) -> Int64 {
    guard let step = steps.last(where: { $0.since <= time }) else { return time }
    return time - step.shift
  }
}
