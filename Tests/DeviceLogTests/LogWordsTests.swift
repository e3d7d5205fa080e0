// SPDX-License-Identifier: Apache-2.0
import LifetraceDeviceLog
import LifetraceInterop
import Testing
import LifetraceTrace

/// Each kind of line with its words behind: not a character of them may be lost.
@Suite struct LogWordsTests {
  /// Short and long, to the last digit.
  static let numbers = ["3", "44", "640139", "4611686018427387904"]

  /// The events of a log whose app is in the foreground before `message`, behind which it stands.
  private func events(after message: String, of process: String = "notes[44]") throws -> [String] {
    let text = """
      2026-09-01 10:00:00.000000+0000 notes[44:1] Deactivation reason added: 0; deactivation reasons: 0 -> 1; x
      2026-09-01 10:00:01.000000+0000 SpringBoard[9:1] [app<com.example.notes>:44] Set jetsam priority to 100
      2026-09-01 10:00:02.000000+0000 \(process.replacing("]", with: ":1]")) \(message)

      """
    let log = try importText(text)
    let stream = try #require(log.streams.first)
    #expect(log.streams.count == 1)
    return log.printed(stream).filter { $0.hasSuffix("@3") }
      .map { $0.split(separator: " ", maxSplits: 1)[1].dropLast(3) }.map(String.init)
  }

  @Test(arguments: numbers)
  func idsOfTasks(id: String) throws {
    let begun = "task.begin id=\(id) name= inferred"
    #expect(
      try events(
        after: "Can't end BackgroundTask: no background task exists with identifier \(id) (0x3)"
      ) == [begun, "task.end id=\(id) inferred", "task.end id=\(id)"]
    )
    #expect(
      try events(after: "Ending background task with UIBackgroundTaskIdentifier: \(id)").last
        == "task.end id=\(id)"
    )
    let description = "taskID = \(id), taskName = S, creationTime = 5 (elapsed = 7)."
    #expect(
      try events(after: "Created background task <_UIBackgroundTaskInfo: 0x1>: \(description)")
        == ["task.begin id=\(id) name=S"]
    )
    #expect(
      try events(
        after: "Ending task with identifier \(id) and description: "
          + "<_UIBackgroundTaskInfo: 0x1>: \(description)"
      ).last == "task.end id=\(id)"
    )
    let old = "Background Task \(id) (\"S\"), was created over 30 seconds ago"
    #expect(
      try events(after: "\(old). This may lead to termination.").last == "log text=\(old) level=2"
    )
    #expect(
      try events(
        after: "Background task still not ended after expiration handlers were called: "
          + "<_UIBackgroundTaskInfo: 0x1>: \(description)"
      ).contains("task.expire id=\(id) inferred")
    )
  }

  @Test(arguments: ["S", "a name, with (\"quotes\")"])
  func namesOfTasks(name: String) throws {
    let text = """
      10:00:00.000000 notes[44:1] Will add backgroundTask with taskName: \(name), expirationHandler: (null)
      10:00:01.000000 notes[44:1] Created background task <_UIBackgroundTaskInfo: 0x1>: taskID = 3, taskName = \(name), creationTime = 5 (elapsed = 0).
      10:00:02.000000 notes[44:1] Will add backgroundTask with taskName: \(name), expirationHandler: <__NSMallocBlock__: 0x1>
      10:00:03.000000 notes[44:1] Created background task <_UIBackgroundTaskInfo: 0x1>: taskID = 4, taskName = \(name), creationTime = 5 (elapsed = 0).

      """
    let log = try importText(text)
    let begun = try #require(log.streams.first).events.filter { $0.kind == .taskBegin }
    #expect(begun.map { log.names[NameID(rawValue: UInt32($0[0]))] } == [name, name])
    #expect(begun.map { $0[2] } == [0, 1])
  }

  @Test func wordsOfDaemons() throws {
    func said(_ message: String) throws -> [String] {
      try events(after: message, of: "SpringBoard[9]")
    }
    let notes = "app<com.example.notes>:44"
    let config = "process.config key="
    for priority in ["0", "7", "1000"] {
      #expect(
        try said("[\(notes)] Set jetsam priority to \(priority)")
          == ["\(config)jetsam priority value=\(priority)"]
      )
    }
    #expect(
      try said("[\(notes)] Set darwin role to: UserInteractive")
        == ["\(config)darwin role value=UserInteractive"]
    )
    #expect(
      try said("[\(notes)] Setting process visibility to: Foreground")
        == ["\(config)visibility value=Foreground"]
    )
    #expect(
      try said("Assertions for process will expire soon: [\(notes)]")
        == ["log text=Assertions for process will expire soon level=2"]
    )
    for (words, cause, code) in [
      ("Process exited: <x> -> <y| domain:jetsam(1) code:2>", "jetsam", 2),
      ("termination reported by launchd (0, 0, 9)", "signal", 9),
      ("termination reported by launchd (1, 7, 9)", "jetsam", 7),
    ] {
      #expect(
        try said("[\(notes)] \(words)").last
          == "process.exit cause=\(cause) code=\(code) evidence=Process exited"
      )
    }
    #expect(
      try said("Removing assertions for terminated process: [\(notes)]").last
        == "process.exit cause=unknown code=0 evidence=Removing assertions for terminated process"
    )
    #expect(
      try said("memorystatus: killing_specific_process pid 44 [notes] (vm-pageshortage 3) 5KB").last
        == "process.exit cause=jetsam code=4 evidence=memorystatus: killing"
    )
  }

  /// A state in a daemon's words, and what of it is in the event.
  @Test func statesOfDaemons() throws {
    for (words, cause) in [
      (
        "Received state update for 44 (app<com.example.notes(EEC5E5EC)>, "
          + "running-suspended-NotVisible",
        "runningboardd"
      ),
      (
        "Calculated state for app<com.example.notes>: running-suspended (role: None)",
        "runningboardd"
      ),
      (
        "Application process state changed for com.example.notes: "
          + "<SBApplicationProcessState: 0x1; pid: 44; taskState: Suspended; visibility: Background>",
        "SpringBoard"
      ),
    ] {
      let found = try events(after: words, of: "SpringBoard[9]")
      #expect(found.contains("state.suspend evidence=\(cause)"), "\(words): \(found)")
    }
  }

  /// An app is not told the lines of processes for which there was no room.
  @Test func processesBeyondTheLimitAreNobodys() throws {
    let line = "Deactivation reason added: 0; deactivation reasons: 0 -> 1; x"
    var text = "10:00:00.000000 notes[1:1] \(line)\n"
    for pid in 2...65_536 { text += "10:00:00.000000 p[\(pid):1] something else\n" }
    text += "10:00:00.000001 p[65537:1] \(line)\n10:00:00.000002 p[65538:1] something else\n"
    let log = try importText(text)
    #expect(log.streams.map(\.attributes.app) == ["notes"])
    #expect(log.streams.first.map { log.printed($0) }?.allSatisfy { $0.hasSuffix("@1") } == true)
    #expect(
      "\(log.summary)".contains("2 lines of processes beyond 65,536 could not be told apart")
    )
  }

  /// Of a process that another follows, nothing is said beyond what its own lines show.
  @Test(arguments: [
    // In the background with nothing to hold it: from 5 s after the callback until the next pid.
    (
      "applicationDidEnterBackground: x", [25, 90], 90, ExitEvidence.beforeSuccessor
    ),
    // Active: it wrote until 59.
    ("applicationDidBecomeActive: x", [], 59, ExitEvidence.behindLastLine),
  ])
  func aProcessEndsBeforeItsSuccessor(
    line: String,
    possible: [Int64],
    end: Int64,
    evidence: String
  ) throws {
    let log = try importText(
      """
      2019-11-28 18:12:20.001204+0200 MyApp[886:367181] \(line)
      2019-11-28 18:12:58.501204+0200 MyApp[886:367181] still alive and writing
      2019-11-28 18:12:59.001204+0200 MyApp[886:367181] still alive and writing
      2019-11-28 18:13:30.001204+0200 MyApp[900:367181] applicationDidBecomeActive: x

      """
    )
    #expect(log.streams.map(\.attributes.pid) == [886, 900])
    let stream = try #require(log.streams.first)
    let midnight = stream.events[0].time.rawValue / 60_000_000_000 * 60
    func second(_ event: Event) -> Int64 { event.time.rawValue / 1_000_000_000 - midnight }
    let exit = try #require(stream.events.last)
    #expect(exit.kind == .processExit)
    #expect(second(exit) == end)
    #expect(log.names[NameID(rawValue: UInt32(exit[2]))] == evidence)
    #expect(ExitEvidence.words(evidence)?.reason == "gone by the time the log names its successor")
    #expect(
      stream.events.filter { log.names[$0.identityName] == "suspension possible" }.map(second)
        == possible
    )
  }
}
