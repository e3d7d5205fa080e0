// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceJudging
import LifetraceDeviceLog
import LifetraceInterop
import LifetraceRules
import LifetraceTrace
import Testing

/// Names that only begin like a callback, lines behind the last one that is understood, and ids in a
/// newer shape: what logs of devices hold besides.
@Suite struct LogWordEndTests {
  private static let target = "app<org.example.notes(0A-1)>"

  /// A log in Console.app's shape; each line has its second.
  private func log(_ lines: [(second: Int, process: String, says: String)]) throws -> LogImport {
    var text = ""
    for line in lines {
      let clock = [line.second / 3_600 + 10, line.second / 60 % 60, line.second % 60]
        .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
      text += "default\t\(clock).000000+0000\t\(line.process)\t\(line.says)\n"
    }
    return try importText(text)
  }

  private func checked(_ log: LogImport) -> [Verdict] {
    let writers = log.streams.map {
      MemorySource.Writer(id: $0.id, attributes: $0.attributes, events: $0.events)
    }
    return Judgement().checker(of: MemorySource(writers, names: log.names)).finish()
  }

  private static let toBackground: [(second: Int, process: String, says: String)] = [
    (0, "notes", "Deactivation reason removed: 10; deactivation reasons: 1024 -> 0; x"),
    (2, "notes", "applicationWillResignActive:"), (3, "notes", "applicationDidEnterBackground:"),
  ]

  @Test(
    arguments: [
      "0x15 - [pageProxyID=15, webPageID=16, PID=40] "
        + "WebPageProxy::applicationWillEnterForegroundForMedia: isSuspendedUnderLock? 0",
      "didBecomeActiveCount = 3", "applicationWillEnterForegroundTime=3",
      "Waiting for didBecomeActive...", "willEnterForeground2: x", "didBecomeActive_count",
    ]
  )
  func whatGoesOnIsAnotherName(says: String) throws {
    let found = try log(Self.toBackground + [(4, "notes", says)])
    let stream = try #require(found.streams.first)
    #expect(found.states(stream).last?.state == .background, "\(found.printed(stream))")
  }

  @Test(
    arguments: [
      "applicationWillEnterForeground:", "applicationWillEnterForeground(_:)",
      "UIApplicationWillEnterForegroundNotification", "sceneWillEnterForeground",
      "App willEnterForeground.", "willEnterForegroundWithOptions: 3", "\"willEnterForeground\" x",
      "-[AppDelegate applicationWillEnterForeground:]",
    ]
  )
  func whatEndsThereIsTheCallback(says: String) throws {
    let found = try log(Self.toBackground + [(4, "notes", says)])
    let stream = try #require(found.streams.first)
    #expect(found.states(stream).last?.state == .inactive, "\(found.printed(stream))")
  }

  private static let task: [(second: Int, process: String, says: String)] = [
    (
      4, "notes",
      "Creating new background task with name: upload, expirationHandler: <__NSMallocBlock__: 0x1>"
    ),
    (4, "notes", "Reusing background assertion <BKSProcessAssertion: 0x1>"),
    (
      4, "notes",
      "Created background task <_UIBackgroundTaskInfo: 0x1>: taskID = 20, taskName = upload, "
        + "creationTime = 5 (elapsed = 0)."
    ),
  ]

  @Test func aLifeIsKnownToTheLastLineOfItsProcess() throws {
    let short = try log(Self.toBackground + Self.task)
    #expect(checked(short).contains { $0.rule == "BT01" && $0.outcome.word == "undecidable" })
    // The process goes on to write, and never of the end of the task.
    let long = try log(Self.toBackground + Self.task + [(860, "notes", "Task <7E5>.<9> finished")])
    let stream = try #require(long.streams.first)
    #expect(stream.events.last?.kind == .end, "\(long.printed(stream))")
    let broken = checked(long).filter { $0.outcome == .violated }.map(\.rule)
    #expect(broken.contains("BT01") && broken.contains("DL05"), "\(broken)")
    // What others write says nothing of it.
    let other = try log(Self.toBackground + Self.task + [(860, "backboardd", "nothing")])
    #expect(!checked(other).contains { $0.rule == "DL05" && $0.outcome == .violated })
  }

  @Test func aBootstrapThatNamesATargetIsOfThatApp() throws {
    let found = try log([
      (0, "SpringBoard", "Bootstrapping app<org.example.notes> with intent foreground-interactive"),
      (1, "SpringBoard", "[app<org.example.notes>:44] Bootstrap success!"),
      (12, "notes", "Deactivation reason removed: 10; deactivation reasons: 1024 -> 0; x"),
    ])
    #expect(found.streams.map(\.attributes.app) == ["org.example.notes"])
    let stream = try #require(found.streams.first)
    #expect(stream.events.first?.kind == .processStart, "\(found.printed(stream))")
    #expect(checked(found).contains { $0.rule == "DL01" && $0.outcome == .violated })
  }
}
