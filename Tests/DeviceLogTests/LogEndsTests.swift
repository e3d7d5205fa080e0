// SPDX-License-Identifier: Apache-2.0
import LifetraceDeviceLog
import LifetraceInterop
import LifetraceTrace
import Testing

/// How a log says that an app ended, and whose end it was.
@Suite struct LogEndsTests {
  /// The lines of a log, and how the process ended.
  @Test(
    arguments: [
      (
        [
          "runningboardd|[#] Terminating with context: <RBSTerminateContext| explanation:Spring cleaning reportType:None>",
          "runningboardd|[#] termination reported by launchd (0, 0, 9)",
        ], "Spring cleaning", 0
      ),
      (
        [
          "runningboardd|Received termination request from [osservice<org.example.sweeper>:76] on <RBSProcessPredicate <RBSProcessHandlePredicateImpl| #>> with context <RBSTerminateContext| explanation:Sweep reportType:None>",
          "runningboardd|[#] Terminating with context: <RBSTerminateContext| explanation:Sweep reportType:None>",
          "SpringBoard|[#] Process exited: <RBSProcessExitContext| specific, status:<RBSProcessExitStatus| domain:signal(2) code:SIGKILL(9)>>.",
        ], "org.example.sweeper: Sweep", 0
      ),
      (
        [
          "SpringBoard|[#] Provision violated for watchdog scene-update: <FBSProcessResourceProvision: 0x2; allowance: <; FBSProcessResourceAllowance; type: realTime; timeValue: 10.0s>; violated: YES>",
          "runningboardd|[#] termination reported by proc_exit",
        ], "watchdog", 0x8BAD_F00D
      ),
      (
        [
          "SpringBoard|[#] Process exited: <FBProcessExitContext; watchdog (\"watchdog provision violated\")>."
        ], "watchdog", 0x8BAD_F00D
      ),
      (
        [
          "SpringBoard|[org.example.notes] Executing termination for reason (none) with request: <FBSProcessTerminationRequest: 0x1; label: \"watchdog provision violated\"; exceptionCode: \"Watchdog Violation (0x8BADF00D)\"; reportType: CrashLog; explanation: \"x\">",
          "SpringBoard|[#] Setting process task state to: Not Running",
        ], "watchdog", 0x8BAD_F00D
      ),
      (["SpringBoard|[#] Process exited: <RBSProcessExitContext| voluntary>."], "exit", 0),
      (["runningboardd|[#] termination reported by launchd (0, 0, 18944)"], "exit", 74),
      (["runningboardd|[#] termination reported by launchd (2, 10, 10)"], "signal", 10),
      (
        [
          "runningboardd|[#] Terminating with context: <RBSTerminateContext| domain:10 code:0xDEADFA11 explanation:quit reportType:None>",
          "runningboardd|Removing process: [#]",
        ], "user", 0xDEAD_FA11
      ),
      (["runningboardd|Removing process: [#]"], "unknown", 0),
      (["SpringBoard|Removing: <FBApplicationProcess: 0x1; #(v871)>"], "unknown", 0),
      (
        ["dasd|Received state update for 44 (app<org.example.notes(0A-1)>, none-NotVisible"],
        "unknown", 0
      ),
      (
        [
          "SpringBoard|Firing exit handlers for 44 with context <RBSProcessExitContext| specific, status:<RBSProcessExitStatus| domain:jetsam(1) code:7>>"
        ], "jetsam", 7
      ),
      (
        [
          "kernel|399243.947 memorystatus: killing_specific_process pid 44 [notes] (per-process-limit 10) - memorystatus_available_pages: 4"
        ], "jetsam", 7
      ),
      (
        [
          "kernel|memorystatus: notes [44] exceeded mem limit: ActiveHard 50 MB (fatal)",
          "runningboardd|[#] termination reported by launchd (0, 0, 9)",
        ], "jetsam", 7
      ),
      (
        [
          "kernel|memorystatus: notes [44] exceeded mem limit: ActiveSoft 50 MB (non-fatal)",
          "runningboardd|[#] termination reported by launchd (0, 0, 9)",
        ], "signal", 9
      ),
      (["kernel|memorystatus: killing largest compressed process notes [44] 1786 MB"], "jetsam", 0),
      (
        ["ReportSystemMemory|Process notes [44] killed by jetsam reason per-process-limit"],
        "jetsam", 7
      ),
      (["ReportCrash|Formulating fatal 309 report for corpse[44] notes"], "crash", 0),
      (["ReportCrash|Formulating crash report for process notes[44]"], "crash", 0),
      (["kernel|Darwin Kernel Version 25.0.0: somewhen"], "reboot", 0),
      (["kernel|=== system boot: 9E14D7E1-BAC5"], "reboot", 0),
      (
        [
          "launchd|(UIKitApplication:org.example.notes[0x76c5][62][44]): Service exited due to signal: Killed: 9 sent by assertiond[62]"
        ], "signal", 9
      ),
      (
        [
          "backboardd|Application 'UIKitApplication:org.example.notes[0x57b0]' exited abnormally with signal 11: Segmentation fault: 11"
        ], "signal", 11
      ),
      (
        [
          "SpringBoard|Application \u{2018}UIKitApplication:org.example.notes[0x57b0]\u{2019} was killed by jetsam."
        ], "jetsam", 0
      ),
    ] as [([String], String, UInt64)]
  )
  func ends(lines: [String], cause: String, code: UInt64) throws {
    let before = ("runningboardd", "[\(PrintedLog.target):44] Resuming task.")
    let (log, events) = try PrintedLog.stream(
      [before]
        + lines.map { line in
          let parts = line.replacing("#", with: "app<org.example.notes>:44")
            .split(separator: "|", maxSplits: 1)
          return (String(parts[0]), String(parts[1]))
        }
    )
    #expect(log.streams.map(\.attributes.pid) == [44])
    let stream = try #require(log.streams.first)
    let exits = stream.events.filter { $0.kind == .processExit }
    let exit = try #require(exits.first, "\(events)")
    #expect(exits.count == 1)
    #expect(log.names[NameID(rawValue: UInt32(truncatingIfNeeded: exit[0]))] == cause)
    #expect(exit[1] == code)
  }

  /// A watchdog that has looked on, as it does for a debugger, explains no later end.
  @Test func anOldWarningIsNoCause() throws {
    let target = "[\(PrintedLog.target):44]"
    let log = try importText(
      """
      default\t10:00:00.0+0000\tSpringBoard\t\(target) Provision violated for watchdog process-launch: <x; timeValue: 20.0s>
      default\t10:05:00.0+0000\trunningboardd\t\(target) termination reported by launchd (0, 0, 9)

      """
    )
    let exit = log.streams.flatMap(\.events).first { $0.kind == .processExit }
    #expect(exit.map { log.names[NameID(rawValue: UInt32($0[0]))] } == "signal")
  }

  /// That a launch was asked for does not end who already runs.
  @Test func aRequestToLaunchIsNoLaunch() throws {
    let inside = "Deactivation reason added: 0; deactivation reasons: 0 -> 1; x"
    let back = "Deactivation reason removed: 0; deactivation reasons: 1 -> 0; x"
    let asked = ("runningboardd", "Executing launch request for \(PrintedLog.target) (refresh)")
    let made = ("runningboardd", "Creating and launching job for: \(PrintedLog.target)")
    #expect(
      try PrintedLog.stream([("notes", inside), asked, ("notes", back)]).0.streams.count == 1
    )
    #expect(
      try PrintedLog.stream([("notes", inside), asked, made, ("notes", back)]).0.streams.count == 2
    )
  }

  /// Older systems name an app by its executable, and tell its bundle once.
  @Test func anExecutableAndItsBundleAreOneApp() throws {
    let (log, events) = try PrintedLog.stream([
      (
        "assertiond", "Submitted job with label: UIKitApplication:org.example.notes-app[0xfbfd][62]"
      ),
      (
        "assertiond",
        "Now tracking process <BKProcess: 0x1; Jotter; org.example.notes-app; pid: 44; agency: Application; task: running> with host <BKProcess: 0x2; SpringBoard; x>"
      ),
      ("assertiond", "[Jotter:44] Setting jetsam priority to 10 [0x10103]"),
      (
        "SpringBoard",
        "[org.example.notes-app] Process exited: <FBApplicationProcess: 0x1; Jotter; pid: 44> -> <x; domain:jetsam(1) code:2>"
      ),
    ])
    #expect(log.streams.map(\.attributes.app) == ["org.example.notes-app"])
    #expect(events.contains { $0.contains("jetsam priority value=10") })
    #expect(events.contains { $0.contains("process.exit cause=jetsam code=2") }, "\(events)")
  }

  /// The kernel sweeps idle daemons by the hundred: they are no apps.
  @Test func killedDaemonsAreNoApps() throws {
    let (log, _) = try PrintedLog.stream([
      ("runningboardd", "[\(PrintedLog.target):44] Resuming task."),
      (
        "kernel", "399243.950 memorystatus: killing_idle_process pid 386 [wallpaperd] (idle-exit 0)"
      ),
      (
        "kernel",
        "399243.951 memorystatus: killing_idle_process pid 387 [PowerUIAgent] (idle-exit 0)"
      ),
    ])
    #expect(log.streams.map(\.attributes.app) == ["org.example.notes"])
  }

  /// Console.app copies no pids: an app with another name than its bundle says who it is.
  @Test(arguments: [
    "sceneOfRecord: sceneID: sceneID:org.example.notes-default  persistentID: 0A-1",
    "Identity resolved as app<org.example.notes(0A-1)>",
    "[(FBSceneManager):sceneID:org.example.notes-default] Sending action(s): x",
  ])
  func anAppSaysWhoItIs(line: String) throws {
    let (log, _) = try PrintedLog.stream([
      ("runningboardd", "[\(PrintedLog.target):44] Resuming task."),
      ("Jotter", line),
      ("Jotter", "Deactivation reason added: 0; deactivation reasons: 0 -> 1; x"),
    ])
    #expect(log.streams.map(\.attributes.app) == ["org.example.notes"])
    #expect(log.streams.map(\.attributes.process) == ["Jotter"])
  }

  /// Most daemons call an extension like an app; runningboardd does not.
  @Test func anExtensionIsNoApp() throws {
    let (log, _) = try PrintedLog.stream([
      (
        "symptomsd",
        "44 org.example.notes.share: BackgroundRunning (most elevated: BackgroundRunning)"
      ),
      (
        "runningboardd",
        "[xpcservice<org.example.notes.share([app<org.example.host>:60])>:44] Suspending task."
      ),
    ])
    #expect(
      log.streams.map { "\($0.attributes.app) \($0.attributes.role)" } == [
        "org.example.notes.share extension"
      ]
    )
  }

  /// After a restart of the device pids come again: names decide, as other lines have joined them.
  @Test func pidsOfTwoAppsAfterARestart() throws {
    func line(_ second: Int, _ process: String, _ message: String) -> String {
      "Nov 12 12:24:\(second) iPad \(process) <Notice>: \(message)\n"
    }
    let away = "Deactivation reason added: 0; deactivation reasons: 0 -> 1; x"
    let text =
      line(10, "runningboardd[31]", "[app<org.example.notes>:50] Resuming task.")
      + line(11, "Jotter[50]", away)
      + line(12, "runningboardd[31]", "[app<org.example.ledger>:60] Resuming task.")
      + line(13, "Books[60]", away) + line(20, "kernel[0]", "Darwin Kernel Version 25.0.0")
      + line(21, "runningboardd[31]", "[app<org.example.ledger>:50] Resuming task.")
      + line(22, "Books[50]", away)
      + line(
        23,
        "kernel[0]",
        "memorystatus: killing_top_process pid 50 [Books] (vm-pageshortage 0)"
      )
      + line(24, "runningboardd[31]", "[app<org.example.notes>:51] Resuming task.")
      + line(25, "Jotter[51]", away)
    let log = try importText(text)
    #expect(
      log.streams.map { "\($0.attributes.app) \($0.attributes.pid) \($0.attributes.process)" } == [
        "org.example.notes 50 Jotter", "org.example.ledger 60 Books", "org.example.ledger 50 Books",
        "org.example.notes 51 Jotter",
      ]
    )
    let causes = log.streams.map { stream in
      stream.events.first { $0.kind == .processExit }.map {
        log.names[NameID(rawValue: UInt32($0[0]))]
      }
    }
    #expect(causes == ["reboot", "reboot", "jetsam", nil])
    for stream in log.streams { expectLegal(stream, log) }
  }

  /// An app that got its own pid again after a restart.
  @Test func theSamePidAfterARestart() throws {
    let asked = "runningboardd[31] <Notice>: Creating and launching job for: app<org.example.notes>"
    let woken = "runningboardd[31] <Notice>: [app<org.example.notes>:50] Resuming task."
    for between in ["kernel[0] <Notice>: Darwin Kernel Version 25.0.0", "kernel[0] <Notice>: x"] {
      let log = try importText(
        """
        Nov 12 12:24:10 iPad \(asked)
        Nov 12 12:24:11 iPad \(woken)
        Nov 12 12:24:12 iPad runningboardd[31] <Notice>: [app<org.example.notes>:50] termination reported by launchd (1, 7, 9)
        Nov 12 12:25:12 iPad \(between)
        Nov 12 12:26:10 iPad \(asked)
        Nov 12 12:26:11 iPad \(woken)

        """
      )
      #expect(log.streams.map(\.attributes.pid) == [50, 50], "\(between)")
    }
  }

  /// Summer time ends, and the log does not say its zone: the hour comes again, in order.
  @Test(arguments: [true, false])
  func theClockIsSetBack(isTold: Bool) throws {
    func line(_ time: String, _ message: String, _ process: String = "notes[44]") -> String {
      "\(time) iPad \(process) <Notice>: \(message)\n"
    }
    let told = "=== system wallclock time adjusted"
    var text =
      line("Oct 25 02:59:50", "Deactivation reason added: 0; deactivation reasons: 0 -> 1; x")
      + line("Oct 25 02:59:51", "applicationDidEnterBackground")
      + (isTold ? line("Oct 25 02:59:52", told, "kernel[0]") : "")
      // A process that is heard of first in the hour that comes again.
      + line(
        "Oct 25 \(isTold ? "01:10" : "02:00"):01",
        "[app<org.example.notes>:44] Suspending task.",
        "runningboardd[31]"
      )
    for second in 10..<59 {
      text += line("Oct 25 \(isTold ? "01:10" : "02:00"):\(second)", "noise", "wifid[9]")
      text += line("Oct 25 \(isTold ? "01:10" : "02:00"):\(second)", "noise", "wifid[9]")
    }
    let log = try importText(text)
    let stream = try #require(log.streams.first)
    #expect(
      log.states(stream).map { "\($0.state)" } == ["active", "inactive", "background", "suspended"]
    )
    let suspend = try #require(stream.events.last { $0.kind == .suspend })
    #expect(suspend.time.rawValue / 1_000_000_000 % 86_400 == (isTold ? 4_201 : 7_201))
    #expect(suspend.flags.contains(.late))
    #expect("\(log.summary)".contains("the clock was set back 1 time"))
  }

  /// An old line in between, and a daemon that is slow, set no clock.
  @Test func aFewOldLinesSetNoClock() throws {
    var text = ""
    for second in 10..<59 {
      text += "Oct 25 02:59:\(second) iPad notes[44] <Notice>: Will invalidate assertion: x\n"
      if second % 5 == 0 {
        text += String(
          repeating: "Oct 25 01:58:\(second) iPad wifid[9] <Notice>: old news\n",
          count: 40
        )
      }
    }
    #expect(!"\(try importText(text).summary)".contains("set back"))
  }
}
