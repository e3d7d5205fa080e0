// SPDX-License-Identifier: Apache-2.0
import LifetraceDeviceLog
import LifetraceInterop
import LifetraceTrace
import Testing

/// Forms in which logs stand in trackers, and words of old systems.
@Suite struct LogOddFormTests {
  private static let lines = [
    "default\t10:00:00.000001+0000\tnotes\tDeactivation reason added: 0; deactivation reasons: 0 -> 1; x",
    "default\t10:00:01.000000+0000\trunningboardd\t[app<org.example.notes>:44] Set jetsam priority to 3 [0] flag[1]",
    "default\t10:00:02.000000+0000\tnotes\tnote \"_cmd\":\"onDidEnterBackground:\" for the app",
    "default\t10:00:07.000000+0000\trunningboardd\t[app<org.example.notes>:44] Suspending task.",
  ]

  private func expectNotes(_ text: String, _ label: String) throws {
    let log = try importText(text)
    let stream = try #require(log.streams.first, "\(label)")
    #expect(log.streams.count == 1, "\(label)")
    let states = log.states(stream).map { "\($0.time / 1_000_000_000 - 36_000) \($0.state)" }
    #expect(
      states == ["0 active", "0 inactive", "2 background", "7 suspended"],
      "\(label): \(log.printed(stream))"
    )
    #expect(log.printed(stream).contains { $0.contains("jetsam priority value=3") }, "\(label)")
  }

  @Test(arguments: ["  ", "    ", "\t", " \t"])
  func indented(by blanks: String) throws {
    try expectNotes(Self.lines.map { blanks + $0 + "\n" }.joined(), "all")
    // With the words of an issue around it.
    let some = "It dies:\n\n" + Self.lines.map { blanks + $0 + "\n" }.joined() + "\nWhy?\n"
    try expectNotes(some, "some")
  }

  @Test func escapedForMarkdown() throws {
    let text = Self.lines.map { line in
      line.replacing("[", with: "\\[").replacing("<", with: "\\<").replacing("_", with: "\\_")
        + "\n\n"
    }
    try expectNotes(text.joined(), "escaped")
  }

  @Test func aTestDriversRowsOfEveryForm() throws {
    func row(_ time: String, _ process: String, _ says: String) -> String {
      "[IOSSimulatorLog] [IOS_SYSLOG_ROW] 2019-11-06 15:01:\(time) Df \(process) [x.y:z] \(says)\n"
    }
    let log = try importText(
      row("04.001", "Notes[44:2bf]", "applicationDidBecomeActive:")
        + row("05.001", "SpringBoard[11:2bf]", "Process exited:  ->  {")
        + "[IOSSimulatorLog] [IOS_SYSLOG_ROW]     stateAtExit = ;\n"
        + row(
          "05.002",
          "assertiond[7:352]",
          "[Notes:44] Deleted launchd job with label: UIKitApplication:org.example.notes[0x99][7]"
        )
    )
    let stream = try #require(log.streams.first)
    #expect(log.states(stream).map { "\($0.state)" } == ["active", "notRunning"])
  }

  @Test func namesWithTheirLibrariesFirst() throws {
    let log = try importText(
      """
      Oct 29 11:28:35 Camera[Kit](692) <Notice>: applicationDidBecomeActive:
      Oct 29 11:28:37 Camera[UIKitCore](692) <Notice>: Ending background task with UIBackgroundTaskIdentifier: 74
      """
    )
    #expect(log.streams.map(\.attributes.pid) == [692])
    #expect(log.streams.map(\.attributes.process) == ["Camera"])
    #expect(log.streams.first?.events.last?.kind == .taskEnd)
  }

  /// Xcode copies what it knows of a message behind it.
  @Test func metadataBehindEachMessage() throws {
    func about(_ second: Int, _ process: String) -> String {
      "Type: Notice | Timestamp: 2026-03-01 10:00:0\(second).250000+01:00 | Process: \(process) | "
        + "Library: Kit | Subsystem: x.y | Category: z | TID: 0x1f2\n"
    }
    let log = try importText(
      "applicationDidBecomeActive:\n" + about(0, "Notes") + "two lines\nof another\n"
        + about(1, "Mail") + "applicationWillResignActive:\n" + about(2, "Notes")
    )
    let stream = try #require(log.streams.first)
    #expect(log.streams.map(\.attributes.process) == ["Notes"])
    #expect(
      log.states(stream).map { "\($0.time / 1_000_000 % 10_000) \($0.state)" }
        == ["250 active", "2250 inactive"]
    )
  }

  // MARK: Old systems

  /// Blanks behind tabs, two zones for one clock, and crashes in the words of iOS 9.
  @Test(arguments: ["", " "])
  func aCrashOfIOS9(blank: String) throws {
    let log = try importText(
      """
      default\t13:36:50.000000 +0100\tnotes\t\(blank)applicationDidBecomeActive:
      default\t13:36:58.000000 +0000\tReportCrash\t\(blank)Formulating report for corpse[386] notes
      default\t13:36:58.000000 +0100\tSpringBoard\t\(blank)Application 'UIKitApplication:org.example.notes[0x51b9]' crashed.

      """
    )
    #expect(log.streams.map(\.attributes.app) == ["org.example.notes"])
    let stream = try #require(log.streams.first)
    let states = log.states(stream)
    #expect(states.map { "\($0.state)" } == ["active", "notRunning"])
    #expect(states.last.map { $0.time - states[0].time } == 8_000_000_000)
    #expect(log.rules("violated") == ["SY02"])
  }

  @Test func anAppIsCalledByItsBundle() throws {
    let log = try importText(
      "Sep 30 15:27:49 phone assertiond[62] <Notice>: Process exited: <BKProcess: 0x1; drafty; "
        + "org.example.drafty; pid: 867; agency: Application; visibility: foreground>\n"
    )
    #expect(log.streams.map(\.attributes.app) == ["org.example.drafty"])
  }

  /// An app of a Mac has one name, whatever number stands behind it.
  @Test func aMacsAppIsOne() throws {
    let log = try importConsole([
      (0, "runningboardd", "[app<application.org.example.notes.503.504(501)>:44] Resuming task."),
      (
        1, "runningboardd",
        "[app<application.org.example.notes.503.504.735E6807-EEDD-4C1B-9A02-0123456789AB(501)>:44] "
          + "Set jetsam priority to 3"
      ),
      (
        2, "runningboardd",
        "[app<org.example.notes.735E6807-EEDD-4C1B-9A02-0123456789AB>:44] Set jetsam priority to 4"
      ),
      (3, "runningboardd", "[anon<Notes>(501):44] Set jetsam priority to 5"),
      (4, "runningboardd", "Now tracking process: [anon<Notes>(501):44]"),
      (130, "runningboardd", "[anon<Notes>:44] Set jetsam priority to 6"),
    ])
    #expect(
      log.streams.map { "\($0.attributes.app) \($0.attributes.pid)" } == ["org.example.notes 44"]
    )
    #expect(log.streams.first?.events.count == 5)
  }

  // MARK: What the summary and the errors say

  @Test func daysThatNoLineSaysAreCounted() throws {
    let text =
      (0..<4).map { _ in Self.lines.joined(separator: "\n") + "\n" }.joined()
      + "default\t09:00:00.000000+0000\tnotes\tnothing\n"
    #expect("\(try importText(text).summary)".contains("times go back 1 time, and each begins"))
    #expect(!"\(try importText(Self.lines.joined(separator: "\n")).summary)".contains("new day"))
  }

  @Test(arguments: [
    (
      "02-15 19:41:49.305  841   935 I ActivityManager: Killing 7138:org.example.x/u0a269\n",
      "logcat"
    ),
    ("02-26 10:16:01.686 I/am_kill ( 1097): [0,44,org.example.x,905,remove task]\n", "logcat"),
    ("--------- beginning of main\nx\n", "logcat"),
    (
      "2024-02-15 19:41:49.305  1705-2006  ActivityManager         pid-1705                  I  Killing\n",
      "logcat"
    ),
    (
      "Exception Type:  EXC_CRASH (SIGKILL)\nTermination Reason: FRONTBOARD 2343432205\n",
      "crash report"
    ),
    ("{\"timeStampBegin\":\"2026-03-01 07:00:00 +0000\",\"metaData\":{}}\n", "MetricKit"),
    ("{\n \"largestProcess\" : \"notes\",\n \"processes\" : []\n}\n", "low memory"),
    ("{\"traceEvents\":[{\"ph\":\"B\"}]}\n", "Chrome"),
    ("{\"resourceLogs\":[]}\n", "OTLP"),
    ("pid,name,priority\n44,notes,100\n", "table"),
    (
      "Date/Time: x\nSteps:            12 (10ms sampling interval)\nHardware model:   x\n",
      "spindump"
    ),
    ("{\"bug_type\":\"202\",\"os_version\":\"x\"}\n{}\n", "CPU use"),
    ("{\"bug_type\":\"211\",\"os_version\":\"x\"}\n{}\n", "analytics"),
    ("{\"bug_type\":\"145\",\"os_version\":\"x\"}\n{}\n", "disk writes"),
  ])
  func aKnownFormIsNamed(text: String, words: String) {
    do {
      _ = try importText(text)
      Issue.record("imported")
    } catch {
      #expect("\(error)".contains(words), "\(error)")
      #expect(!"\(error)".contains("Console export"), "\(error)")
    }
  }

  @Test func aLogWithoutALifeSaysWhatIsMissing() {
    do {
      _ = try importConsole([(0, "SpringBoard", "nothing"), (1, "runningboardd", "nothing")])
      Issue.record("imported")
    } catch {
      let words = "\(error)"
      #expect(words.contains("nothing recognised in 2 lines, of "), "\(error)")
      #expect(words.contains("None tells of an app's states"), "\(error)")
    }
  }
}
