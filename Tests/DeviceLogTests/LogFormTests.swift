// SPDX-License-Identifier: Apache-2.0
import LifetraceDeviceLog
import LifetraceInterop
import Support
import Testing
import LifetraceTrace

/// Logs as they come: other line ends, marks, rubbish, one line of megabytes.
@Suite struct LogFormTests {
  private static let lines = [
    "default\t10:00:00.000001+0000\tnotes\tDeactivation reason added: 0; deactivation reasons: 0 -> 1; x",
    "default\t10:00:01.000000+0000\tnotes\tnote \"_cmd\":\"onDidEnterBackground:\" for the app",
    "default\t10:00:02.000000+0000\tnotes\tCreated background task <_UIBackgroundTaskInfo: 0x1>: "
      + "taskID = 3, taskName = Save, all, creationTime = 5 (elapsed = 0).",
    "default\t10:00:03.000000+0000\tnotes\tEnding background task with UIBackgroundTaskIdentifier: 3",
  ]

  private func expectNotes(_ log: LogImport) throws {
    let stream = try #require(log.streams.first)
    #expect(log.streams.count == 1)
    let states = log.states(stream).map { "\($0.state)" }
    #expect(states == ["active", "inactive", "background"])
    #expect(stream.events.contains { $0.kind == .taskEnd && $0.identity == 3 })
    let begin = try #require(stream.events.first { $0.kind == .taskBegin })
    #expect(log.names[NameID(rawValue: UInt32(truncatingIfNeeded: begin[0]))] == "Save, all")
  }

  /// The times of the first and the last event, in seconds, of a log of ``lines`` with other prefixes.
  private func seconds(_ prefixes: [String]) throws -> [Int64] {
    let messages = Self.lines.map { $0.split(separator: "\t", maxSplits: 3)[3] }
    let text = zip(prefixes, messages).map { $0.0 + $0.1 }.joined(separator: "\n")
    let log = try importText(text)
    try expectNotes(log)
    let stream = try #require(log.streams.first)
    let task = stream.events.filter { $0.kind == .taskBegin || $0.kind == .taskEnd }
    return ([stream.events[0]] + task).map { $0.time.rawValue / 1_000_000_000 }
  }

  @Test func hoursOfHalfADay() throws {
    let half = ["9:59:58.1 AM", "11:59:59 AM", "12:00:00.5 PM", "1:00:01 PM"]
    #expect(try seconds(half.map { "default\t\($0)\tnotes\t" }) == [35_998, 43_200, 46_801])
    let night = ["11:59:58 PM", "11:59:59 PM", "12:00:00 AM", "01:00:01 AM"]
    #expect(
      try seconds(night.map { "default\t\($0)+0800\tMy notes\t".replacing(" ", with: "\u{202F}") })
        == [86_398, 86_400, 90_001]
    )
  }

  /// Dates of other countries, where no place is in doubt.
  @Test(arguments: ["%-09-01 ", "01.09.%, ", "01.09.% ", "%/09/01 ", "%-09-01T"])
  func datesOfOtherCountries(form: String) throws {
    let date = form.replacing("%", with: "2026")
    let times = ["10:00:00.5+0200", "10:00:01.0+0200", "10:00:02.0+0200", "10:00:03.0+0200"]
    let found = try seconds(times.map { "default\t\(date)\($0)\tnotes\t" })
    #expect(found == [1_788_249_600, 1_788_249_602, 1_788_249_603])
  }

  @Test func aYearThatIsNotSaidTurns() throws {
    func days(_ stamps: [String]) throws -> [Int64] {
      try seconds(stamps.map { "\($0) iPad notes(UIKitCore)[5] <Notice>: " }).map { $0 / 86_400 }
    }
    let turn = ["Dec 31 23:59:59", "Jan  1 00:00:00", "Jan  1 00:00:01", "Jan  2 00:00:00"]
    #expect(try days(turn) == [0, 1, 2])
    // Whether the year has a February 29 shows itself, or does not.
    let common = ["Feb 28 10:00:00", "Mar  1 10:00:00", "Mar  1 11:00:00", "Mar  2 10:00:00"]
    #expect(try days(common) == [0, 1, 2])
    let leap = ["Feb 28 10:00:00", "Feb 29 10:00:00", "Mar  1 11:00:00", "Mar  2 10:00:00"]
    #expect(try days(leap) == [0, 2, 3])
  }

  @Test(arguments: [
    ("iPad My Notes(UIKitCore)[5]", "My Notes"),
    ("iPad Notes (Beta)(UIKitCore)[5]", "Notes (Beta)"),
    ("iPad Notes (Beta)[5]", "Notes (Beta)"),
  ])
  func namesMayHoldBlanksAndBrackets(process: String, name: String) throws {
    let messages = Self.lines.map { $0.split(separator: "\t", maxSplits: 3)[3] }
    func text(_ process: String, _ level: String = " <Notice>: ") -> String {
      messages.map { "Nov 12 12:24:37 \(process)\(level)\($0)" }.joined(separator: "\n")
    }
    for level in [" <Notice>: ", " <Error>: ", ": ", " "] {
      let log = try importText(text(process, level))
      #expect(log.streams.map(\.attributes.process) == [name], "\(level)")
      #expect(log.streams.map(\.attributes.pid) == [5], "\(level)")
    }
    // Newer tools leave the host out, which a line of a process of one word shows.
    let hostless = "Nov 12 12:24:37 kernel[0] <Notice>: x\n" + text(String(process.dropFirst(5)))
    #expect(try importText(hostless).streams.map(\.attributes.process) == [name])
  }

  /// Brackets and levels in a message are the message's own.
  @Test(arguments: [" ", ": ", " <Notice>: "])
  func onlyTheFirstBracketIsThePid(level: String) throws {
    let log = try importText(
      """
      Nov 12 12:24:30 iPad Drafty[4411]\(level)tasks[9] <Error>: Deactivation reason added: 5; deactivation reasons: 0 -> 32; x
      Nov 12 12:24:31 iPad Drafty[4411]\(level)Deactivation reason removed: 5; deactivation reasons: 32 -> 0; [x] <y>: z
      Nov 12 12:24:32 iPad wifid[x] nothing
      Nov 12 12:24:33 iPad Drafty[4411]\(level)UIApplicationDidEnterBackgroundNotification

      """
    )
    #expect(log.streams.map(\.attributes.pid) == [4411])
    #expect(log.streams.map(\.attributes.process) == ["Drafty"])
  }

  private static let drafty = """
    Nov 12 12:24:30 iPad Drafty[4411] <Notice>: Deactivation reason added: 5; deactivation reasons: 0 -> 32; x
    Nov 12 12:24:31 iPad Drafty[4411] <Notice>: Deactivation reason removed: 5; deactivation reasons: 32 -> 0; x
    Nov 12 12:24:37 iPad Drafty[4411] <Notice>: Deactivation reason added: 5; deactivation reasons: 0 -> 32; x
    Nov 12 12:24:38 iPad Drafty[4411] <Notice>: UIApplicationDidEnterBackgroundNotification

    """

  /// The app's own lines, those of daemons and the description of the exit name one process.
  @Test(arguments: ["app", "application"])
  func oneProcessIsOneAppWhateverItIsCalled(word: String) throws {
    let log = try importText(
      Self.drafty
        + """
        Nov 12 12:24:43 iPad runningboardd[31] <Notice>: [\(word)<com.example.Drafty>:4411] Suspending task.
        Nov 12 12:30:44 iPad SpringBoard[55] <Notice>: Process exited: <FBApplicationProcess: 0x1394b57d0; Drafty; pid: 4411> -> <RBSProcessExitContext| domain:jetsam(1) code:2>
        """
    )
    #expect(log.streams.map(\.attributes.app) == ["com.example.Drafty"])
    let stream = try #require(log.streams.first)
    #expect(
      log.states(stream).map { "\($0.state)" }
        == ["active", "inactive", "active", "inactive", "background", "suspended", "notRunning"]
    )
  }

  /// A pid that was given again: the name decides whose lines they are.
  @Test func aPidThatWasUsedTwiceIsOfTheAppWithTheName() throws {
    let log = try importText(
      """
      Nov 12 12:20:00 iPad runningboardd[31] <Notice>: [app<com.example.Drafty>:4411] Suspending task.
      Nov 12 12:21:00 iPad runningboardd[31] <Notice>: [app<com.example.Other>:4411] Suspending task.

      """ + Self.drafty
    )
    let own = log.streams.filter { stream in stream.events.contains { $0.kind == .transition } }
    #expect(own.map(\.attributes.app) == ["com.example.Drafty"])
  }

  @Test(arguments: [
    (
      "kernel[0] <Notice>: memorystatus: killing process 4411 [Drafty] in high band FOREGROUND (100)",
      "jetsam", UInt64(0)
    ),
    (
      "SpringBoard[55] <Notice>: [app<com.example.Drafty>:4411] "
        + "termination reported by launchd (0, 0, 9)",
      "signal", 9
    ),
    (
      "SpringBoard[55] <Notice>: [app<com.example.Drafty>:4411] "
        + "termination reported by launchd (1, 7, 9)",
      "jetsam", 7
    ),
    (
      "SpringBoard[55] <Notice>: [app<com.example.Drafty>:4411] "
        + "termination reported by launchd (0, 0, 9)\n"
        + "Nov 12 12:25:01 iPad SpringBoard[55] <Notice>: Process exited: <FBApplicationProcess: 0x1; "
        + "app<com.example.Drafty>:4411> -> <RBSProcessExitContext| domain:jetsam(1) code:2>",
      "jetsam", 2
    ),
  ])
  func endsInOtherWords(line: String, cause: String, code: UInt64) throws {
    let log = try importText(Self.drafty + "Nov 12 12:25:00 iPad \(line)\n")
    #expect(log.streams.count == 1)
    let exits = log.streams.flatMap(\.events).filter { $0.kind == .processExit }
    #expect(exits.count == 1)
    let exit = try #require(exits.first)
    #expect(log.names[NameID(rawValue: UInt32(truncatingIfNeeded: exit[0]))] == cause)
    #expect(exit[1] == code)
  }

  @Test func anEmptyLogIsCalledEmpty() {
    #expect(throws: LogImportError.self) { try importText("") }
    do {
      _ = try importText("")
    } catch {
      #expect("\(error)".hasSuffix(": is empty"))
    }
    #expect("\(LogImportError.empty(path: "-"))" == "standard input: is empty")
  }

  /// `possible` is when a suspension was, in seconds; -1 where it never ends.
  @Test(arguments: [
    // Begun 30 s ago: before the app was in the background.
    ("10:00:20", "Background Task 3 (\"Save\"), was created over 30 seconds ago", [Int64]()),
    // In the middle of the interval, which began 5 s behind the callback.
    ("10:01:00", "Background Task 3 (\"Save\"), was created over 30 seconds ago", [6, 29]),
    // Begun nobody knows when, so perhaps before all of it.
    ("10:00:20", "Ending background task with UIBackgroundTaskIdentifier: 3", [20, -1]),
  ])
  func aTaskThatShowsItselfLaterHeldTheAppAwake(at: String, line: String, possible: [Int64]) throws
  {
    let text =
      Self.lines[0...1].joined(separator: "\n")
      + "\ndefault\t\(at).000000+0000\tnotes\t[BackgroundTask] \(line).\n"
    let log = try importText(text)
    let stream = try #require(log.streams.first)
    var found: [Int64] = []
    for event in stream.events where log.names[event.identityName] == "suspension possible" {
      #expect(event.kind == (found.count % 2 == 0 ? .resourceAcquire : .resourceRelease))
      found.append(event.time.rawValue / 1_000_000_000 - 36_000)
    }
    if found.count % 2 == 1 { found.append(-1) }
    #expect(found == possible)
    #expect(zip(stream.events, stream.events.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  @Test func timesAreShownInTheZoneOfTheLog() throws {
    let stamps = ["23:30:00.5+0800", "23:30:01.0+0800", "23:30:02.0+0800", "16:30:03.0+0100"]
    let messages = Self.lines.map { $0.split(separator: "\t", maxSplits: 3)[3] }
    let text = zip(stamps, messages).map { "2026-09-01 \($0) 0x1f Default 0x0 5 0 notes: \($1)" }
    let stream = try #require(try importText(text.joined(separator: "\n")).streams.first)
    let wall = try #require(WallClock(of: stream.attributes))
    #expect(wall.text(stream.events[0].time) == "2026-09-01 23:30:00.500 +08:00")
    let end = try #require(stream.events.first { $0.kind == .taskEnd })
    #expect(wall.text(end.time) == "2026-09-01 23:30:03.000 +08:00")
  }

  @Test func windowsLineEndsAndAByteOrderMark() throws {
    let text = "\u{FEFF}" + Self.lines.joined(separator: "\r\n") + "\r\n"
    try expectNotes(try importText(text))
  }

  @Test func noNewlineAtTheEnd() throws {
    try expectNotes(try importText(Self.lines.joined(separator: "\n")))
  }

  @Test func onlyTheObjectsOwnKeysCount() throws {
    let rows = Self.lines.map { line in
      let parts = line.split(separator: "\t", maxSplits: 3).map(String.init)
      let message = parts[3].split(separator: "\"", omittingEmptySubsequences: false)
        .joined(separator: "\\\"")
      return
        "{\"eventMessage\" : \"\(message) \\\"timestamp\\\":\\\"x\\\" \\ud83d\\ude00 \\ud83d \\u00\","
        + "\"backtrace\":{\"frames\":[{\"imageOffset\":1}]},"
        + "\"processImagePath\":\"\\/a\\/notes\",\"timestamp\":\"2026-09-01 \(parts[1])\"}"
    }
    try expectNotes(try importText(rows.joined(separator: "\n")))
    // Cut anywhere it is no line, and does no harm.
    for row in rows {
      for length in stride(from: 1, to: row.utf8.count, by: 7) {
        let cut = String(decoding: row.utf8.prefix(length), as: UTF8.self)
        try expectNotes(try importText((rows + [cut]).joined(separator: "\n")))
      }
    }
  }

  @Test func rubbishBetweenTheLines() throws {
    var bytes: [UInt8] = [0, 0xFF, 0xFE, 0x80, 0x0A]
    for line in Self.lines {
      bytes += Array("# a remark\n\n\tgoes on\n".utf8) + [0xC3, 0x28, 0, 0x0A]
      bytes += Array(line.utf8) + [0x0A]
    }
    try expectNotes(try importBytes(bytes))
  }

  @Test func aLineOfMegabytes() throws {
    let long = "default\t10:00:00.000000+0000\tnotes\t" + String(repeating: "long ", count: 900_000)
    var lines = Self.lines
    lines.insert(long, at: 2)
    try expectNotes(try importText(lines.joined(separator: "\n") + "\n"))
  }

  @Test(arguments: [
    ("Darwin/20.1.0", "ios13"), ("Darwin/16.7", "ios7"), ("Darwin/23.0.0", "ios17"),
    ("Darwin/25.0.0", "ios26"),
  ])
  func theProfileFollowsTheSystem(agent: String, profile: String) throws {
    let first = "default\t09:00:00.0+0000\tnotes\tnotes/1 CFNetwork/978.0.7 \(agent)"
    let log = try importText(([first] + Self.lines).joined(separator: "\n"))
    #expect(log.streams.first?.attributes.profile == profile)
  }
}
