// SPDX-License-Identifier: Apache-2.0
import LifetraceDeviceLog
import LifetraceInterop
import LifetraceTrace
import Support
import Testing

/// Reports of the system alone, and joined with the log of the process that they end.
@Suite struct DeviceReportTests {
  private func imported(_ files: [(name: String, text: String)]) throws -> LogImport {
    let folder = try TestFolder()
    for file in files { try folder.write(file.text, to: file.name) }
    return try LogImport(joining: files.map { "\(folder.path)/\($0.name)" })
  }

  private func exit(_ log: LogImport) throws -> (cause: String, code: UInt64) {
    let event = try #require(log.streams.first?.events.last { $0.kind == .processExit })
    return (log.names[NameID(rawValue: UInt32(truncatingIfNeeded: event[0]))], event[1])
  }

  // MARK: Crash reports

  /// A report as a device of today writes it.
  private func ips(
    _ reasons: [String],
    code: UInt64 = 0x8bad_f00d,
    namespace: String = "FRONTBOARD",
    launched: String = "09:00:00.0000",
    exception: (String, String) = ("EXC_CRASH", "SIGKILL")
  ) -> String {
    let words = reasons.map { "\"\($0.replacing("\"", with: "\\\""))\"" }.joined(separator: ", ")
    return """
      {"app_name":"Drafty","timestamp":"2026-03-01 10:22:13.00 +0200","app_version":"1.4","bundleID":"org.example.drafty","bug_type":"309","os_version":"iPhone OS 17.5 (21F90)","incident_id":"0A-1"}
      {
        "captureTime" : "2026-03-01 10:22:12.1234 +0200",
        "procLaunch" : "2026-03-01 \(launched) +0200",
        "procName" : "Drafty", "pid" : 4411, "procRole" : "Foreground",
        "bundleInfo" : {"CFBundleShortVersionString":"1.4","CFBundleIdentifier":"org.example.drafty"},
        "osVersion" : {"train":"iPhone OS 17.5","build":"21F90"},
        "exception" : {"type":"\(exception.0)","signal":"\(exception.1)"},
        "termination" : {"code":\(code),"namespace":"\(namespace)","reasons":[\(words)]},
        "faultingThread" : 1,
        "threads" : [
          {"frames":[{"imageIndex":0,"imageOffset":4,"symbol":"mach_msg"}]},
          {"frames":[{"imageIndex":0,"imageOffset":8,"symbol":"read"},
                     {"imageIndex":1,"imageOffset":9,"symbol":"Store.load()","sourceFile":"Store.swift","sourceLine":41}]}
        ],
        "usedImages" : [{"name":"libsystem_kernel.dylib"},{"name":"Drafty"}]
      }

      """
  }

  private func watchdog(_ event: String, _ visibility: String, seconds: String) -> [String] {
    [
      "<RBSTerminateContext| domain:10 code:0x8BADF00D explanation:\(event) watchdog transgression: "
        + "app<org.example.drafty>:4411 exhausted real (wall clock) time allowance of \(seconds) seconds",
      "ProcessVisibility: \(visibility)", "ProcessState: Running", "WatchdogEvent: \(event)",
      "WatchdogVisibility: \(visibility)", "WatchdogCPUStatistics: (",
      "\"Elapsed application CPU time (seconds): 3.250, 13% CPU\"", ") reportType:CrashLog>",
    ]
  }

  @Test func aLaunchThatWasTooSlow() throws {
    let text = ips(
      watchdog("process-launch", "Foreground", seconds: "20.00"),
      launched: "10:21:51.5"
    )
    let log = try imported([("launch.ips", text)])
    #expect(log.rules("violated") == ["DL01"])
    #expect(log.rules("undecidable") == [])
    let stream = try #require(log.streams.first)
    expectLegal(stream, log)
    #expect(stream.attributes.profile == "ios17")
    #expect(stream.events.first?.kind == .processStart)
    #expect(log.names[NameID(rawValue: UInt32(stream.events[0][2]))] == "1.4")
    // What main was doing is in the report, and how much of the time it computed.
    let notes = log.printed(stream).joined(separator: "\n")
    #expect(
      notes.contains(
        "thread 1: libsystem_kernel.dylib: read < Drafty: Store.load() (Store.swift:41)"
      )
    )
    #expect(notes.contains("the app computed for 3.250 s"))
  }

  @Test(arguments: [
    ("scene-update", "Background", "10.00", "DL02"),
    ("scene-update", "Foreground", "10.00", "DL11"),
    ("process-exit", "Background", "5.00", "DL03"),
  ])
  func aDeadlineThatWasMissed(event: String, visibility: String, seconds: String, rule: String)
    throws
  {
    let log = try imported([("it.ips", ips(watchdog(event, visibility, seconds: seconds)))])
    #expect(log.rules("violated") == [rule], "\(log.streams.map(log.printed))")
    expectLegal(try #require(log.streams.first), log)
    #expect(try exit(log) == ("watchdog", 0x8bad_f00d))
  }

  @Test func aLockHeldAtTheSuspension() throws {
    let text = ips(
      ["<RBSTerminateContext| domain:15 code:0xDEAD10CC explanation:x reportType:CrashLog>"],
      code: 0xdead_10cc,
      namespace: "RUNNINGBOARD"
    )
    #expect(try imported([("lock.ips", text)]).rules("violated") == ["RS06"])
  }

  @Test func aTaskHeldForTooLong() throws {
    let text = ips(
      [
        "timed out waiting for \"Shared Background Assertion 1 for org.example.drafty\" to be invalidated"
      ],
      code: 0x2182_bad2,
      namespace: "RUNNINGBOARD"
    )
    let log = try imported([("task.ips", text)])
    #expect(log.rules("violated").contains("DL05"))
    #expect(!log.rules("violated").contains("SY01"), "DL05 explains it")
  }

  @Test func aCrashOfItsOwn() throws {
    let text = ips(
      ["Segmentation fault: 11"],
      code: 11,
      namespace: "SIGNAL",
      exception: ("EXC_BAD_ACCESS", "SIGSEGV")
    )
    let log = try imported([("crash.ips", text)])
    #expect(log.rules("violated") == ["SY02"])
    #expect(try exit(log) == ("signal", 11))
  }

  /// The same in text, as devices wrote it until iOS 14 and as Xcode still shows it.
  private func text(_ reason: String, process: String = "Drafty [4411]") -> String {
    """
    From a tester:

    Incident Identifier: 0A-1
    Hardware Model:      iPad6,11
    Process:             \(process)
    Identifier:          org.example.drafty
    Version:             12 (1.0.4)
    Role:                Foreground
    Date/Time:           2018-04-19 15:58:17.6849 -0400
    Launch Time:         2018-04-19 12:00:58.0272 -0400
    OS Version:          iPhone OS 11.2.6 (15D100)

    Exception Type:  EXC_CRASH (SIGKILL)
    \(reason)
    Triggered by Thread:  0

    Thread 0 name:  Dispatch queue: com.apple.main-thread
    Thread 0 Crashed:
    0   libsystem_kernel.dylib        \t0x0000000182f9f568 mach_msg_trap + 8
    1   Drafty                        \t0x0000000100afc000 0x100afc000 + 4096

    """
  }

  @Test(arguments: [
    (
      """
      Termination Reason: Namespace SPRINGBOARD, Code 0x8badf00d
      Termination Description: SPRINGBOARD, scene-update watchdog transgression: org.example.drafty exhausted real (wall clock) time allowance of 10.00 seconds |  | ProcessVisibility: Background | ProcessState: Running | WatchdogEvent: scene-update | WatchdogVisibility: Background
      """, ["DL02"]
    ),
    (
      """
      Termination Reason: FRONTBOARD 2343432205
      <RBSTerminateContext| domain:10 code:0x8BADF00D explanation:scene-update watchdog transgression: application<org.example.drafty>:4411 exhausted real (wall clock) time allowance of 10.00 seconds
      ProcessVisibility: Foreground
      ProcessState: Running
      WatchdogEvent: scene-update
      WatchdogVisibility: Foreground
      """, ["DL11"]
    ),
    ("Termination Reason: RUNNINGBOARD 0xdead10cc", ["RS06"]),
    ("Termination Reason: Namespace SIGNAL, Code 0xb", ["SY02"]),
    (
      """
      Termination Reason: Namespace ASSERTIOND, Code 0x8badf00d
      Termination Description: ASSERTIOND, Drafty:4411 has active assertions beyond permitted time: | <BKProcessAssertion: 0x1; "Shared Background Assertion 7 for org.example.drafty" (finishTask:180s); id:…> (owner: Drafty:4411)
      """, ["BT01", "DL05", "DL06"]
    ),
  ])
  func aReportInText(reason: String, rules: [String]) throws {
    let log = try imported([("it.crash", text(reason))])
    #expect(log.rules("violated") == rules, "\(log.streams.map(log.printed))")
    let stream = try #require(log.streams.first)
    expectLegal(stream, log)
    #expect(stream.attributes.app == "org.example.drafty")
    #expect(stream.attributes.profile == "ios7")
    let notes = log.printed(stream).joined(separator: "\n")
    #expect(
      notes.contains("thread 0: libsystem_kernel.dylib: mach_msg_trap + 8 < Drafty: 0x100afc000")
    )
    #expect(
      try WallClock(of: stream.attributes)?.text(#require(stream.events.last).time)
        == "2018-04-19 15:58:17.684 -04:00"
    )
  }

  /// A report cut anywhere does no harm, and what lacks its head says so.
  @Test func reportsThatAreCut() throws {
    for whole in [text("Termination Reason: RUNNINGBOARD 0xdead10cc"), ips(["x"])] {
      for length in stride(from: 1, to: whole.utf8.count, by: 61) {
        _ = try? imported([("it", String(decoding: whole.utf8.prefix(length), as: UTF8.self))])
      }
    }
    do {
      _ = try imported([("it", "Exception Type:  EXC_CRASH (SIGKILL)\nTermination Reason: X 1\n")])
      Issue.record("imported")
    } catch {
      #expect("\(error)".contains("a crash report without its head"), "\(error)")
      #expect("\(error)".contains("Process and Date/Time"), "\(error)")
    }
  }

  // MARK: With a log

  private static let log = """
    default\t10:21:40.000000+0200\trunningboardd\t[app<org.example.drafty(0A-1)>:4411] Set jetsam priority to 100
    default\t10:21:50.000000+0200\tDrafty\tDeactivation reason removed: 5; deactivation reasons: 32 -> 0; x
    default\t10:22:01.000000+0200\tDrafty\tDeactivation reason added: 5; deactivation reasons: 0 -> 32; x
    default\t10:22:02.000000+0200\tDrafty\tapplicationDidEnterBackground:

    """

  /// The log has no day: it is put on that of the report of its process.
  @Test func aReportEndsTheProcessOfALog() throws {
    let crash = ips(watchdog("scene-update", "Background", seconds: "10.00"))
    for files in [
      [("phone.log", Self.log), ("it.ips", crash)], [("it.ips", crash), ("phone.log", Self.log)],
    ] {
      let log = try imported(files)
      #expect(
        log.streams.map { "\($0.attributes.app) \($0.attributes.pid)" } == [
          "org.example.drafty 4411"
        ]
      )
      let stream = try #require(log.streams.first)
      expectLegal(stream, log)
      let wall = try #require(WallClock(of: stream.attributes))
      #expect(
        log.states(stream).map { "\($0.state) \(wall.text(HostTime(rawValue: $0.time)))" } == [
          "active 2026-03-01 10:21:50.000 +02:00", "inactive 2026-03-01 10:22:01.000 +02:00",
          "background 2026-03-01 10:22:02.000 +02:00", "notRunning 2026-03-01 10:22:12.123 +02:00",
        ]
      )
      #expect(log.rules("violated") == ["DL02"])
      #expect(
        "\(log.summary)".contains(
          "phone.log: a log; no line says its day: it is put on 2026-03-01, by it.ips"
        )
      )
      #expect("\(log.summary)".contains("it.ips: a crash report"))
      let files = Set(stream.events.map { log.names[log.names[$0.site].file] })
      #expect(files.contains("phone.log") && files.contains("it.ips"), "\(files)")
    }
  }

  /// A log over midnight belongs to the day before its report.
  @Test func aLogOverMidnight() throws {
    let night = Self.log.replacing("10:21", with: "23:59").replacing("10:22:0", with: "00:00:0")
    let crash = ips(["Segmentation fault: 11"], code: 11, namespace: "SIGNAL")
      .replacing("10:22:12", with: "00:00:12").replacing("09:00:00", with: "00:00:00")
    let log = try imported([("phone.log", night), ("it.ips", crash)])
    #expect("\(log.summary)".contains("it is put on 2026-02-28"), "\(log.summary)")
    #expect(log.streams.count == 1)
  }

  // MARK: Low memory, MetricKit

  private static let jetsam = """
    {"bug_type":"298","timestamp":"2026-03-01 10:22:12.10 +0200","os_version":"iPhone OS 17.5 (21F90)","incident_id":"0A"}
    {"date":"2026-03-01 10:22:12.10 +0200","build":"iPhone OS 17.5 (21F90)","memoryStatus":{"pageSize":16384},
     "largestProcess":"Big","processes":[
      {"name":"Drafty","pid":4411,"states":["suspended"],"rpages":3000},
      {"name":"Heavy","pid":50,"states":["frontmost"],"reason":"per-process-limit","rpages":90000},
      {"name":"Big","pid":51,"states":["background"],"rpages":95000},
      {"name":"mapsd","pid":7,"states":["daemon","idle"],"rpages":100}]}

    """

  @Test(arguments: [false, true])
  func whoWasKilledForMemory(isBroken: Bool) throws {
    let text = isBroken ? Self.jetsam.replacing("]}\n", with: ",\n") : Self.jetsam
    let log = try imported([("jetsam.ips", text)])
    #expect(log.streams.map(\.attributes.app) == ["Drafty", "Heavy", "Big"])
    #expect(
      log.streams.map { log.states($0).map { "\($0.state)" } } == [
        ["suspended"], ["active", "notRunning", "notRunning"].dropLast().map { $0 }, ["background"],
      ]
    )
    let heavy = log.streams[1]
    let sample = try #require(heavy.events.first { $0.kind == .memorySample })
    #expect(sample[0] == 90_000 * 16_384)
    #expect(heavy.events.last?.kind == .processExit && heavy.events.last?[1] == 7)
    #expect(log.rules("violated") == ["SY01"])
    #expect("\(log.summary)".contains("killed: Heavy (per-process-limit)"))
  }

  /// One entry, as people paste it.
  @Test func oneProcessOfAReport() throws {
    let log = try imported([
      (
        "it.txt",
        "    {\n      \"states\" : [\n \"frontmost\"\n ],\n \"rpages\" : 960,\n \"reason\" : \"per-process-limit\",\n \"pid\" : 4624,\n \"name\" : \"Tunnel\"\n    },\n"
      )
    ])
    #expect(log.streams.map(\.attributes.app) == ["Tunnel"])
    #expect(log.rules("violated") == ["SY01"])
  }

  @Test func countsAreNoEvents() throws {
    let text = """
      {"timeStampBegin":"2026-03-01 07:00:00 +0000","timeStampEnd":"2026-03-02 06:59:00 +0000",
       "metaData":{"osVersion":"iPhone OS 17.5 (21F90)","bundleIdentifier":"org.example.drafty"},
       "applicationExitMetrics":{"backgroundExitData":{"cumulativeBackgroundTaskAssertionTimeoutExitCount":3,
       "cumulativeNormalAppExitCount":0},"foregroundExitData":{"cumulativeAppWatchdogExitCount":1}},
       "hangDiagnostics":[{"diagnosticMetaData":{"hangDuration":"20 sec","bundleIdentifier":"x"}}]}
      """
    let log = try imported([("day.json", text)])
    let stream = try #require(log.streams.first)
    #expect(stream.attributes.app == "org.example.drafty")
    #expect(stream.events.allSatisfy { $0.kind == .log || $0.kind == .end })
    let lines = stream.events.filter { $0.kind == .log }.map {
      log.names[NameID(rawValue: UInt32($0[0]))]
    }
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("1 exit in the foreground: watchdog (DL01,"), "\(lines)")
    #expect(
      lines[1].hasPrefix(
        "3 exits in the background: a background task held for too long (BT01, DL05)"
      )
    )
    #expect(lines[2].hasPrefix("a hang: hangDuration 20 sec (DL11)"))
    #expect(log.verdicts.allSatisfy { $0.outcome.word == "vacuous" || $0.outcome.word == "held" })
    #expect("\(log.summary)".contains("counts without times"))
  }

  /// What has no app, and what is none of these.
  @Test func whatIsOfNoUseSaysSo() throws {
    func message(_ text: String) -> String {
      do {
        _ = try imported([("it.ips", text)])
        return "imported"
      } catch { return "\(error)" }
    }
    let daemons = Self.jetsam.replacing("\"suspended\"", with: "\"daemon\"")
      .replacing("\"frontmost\"", with: "\"daemon\"").replacing(
        "\"background\"",
        with: "\"daemon\""
      )
    #expect(message(daemons).contains("without an app"), "\(message(daemons))")
    #expect(
      message("{\"bug_type\":\"298\",\"os_version\":\"x\"}\n{}\n").contains("without processes")
    )
    #expect(
      message("{\"bug_type\":\"202\",\"os_version\":\"x\"}\n{}\n").contains("a report of CPU use")
    )
    #expect(message("a letter\n").contains("is this a Console export?"))
  }
}
