// SPDX-License-Identifier: Apache-2.0
import LifetraceDeviceLog
import LifetraceInterop
import LifetraceTrace
import Testing

/// Nothing is claimed that a log does not prove, and what it proves is not lost.
@Suite struct LogEvidenceTests {
  // MARK: Visibility

  /// Who does not watch scenes calls everything invisible.
  @Test func aDaemonThatNeverSawAnythingVisibleIsNoWitness() throws {
    let lines = [
      (
        "runningboardd",
        "Calculated state for \(PrintedLog.target): running-active (role: UserInteractive)"
      ),
      ("symptomsd", PrintedLog.update("running-active-Visible")),
      ("gamepolicyd", PrintedLog.update("running-active-NotVisible")),
      ("gamepolicyd", PrintedLog.update("running-active-NotVisible")),
    ]
    #expect(try PrintedLog.states(lines) == ["active"])
    // Who has seen something visible is heard.
    let heard = lines + [("symptomsd", PrintedLog.update("running-active-NotVisible"))]
    #expect(try PrintedLog.states(heard) == ["active", "inactive", "background"])
  }

  /// An app knows nothing of its own visibility.
  @Test func whatAnAppReportsOfItselfIsNoState() throws {
    let found = try PrintedLog.states([
      ("notes", "Deactivation reason added: 0; deactivation reasons: 0 -> 1; x"),
      ("notes", "Received state update for 44 (\(PrintedLog.target), unknown-NotVisible"),
      ("symptomsd", PrintedLog.update("running-active-Visible")),
    ])
    #expect(found == ["active", "inactive"])
  }

  /// SpringBoard decides; others pass it on, and may be late.
  @Test func olderNewsDoesNotUndoWhatSpringBoardSaid() throws {
    func log(late seconds: String) throws -> [String] {
      let log = try importText(
        """
        default\t10:00:00.000000+0000\tsymptomsd\t\(PrintedLog.update("running-active-Visible"))
        default\t10:00:10.000000+0000\tSpringBoard\t[\(PrintedLog.target):44] Setting process visibility to: Background
        default\t10:00:\(seconds)0000+0000\tdasd\t\(PrintedLog.update("running-active-NotVisible"))
        default\t10:00:\(seconds)0001+0000\tsymptomsd\t\(PrintedLog.update("running-active-Visible"))

        """
      )
      return try log.states(#require(log.streams.first)).map { "\($0.state)" }
    }
    #expect(try log(late: "10.10") == ["active", "inactive", "background"])
    #expect(try log(late: "19.10") == ["active", "inactive", "background", "inactive", "active"])
  }

  @Test func onAMacRunningSuspendedIsNoSuspension() throws {
    let (_, events) = try PrintedLog.stream([
      (
        "runningboardd",
        "[\(PrintedLog.target):44] Ignoring suspend because this process is not lifecycle managed"
      ),
      (
        "runningboardd",
        "Calculated state for \(PrintedLog.target): running-active (role: UserInteractive)"
      ),
      (
        "runningboardd", "Calculated state for \(PrintedLog.target): running-suspended (role: None)"
      ),
      ("gamepolicyd", PrintedLog.update("running-suspended-NotVisible")),
    ])
    #expect(!events.contains { $0.contains("state.suspend") }, "\(events)")
  }

  @Test func oneOfSeveralScenesDoesNotEndActivity() throws {
    #expect(
      try PrintedLog.states([
        ("SpringBoard", "[\(PrintedLog.target):44] Setting process visibility to: Foreground"),
        (
          "SpringBoard",
          "[0x86e:(FBSceneManager):sceneID:org.example.notes-default] Scene lifecycle state did change: Foreground"
        ),
      ]) == ["active"]
    )
  }

  // MARK: Other words for a state

  @Test(arguments: [
    (
      "mediaserverd",
      "-CMSessionMgr- CMSessionMgrHandleApplicationStateChange: CMSession: Client org.example.notes with pid '44' is now %. Background entitlement: NO",
      ["Foreground Running", "Background Running", "Background Task Suspended", "Terminated"]
    ),
    (
      "audiomxd",
      "-CMSessionMgr- CMSessionMgrHandleApplicationStateChange: Client org.example.notes with pid '44' is now %. Background entitlement: NO",
      ["Foreground Running", "Background Running", "Background Suspended", "Terminated"]
    ),
    (
      "locationd",
      "{\"msg\":\"Post Application State Change Notification\", \"notification\":\"%\", \"pid\":44, \"bundleId\":\"org.example.notes\"}",
      ["ForegroundRunning", "BackgroundRunning", "BackgroundTaskSuspended", "Terminated"]
    ),
    (
      "symptomsd", "44 org.example.notes: % (most elevated: ForegroundRunning)",
      ["ForegroundRunning", "BackgroundRunning", "BackgroundTaskSuspended", "Terminated"]
    ),
    (
      "SpringBoard", "[org.example.notes] org.example.notes application state changed to %",
      ["ForegroundRunning", "BackgroundRunning", "BackgroundTaskSuspended", "Terminated"]
    ),
  ])
  func statesInOtherDaemonsWords(process: String, words: String, values: [String]) throws {
    let lines = values.map { (process, words.replacing("%", with: $0)) }
    #expect(
      try PrintedLog.states(lines) == [
        "active", "inactive", "background", "suspended", "notRunning",
      ],
      "\(words)"
    )
  }

  @Test func springBoardsTaskState() throws {
    let lines = ["Running", "Suspended", "Running", "Not Running"].map {
      ("SpringBoard", "[\(PrintedLog.target):44] Setting process task state to: \($0)")
    }
    #expect(try PrintedLog.states(lines) == ["suspended", "background", "notRunning"])
  }

  // MARK: Background tasks

  /// A device keeps names private; the ids follow from the ends.
  @Test func tasksWithoutNames() throws {
    let (log, _) = try PrintedLog.stream([
      ("notes", "Will add backgroundTask with taskName: <private>, expirationHandler: (null)"),
      ("notes", "Created background task <private>."),
      (
        "notes",
        "Will add backgroundTask with taskName: <private>, expirationHandler: <__NSMallocBlock__: 0x1>"
      ),
      ("notes", "Created background task <private>."),
      ("notes", "Ending background task with UIBackgroundTaskIdentifier: 14"),
      (
        "notes", "Ending task with identifier 14 and description: <private>, _expireHandler: (null)"
      ),
      ("notes", "Created background task <private>."),
      ("notes", "Firing background task expiration handlers"),
      ("notes", "Ending background task with UIBackgroundTaskIdentifier: 13"),
    ])
    let events = try #require(log.streams.first).events
    let tasks = events.filter {
      $0.kind == .taskBegin || $0.kind == .taskEnd || $0.kind == .taskExpire
    }
    #expect(
      tasks.map {
        "\($0.kind.info?.name ?? "") \($0.identity) \($0.time.rawValue / 1_000_000_000 - 36_000)"
      }
        == [
          "task.begin 13 1", "task.begin 14 3", "task.end 14 4", "task.begin 15 6",
          "task.expire 13 7", "task.expire 15 7", "task.end 13 8",
        ]
    )
    #expect(tasks.filter { $0.kind == .taskBegin }.allSatisfy { $0.flags.contains(.inferred) })
    #expect(log.names[NameID(rawValue: UInt32(tasks[0][0]))] == "<private>")
  }

  @Test func expiredTasksAreToldOnce() throws {
    let info =
      "<_UIBackgroundTaskInfo: 0x1>: taskID = 3, taskName = Save, creationTime = 5 (elapsed = 26)"
    let (_, events) = try PrintedLog.stream([
      (
        "notes",
        "Created background task <_UIBackgroundTaskInfo: 0x1>: taskID = 3, taskName = Save, creationTime = 5 (elapsed = 0)."
      ),
      ("notes", "Firing background task expiration handlers"),
      ("notes", "Calling expiration handler for task: \(info)"),
      (
        "notes", "Background task still not ended after expiration handlers were called: \(info). x"
      ),
    ])
    #expect(events.filter { $0.contains("task.expire") }.count == 1)
    #expect(events.contains { $0.contains("task.expire id=3 @2") }, "\(events)")
  }

  /// Some exports hold each line twice.
  @Test func linesThatStandTwice() throws {
    let begin = (
      "notes",
      "Created background task <_UIBackgroundTaskInfo: 0x1>: taskID = 3, taskName = Save, creationTime = 5 (elapsed = 0)."
    )
    let end = ("notes", "Ending background task with UIBackgroundTaskIdentifier: 3")
    let (_, events) = try PrintedLog.stream([begin, begin, end, end])
    #expect(events.filter { $0.contains("task.begin") }.count == 1, "\(events)")
    #expect(events.filter { $0.contains("task.end") }.count == 1, "\(events)")
  }

  @Test func aRefreshIsAWakeAndHoldsTheAppAwake() throws {
    let (_, events) = try PrintedLog.stream([
      ("notes", "applicationDidEnterBackground"),
      ("notes", "Running task: <BGAppRefreshTask: org.example.refresh>"),
      ("notes", "Starting task: <BGAppRefreshTask: org.example.refresh>"),
      ("notes", "Performing snapshot request 0x1 (type 1)"),
      ("notes", "Marking task <BGAppRefreshTask: org.example.refresh> complete with success: 0"),
      ("notes", "Running task: <BGProcessingTask: org.example.cleanup>"),
      ("notes", "Marking task <BGProcessingTask: org.example.cleanup> complete with success: 1"),
    ])
    let told = events.filter { !$0.contains("state.") }.map {
      $0.split(separator: " ").dropFirst().joined(separator: " ")
    }
    #expect(
      told == [
        "wake.begin id=1 reason=app-refresh @2",
        "wake.completion id=1 result=failed @5",
        "resource.acquire name=suspension possible class=0 attribute=interval inferred @5",
        "log text=runs the task org.example.cleanup level=2 @6",
        "resource.release name=suspension possible class=0 attribute=interval inferred @6",
        "log text=completes the task org.example.cleanup: success level=2 @7",
        "resource.acquire name=suspension possible class=0 attribute=interval inferred @7",
      ],
      "\(told)"
    )
  }
}
