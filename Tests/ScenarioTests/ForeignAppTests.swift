// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceLifecycle
import Support
import TestThreads
import Testing
import LifetraceTrace

@Suite("An app in another language", .waits)
struct ForeignAppTests {
  @Test("A hundred lines of Python take part in a scenario")
  func python() throws {
    let text = """
      app: notes
      profile: ios7
      time-scale: 0.1
      steps:
      - launch
      - expect: said launched for icon
      - tell: {edit: Dear diary}
      - home
      - wait: {after: saved Dear diary, within: 600s}
      - suspend
      - expect: state == suspended
      - post: {type: NSCurrentLocaleDidChange, value: sv_SE}
      - wake: fetch
      - wait: {after: NSCurrentLocaleDidChange sv_SE, within: 600s}
      - wait: {after: noData, within: 600s}
      - suspend
      - open-url: "notes://today"
      - terminate
      - relaunch
      - expect: state == active
      """
    let scenario = try Scenario(parsing: text, file: "python.yml")
    let client = Golden.root + "/Tests/ScenarioTests/Fixtures/client.py"
    let patient = Played.patient(scenario)
    let played = try Played(scenario, command: ["python3", client], profile: patient) {
      try $0.play()
    }
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
    #expect(played.leftBehind == 0)
    // It records nothing itself: its life in the trace is what the host saw.
    let lives = played.streams.filter { $0.attributes.role == .app }
    #expect(lives.map(\.attributes.app) == ["notes", "notes"])
    #expect(lives.last?.attributes.previous == lives.first?.writer)
    let first = try #require(lives.first).events
    #expect(
      first.allSatisfy {
        $0.observer == .host || $0.kind == .processStart || $0.kind == .processExit
      }
    )
    let states = first.filter { $0.kind == .transition }.map { AppState(rawValue: UInt8($0[1])) }
    #expect(Array(states.prefix(4)) == [.inactive, .active, .inactive, .background])
    func callbacks(_ kind: EventKind) -> [String] {
      first.filter { $0.kind == kind }.map {
        played.name(UInt64(played.names[$0.site].name.rawValue))
      }
    }
    let begun = callbacks(.callbackBegin)
    #expect(
      Array(begun.prefix(4)) == [
        "application:didFinishLaunchingWithOptions:", "applicationDidBecomeActive",
        "applicationWillResignActive", "applicationDidEnterBackground",
      ]
    )
    #expect(begun.contains("applicationWillTerminate"))
    #expect(callbacks(.callbackEnd).sorted() == begun.sorted())
    let tasks = first.filter { $0.kind == .taskBegin }
    #expect(tasks.first.map { played.name($0[0]) } == "save")
    #expect(first.count { $0.kind == .taskEnd } == tasks.count)
    let delivered = first.filter { $0.kind == .notificationDelivered }
    #expect(delivered.map { played.name($0.identity) } == ["NSCurrentLocaleDidChange"])
    #expect(first.count { $0.kind == .wakeCompletion } == 1)
  }
}
