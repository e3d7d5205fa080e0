// SPDX-License-Identifier: Apache-2.0
import LifetraceApp
import LifetraceScenario
import LifetraceTesting
import LifetraceTrace
import Synchronization
import Testing

/// What an app calls of the runtime stands in the trace with the line of the call.
@Suite("Lines of calls")
@MainActor
struct AppLineTests {
  private func play(_ steps: String) throws -> (life: SimulatedLife, lines: [String: Int]) {
    let delegate = Mutex<Caller?>(nil)
    let scenario = try Scenario(parsing: "app: caller\nsteps: [\(steps)]\n", file: "lines.yml")
    let life = try Simulator(scenario) {
      let made = Caller()
      delegate.withLock { $0 = made }
      return made
    }.play()
    return (life, delegate.withLock { $0?.lines } ?? [:])
  }

  /// Kind and line, of those that have one.
  private func placed(_ life: SimulatedLife) -> [String] {
    life.streams[0].events.compactMap { event in
      let site = life.names[event.site]
      guard life.names[site.file].hasSuffix("AppLineTests.swift") else { return nil }
      return "\(event.kind.info?.name ?? "?") \(site.line)"
    }
  }

  @Test("Tasks and items of queues, from the call to the end")
  func queues() throws {
    let (life, lines) = try play("launch, home, suspend, {wait: 1s}, open, {wait: 10s}")
    let wanted: KeyValuePairs = [
      "task.begin": "begin", "work.begin": "async", "work.end": "async", "task.end": "end",
      "resource.use": "later",
    ]
    for (kind, name) in wanted {
      let line = try #require(lines[name])
      #expect(placed(life).contains("\(kind) \(line)"), "\(placed(life))")
    }
  }

  @Test("What is put off is pending over a suspension, runs later, or is cancelled by a line")
  func delayed() throws {
    let (life, lines) = try play("launch, home, suspend, {wait: 1s}, open, {wait: 10s}")
    let events = life.streams[0].events
    func all(_ kind: EventKind) -> [(place: Int, line: Int)] {
      events.indices.filter {
        events[$0].kind == kind
          && events[$0][0] == UInt64(ResourceClass.delayedWork.rawValue)
      }.map { ($0, Int(life.names[events[$0].site].line)) }
    }
    let suspended = try #require(events.firstIndex { $0.kind == .suspend })
    let acquired = all(.resourceAcquire)
    #expect(acquired.map(\.line) == [lines["later"], lines["never"]])
    #expect(acquired.allSatisfy { $0.place < suspended })
    // The one is cancelled at once, and is never used.
    let released = all(.resourceRelease)
    #expect(released.map(\.line) == [lines["cancel"], lines["later"]])
    #expect(released[0].place < suspended && released[1].place > suspended)
    #expect(all(.resourceUse).map(\.line) == [lines["later"]])
  }

  @Test("An observer that was added twice from one place has handled a delivery twice")
  func observers() throws {
    let (life, lines) = try play("launch, {post: {type: NSCurrentLocaleDidChange, value: de_DE}}")
    let handled = placed(life).filter { $0.hasPrefix("notification.handled") }
    let line = try #require(lines["observe"])
    #expect(handled == Array(repeating: "notification.handled \(line)", count: 2))
  }

  @Test("A VoIP push is followed by the report of its call")
  func calls() throws {
    let (life, lines) = try play("launch, home, suspend, {wake: voip}, {wait: 1s}")
    let reports = life.events(.wakeReported)
    #expect(reports.map { life.names[Payload.WakeReported($0).call] } == ["alice"])
    #expect(reports.first?.identity == life.events(.wakeBegin).first?.identity)
    #expect(placed(life).contains("wake.reported \(try #require(lines["report"]))"))
  }
}

/// An app that does each of these once, and knows where.
@MainActor
private final class Caller: ApplicationDelegate {
  var lines: [String: Int] = [:]
  private let queue = WorkQueue(label: "saving")

  private func note(_ name: String, _ line: Int = #line) -> Bool {
    // The call stands in the next line.
    lines[name] = line + 1
    return true
  }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    for _ in 1...2 {
      _ = note("observe")
      application.notificationCenter.addObserver(forName: .currentLocaleDidChange) { _ in }
    }
    return true
  }

  func applicationDidEnterBackground(_ application: Application) {
    _ = note("begin")
    let task = application.beginBackgroundTask(withName: "save") {}
    _ = note("later")
    queue.asyncAfter(seconds: 5) {}
    _ = note("never")
    let never = queue.asyncAfter(seconds: 5) {}
    _ = note("cancel")
    never.cancel()
    let endLine = #line + 3
    _ = note("async")
    queue.async {
      application.endBackgroundTask(task)
    }
    lines["end"] = endLine
  }

  func application(
    _ application: Application,
    handleBackgroundWake reason: BackgroundWake,
    completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    _ = note("report")
    application.reportNewIncomingCall("alice")
    completionHandler(.newData)
  }
}
