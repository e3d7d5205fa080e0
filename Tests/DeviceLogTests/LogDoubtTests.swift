// SPDX-License-Identifier: Apache-2.0
import LifetraceDeviceLog
import LifetraceInterop
import LifetraceTrace
import Testing

/// Lines that look as if they said more than they do, and evidence that stands on a second line.
@Suite struct LogDoubtTests {
  private static let target = "app<org.example.notes(0A-1)>"

  private func states(_ log: LogImport) throws -> [String] {
    let stream = try #require(log.streams.first)
    expectLegal(stream, log)
    return log.states(stream).map { "\($0.state)" }
  }

  // MARK: Launches

  @Test func theFirstReasonOfALaunchIsNoEndOfActivity() throws {
    let launch = "Deactivation reason added: 10; deactivation reasons: 0 -> 1024; x"
    #expect(try states(importConsole([(0, "notes", launch)])) == ["inactive"])
    let away = "Deactivation reason added: 5; deactivation reasons: 0 -> 32; x"
    #expect(try states(importConsole([(0, "notes", away)])) == ["active", "inactive"])
  }

  private static let launched: [(second: Double, process: String, says: String)] = [
    (0, "runningboardd", "Creating and launching job for: \(target)"),
    (0.1, "SpringBoard", "[\(target):44] Bootstrap success!"),
    (
      0.2, "runningboardd",
      "Calculated state for \(target): running-active (role: UserInteractiveFocal)"
    ),
  ]

  /// A role is given to a process before its launch is over.
  @Test func aRoleDoesNotEndALaunch() throws {
    let log = try importConsole(Self.launched)
    #expect(try states(log) == ["inactive"])
    #expect(log.rules("undecidable").contains("DL01"))
    // What its scene answers does.
    let scene = "[0x1:(FBSceneManager):sceneID:org.example.notes-default] Scene action"
    let slow = try importConsole(
      Self.launched + [
        (18.5, "SpringBoard", "\(scene) [Logical Activate][0x1] completed with success: 1")
      ]
    )
    #expect(try states(slow) == ["inactive", "active"])
    #expect(slow.rules("violated").contains("DL01"))
    let failed = try importConsole(
      Self.launched + [
        (18.5, "SpringBoard", "\(scene) [Logical Activate][0x1] completed with success: 0")
      ]
    )
    #expect(try states(failed) == ["inactive"])
  }

  // MARK: Background tasks

  /// The line with the id comes first, and the one with name and age behind it.
  @Test(arguments: [(1, [String]()), (45, ["DL06"])])
  func aTaskFromBeforeTheLogHasItsAge(elapsed: Int, broken: [String]) throws {
    let log = try importConsole([
      (60, "notes", "Deactivation reason removed: 5; deactivation reasons: 32 -> 0; x"),
      (61, "notes", "Ending background task with UIBackgroundTaskIdentifier: 2"),
      (
        61, "notes",
        "Ending task with identifier 2 and description: <x: 0x1>: taskID = 2, taskName = Map, "
          + "creationTime = 923288 (elapsed = \(elapsed)), _expireHandler: (null)"
      ),
    ])
    let stream = try #require(log.streams.first)
    let tasks = stream.events.filter { $0.kind == .taskBegin || $0.kind == .taskEnd }
    #expect(tasks.count == 2)
    #expect(log.names[NameID(rawValue: UInt32(tasks[0][0]))] == "Map")
    let held = tasks[1].time.rawValue - tasks[0].time.rawValue
    #expect(held / 1_000_000_000 == Int64(elapsed))
    #expect(zip(stream.events, stream.events.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(log.rules("violated") == broken)
  }

  /// Whose task it is that has no handler is in its name.
  @Test(arguments: ["<private>", "Save"])
  func aTaskWithoutHandlerIsTheAppsOnlyByName(name: String) throws {
    let log = try importConsole([
      (0, "notes", "Will add backgroundTask with taskName: \(name), expirationHandler: (null)"),
      (
        1, "notes",
        "Created background task <x: 0x1>: taskID = 2, taskName = \(name), creationTime = 5 (elapsed = 0)."
          .replacing("<x", with: "<_UIBackgroundTaskInfo")
      ),
      (2, "notes", "Ending background task with UIBackgroundTaskIdentifier: 2"),
    ])
    #expect(log.rules("violated") == (name == "Save" ? ["BT07"] : []))
  }

  /// What assertiond killed for before iOS 13, in its two forms.
  @Test(arguments: [
    """
    default 2026-01-08 13:26:14.087889 +0800 assertiond [Drafty:4411] Forcing crash report with description: Drafty:4411 has active assertions beyond permitted time:
    <BKProcessAssertion: 0x1; "Shared Background Assertion 7 for org.example.drafty" (finishTask:180s); id:…0A> (owner: Drafty:4411)
    """,
    """
    Nov 11 10:18:15 desk assertiond[50]: nothing
    Nov 11 10:21:16 desk assertiond[50]: <BKNewProcess: 0x1; com.apple.test.Drafty-Runner; pid: 4411; hostpid: -1> has active assertions beyond permitted time:
    \t{(
    \t    <BKProcessAssertion: 0x2> id: 44-0A name: Called by Drafty process: <BKNewProcess: 0x1; x; pid: 4411> permittedBackgroundDuration: 180.000000 reason: finishTask owner pid:4411
    \t)}
    """,
  ])
  func aKillForATaskThatWasHeldTooLong(text: String) throws {
    let log = try importText(text)
    let stream = try #require(log.streams.first)
    #expect(stream.attributes.profile == "ios7")
    #expect(stream.attributes.pid == 4411)
    let task = try #require(stream.events.first { $0.kind == .taskBegin })
    #expect(task[1] == 180_000_000_000)
    let exit = try #require(stream.events.last)
    #expect(exit.kind == .processExit && exit[1] == 0, "no code is in the line")
    #expect(log.rules("violated") == ["BT01", "DL05", "DL06"])
  }

  // MARK: Wakes

  @Test func linesOfBackgroundTasksAreAnApps() throws {
    let log = try importConsole([
      (0, "Runner", "Marking task (null) complete with success: 1"),
      (9, "Runner", "Running task: <BGAppRefreshTask: org.example.refresh>"),
      (9, "Runner", "Starting task: <BGAppRefreshTask: org.example.refresh>"),
      (12, "Runner", "Marking task (null) complete with success: 0"),
      (20, "dasd", "nothing"),
    ])
    let stream = try #require(log.streams.first)
    let wakes = log.printed(stream).filter { $0.contains(" wake.") }
    #expect(wakes.count == 2)
    #expect(wakes.last?.contains("result=failed") == true, "\(wakes)")
    #expect(!log.rules("undecidable").contains("DL09"))
  }

  // MARK: Macs

  @Test(arguments: [
    "This process will not be managed.",
    "Ignoring suspend because this process is not lifecycle managed",
  ])
  func aMacHasNoLifeCycleOfAPhone(says: String) throws {
    let log = try importConsole(
      [(0, "runningboardd", "[\(Self.target):44] \(says)")] + Self.launched + [
        (13, "SpringBoard", "[\(Self.target):44] Setting process visibility to: Foreground"),
        (14, "runningboardd", "[\(Self.target):44] Resuming task."),
        (20, "runningboardd", "[\(Self.target):44] termination reported by launchd (2, 9, 9)"),
      ]
    )
    let stream = try #require(log.streams.first)
    #expect(log.states(stream).map { "\($0.state)" } == ["notRunning"])
    #expect(!log.rules("violated").contains("DL01"))
    #expect("\(log.summary)".contains("a Mac's log"))
    #expect(!"\(try importConsole(Self.launched).summary)".contains("Mac"))
  }

  // MARK: Suspension

  /// Between two assertions inside didEnterBackground nobody suspends anything.
  @Test(arguments: [(0.000753, 0), (0.3, 1)])
  func aMomentBetweenTwoAssertionsIsNoChance(gap: Double, intervals: Int) throws {
    let log = try importConsole([
      (0, "notes", "applicationDidEnterBackground:"),
      (0.1, "notes", "Created new background assertion <x: 0x1>"),
      (1, "notes", "Will invalidate assertion: <x: 0x1> for task identifier: 1"),
      (1 + gap, "notes", "Created new background assertion <x: 0x2>"),
      (3, "notes", "nothing"),
    ])
    #expect(log.summary.apps.map(\.suspensionsPossible) == [intervals])
  }

  /// The evidence of a task where the app's own lines are missing.
  @Test func anAssertionOfRunningboarddHoldsTheAppAwake() throws {
    let me = "[\(Self.target):44]"
    let log = try importConsole([
      (0, "SpringBoard", "\(me) Setting process visibility to: Background"),
      (0.5, "notes", "Performing snapshot request 0x1 (type 1)"),
      (
        1, "runningboardd",
        "Acquiring assertion targeting \(me) from originator \(me) with description "
          + "<RBSAssertionDescriptor| \"Shared Background Assertion 1 for org.example.notes\" "
          + "ID:33-44-613 target:44 attributes:["
      ),
      (
        5, "runningboardd",
        "Acquiring assertion targeting \(me) from originator [daemon<com.apple.SpringBoard>:9] with "
          + "description <RBSAssertionDescriptor| \"FBWorkspace\" ID:9-9-1 target:44 attributes:["
      ),
      (11, "runningboardd", "Assertion did invalidate due to timeout: 33-44-613 (target:\(me))"),
      (12, "runningboardd", "Invalidating assertion 9-9-1 (target:\(me)) from originator \(me)"),
    ])
    let stream = try #require(log.streams.first)
    let held = stream.events.filter {
      log.names[$0.identityName] == "background assertion 33-44-613"
    }
    #expect(held.map(\.kind) == [.resourceAcquire, .resourceRelease])
    #expect(!log.printed(stream).contains { $0.contains("9-9-1") })
    let possible = stream.events.filter { log.names[$0.identityName] == "suspension possible" }
    #expect(possible.map { $0.time.rawValue / 1_000_000_000 - 36_000 } == [0, 1, 11])
  }

  @Test func anAppWithoutAStateIsGone() throws {
    let gone = (
      2.0, "SpringBoard", "Application process state changed for org.example.notes: (null)"
    )
    let log = try importConsole(
      [(0, "runningboardd", "[\(Self.target):44] Resuming task.")] + [gone]
    )
    #expect(try states(log) == ["background", "notRunning"])
    // Of one that was never seen nothing is said.
    #expect(throws: LogImportError.self) { try importConsole([gone]) }
  }
}
