// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// Goes to a place as it was typed.
///
///     goto 42         goto +2.104     goto .-300ms     goto 18:38:07.7
///     goto 50%        goto #2         goto end         goto before-the-edit
enum Places {
  /// The forms, for help and for the message when none fits.
  static let forms =
    "WRITER:SEQUENCE or a number for an event, +TIME since the start, .+TIME or .-TIME from here, a clock time "
    + "HH:MM:SS, WRITER@TIME on the clock of its machine, N% of the events, #N for a violation, start, end, "
    + "here, or a mark"

  /// Moves the player; the answer describes the place, if there is something to say.
  static func go(to text: String, _ session: Session) throws -> Line? {
    let player = session.player
    player.violation = nil
    switch text {
    case "start", "begin":
      player.seek(toEvent: 0)
      return nil
    case "end":
      player.seek(toEvent: player.timeline.count)
      return nil
    default: break
    }
    if text.hasPrefix("#") { return try goToFinding(text.dropFirst(), session) }
    if let place = try session.place(ofMark: text) {
      player.seek(to: place)
      return nil
    }
    if let number = Int(text.filter { $0 != "," }), number >= 0, !text.hasPrefix("+") {
      let total = player.timeline.count
      guard number <= total else {
        throw CommandError.no("There is no event \(number): the last one is \(total).")
      }
      try session.approach(event: number)
      player.seek(toEvent: number)
      return nil
    }
    if let time = try time(text, session) ?? rawTime(text, session) {
      guard time.rawValue <= player.timeline.duration else {
        let last = Wording.time(TraceTime(rawValue: player.timeline.duration))
        throw CommandError.no("\(text) is after the end of the recording, \(last).")
      }
      let before = player.here
      try session.approach(time)
      player.seek(to: time)
      if text.hasPrefix("."), player.here == before { return nothing(within: text, session) }
      return ClockTime.parse(text) == nil ? nil : day(time, session)
    }
    if text.hasSuffix("%"), let percent = TypedPercent.parse(text.dropLast()) {
      let number = Int(Double(player.timeline.count) * percent / 100)
      try session.approach(event: number)
      player.seek(toEvent: number)
      return nil
    }
    if let place = try event(text, session) {
      player.seek(to: place)
      return nil
    }
    if let place = try markOfApp(text, session) {
      player.seek(to: place)
      return nil
    }
    if SourceLine(text) != nil {
      throw CommandError.usage(
        "\(text) is a line of source, which many events may have: find \(text) goes to the next one."
      )
    }
    if let name = try session.dataObject(session.near(text) ?? text) {
      let shown = Printable.line(name)
      throw CommandError.usage(
        "\(text) is no place. Of the data object \(shown): find \(shown), last \(shown), history \(shown)."
      )
    }
    throw CommandError.usage("\(text) is no place. A place is \(forms).")
  }

  /// Says how what people write in words is written: `violation 2` is `#2`.
  static func refuse(_ words: [String], _ command: String) throws(CommandError) {
    guard words.count == 2 else { return }
    let number = words[1].hasPrefix("#") ? words[1].dropFirst() : words[1][...]
    guard !number.isEmpty, number.allSatisfy(\.isNumber) else { return }
    switch words[0] {
    case "violation", "violations":
      throw .usage("Violation \(number) is #\(number): \(command) #\(number).")
    case "event", "events": throw .usage("Event \(number) is \(number): \(command) \(number).")
    default: return
    }
  }

  /// The position that a place means, `.` and `here` being this one; the player stays where it is.
  static func position(_ text: String, _ session: Session) throws -> Position {
    let player = session.player
    if text == "." || text == "here" { return player.here }
    let violation = player.violation
    defer { player.violation = violation }
    return try player.lookAround {
      _ = try go(to: text, session)
      return player.here
    }
  }

  /// Whether `text` is a place in figures: an event, a time or a percentage.
  static func isNumber(_ text: String) -> Bool {
    if ClockTime.parse(text) != nil || Int(text.filter { $0 != "," }) != nil { return true }
    if text.hasSuffix("%") { return TypedPercent.parse(text.dropLast()) != nil }
    let span = text.drop { $0 == "." }
    guard let sign = span.first, "+-".contains(sign) else { return false }
    return TypedQuantity.nanoseconds(span.dropFirst(), bareSeconds: true) != nil
  }

  /// Why a move by a length of time, `.+10ms`, has led nowhere.
  private static func nothing(within text: String, _ session: Session) -> Line? {
    let player = session.player
    guard text.hasPrefix(".+") else { return "No event is earlier than this one." }
    var position = player.here
    guard let place = player.timeline.stepForward(&position) else { return nil }
    let time = player.timeline.time(of: player.timeline.event(at: place))
    let away = Quantity.duration(time - player.time)
    return "No event is that near: the next is #\(position.ordinal), \(away) from here."
  }

  /// The day that a time of day was taken to be of, where the recording is of several.
  private static func day(_ time: TraceTime, _ session: Session) -> Line? {
    let timeline = session.player.timeline
    guard let wall = timeline.alignment.wall, wall.next(0) <= timeline.duration else { return nil }
    return "At \(wall.text(HostTime(rawValue: time.rawValue))):"
  }

  /// The first mark of this name that the app itself set.
  private static func markOfApp(_ name: String, _ session: Session) throws -> EventPlace? {
    var filter = EventFilter(kinds: KindSet([.mark])) { event, names in
      names[names[event.site].name] == name
    }
    filter.streams = Set(session.player.timeline.streams.map(\.id))
    return try session.player.find(filter, .forward, from: session.player.timeline.start)
  }

  private static func time(_ text: String, _ session: Session) throws -> TraceTime? {
    let player = session.player
    if text.hasPrefix("+") {
      return TypedQuantity.nanoseconds(text.dropFirst(), bareSeconds: true)
        .map(TraceTime.init)
    }
    if text.hasPrefix(".+"),
      let span = TypedQuantity.nanoseconds(text.dropFirst(2), bareSeconds: true)
    {
      return player.time.advanced(by: span)
    }
    if text.hasPrefix(".-"),
      let span = TypedQuantity.nanoseconds(text.dropFirst(2), bareSeconds: true)
    {
      guard player.here.ordinal > 0 else {
        throw CommandError.no("This is the start of the recording.")
      }
      return max(.zero, player.time.advanced(by: -span))
    }
    if let (clock, unit) = ClockTime.parse(text) { return try time(clock, unit, text, session) }
    return nil
  }

  /// When the clock of a writer's machine showed a time, `server#1@4711.25`; nil where `text` has not that form.
  private static func rawTime(_ text: String, _ session: Session) throws -> TraceTime? {
    guard let at = text.lastIndex(of: "@"),
      let time = TypedQuantity.nanoseconds(text[text.index(after: at)...], bareSeconds: true)
    else { return nil }
    let writer = String(text[..<at])
    let stream = try session.stream([writer])
    let alignment = session.player.timeline.alignment
    let found = alignment.traceTime(HostTime(rawValue: time), of: stream)
    guard found >= .zero else {
      let first = alignment.hostTime(.zero, of: stream)
      throw CommandError.no(
        "\(text) is before the start of the recording: the clock of \(writer) showed "
          + "\(Self.raw(first)) then."
      )
    }
    return found
  }

  /// A time on the clock of a machine, as `goto` takes it behind the @.
  static func raw(_ time: HostTime) -> String {
    let (seconds, rest) = time.rawValue.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    let digits = String(rest)
    let zeros = String(repeating: "0", count: 9 - digits.count)
    return "\(time.rawValue < 0 ? "-" : "")\(seconds).\(zeros)\(digits) s"
  }

  /// When the clock on the wall showed `clock`, typed to the minute, the second or finer.
  ///
  /// On the day one stands on, else on the next, else on the one before.
  private static func time(_ clock: Int64, _ unit: Int64, _ text: String, _ session: Session)
    throws -> TraceTime
  {
    let timeline = session.player.timeline
    guard let wall = timeline.alignment.wall else {
      throw CommandError.no(
        "This recording does not know the time of day; use +TIME since the start."
      )
    }
    let midnight = wall.next(0)
    let here = session.player.time.rawValue
    let day = here < midnight ? -WallClock.day : (here - midnight) / WallClock.day * WallClock.day
    let onThisDay = (midnight + day).addingSaturated(clock)
    for days in [0, WallClock.day, -WallClock.day] {
      let time = onThisDay.addingSaturated(days)
      // The start itself may be typed less exactly than it was.
      if time <= timeline.duration, time > -unit { return TraceTime(rawValue: max(0, time)) }
    }
    let next = wall.next(clock)
    let (first, last) = (HostTime(rawValue: 0), HostTime(rawValue: timeline.duration))
    // The nearer side of the day.
    let isBefore = WallClock.day - next < next - timeline.duration
    throw CommandError.no(
      "\(text) is \(isBefore ? "before the start" : "after the end") of the recording: "
        + "it is of \(wall.text(first)) to \(wall.text(last))."
    )
  }

  private static func goToFinding(_ text: Substring, _ session: Session) throws -> Line? {
    let findings = try session.findings()
    guard let number = Int(text) else {
      throw CommandError.usage("#\(text) is no violation: violations are #1, #2 and so on.")
    }
    guard findings.violations.indices.contains(number - 1) else {
      let count = findings.violations.count
      throw CommandError.no(
        count == 0
          ? session.nothingBroken
          : "There is no violation #\(number): the last one is #\(count)."
            + (1...session.player.timeline.count ~= number ? " For the event: goto \(number)" : "")
      )
    }
    let finding = findings.violations[number - 1]
    guard session.place(of: finding) != nil else {
      throw CommandError.no("Violation #\(number) is about an event that is missing.")
    }
    let headline = try session.headline(finding)
    session.player.seek(to: finding)
    return headline
  }

  /// The event that `WRITER:SEQUENCE` names, as all commands print it; nil where `text` has not that form.
  static func event(_ text: String, _ session: Session) throws -> EventPlace? {
    guard let name = EventName(text) else { return nil }
    let stream = try session.stream([name.writer])
    guard let place = session.player.timeline.place(of: stream, sequence: name.sequence) else {
      throw CommandError.no(
        "\(name.writer) has no event with the sequence number \(name.sequence)."
      )
    }
    return place
  }
}

/// Reads `37.5`, between 0 and 100.
enum TypedPercent {
  static func parse(_ text: Substring) -> Double? {
    guard let value = Double(String(text)), value >= 0, value <= 100 else { return nil }
    return value
  }
}

/// Reads times of day.
package enum ClockTime {
  /// Nanoseconds since midnight of `18:38` or `18:38:07.702`, and how exact that is.
  package static func parse(_ text: String) -> (clock: Int64, unit: Int64)? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, let hours = Int64(parts[0]), 0..<24 ~= hours,
      let minutes = Int64(parts[1]), 0..<60 ~= minutes
    else { return nil }
    var seconds: Int64 = 0
    if parts.count == 3 {
      guard parts[2].first?.isNumber == true,
        let parsed = TypedQuantity.nanoseconds(parts[2], bareSeconds: true),
        0..<60_000_000_000 ~= parsed
      else { return nil }
      seconds = parsed
    }
    let unit: Int64 = parts.count == 2 ? 60_000_000_000 : text.contains(".") ? 1 : 1_000_000_000
    return ((hours * 60 + minutes) * 60_000_000_000 + seconds, unit)
  }
}
