// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceLifecycle
import Support
import TestThreads
import Testing
import LifetraceTrace

@Suite("An app in another language", .waits)
struct ForeignAppTests {
  /// Plays an app in Python whose delegate is `methods`; where it misses a limit on purpose, the host
  /// waits for two seconds.
  private func play(_ methods: String, _ steps: String, misses: Bool = false) throws -> Played {
    let folder = try TestFolder()
    let file = folder.file("app.py")
    let lines = methods.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
    try TestFile.write(
      Array(
        """
        import os, sys
        sys.path.insert(0, "\(Golden.root)/Tests/ScenarioTests/Fixtures")
        from client import Application, Host

        class Delegate:
        \(lines)

        Application(Host(os.environ["LIFETRACE_HOST"]), Delegate()).run("notes")

        """.utf8
      ),
      to: file
    )
    let text = "app: notes\nprofile: ios13\ntime-scale: 0.1\nsteps:\n- launch\n\(steps)\n"
    let scenario = try Scenario(parsing: text, file: "python.yml")
    var profile = Played.patient(scenario)
    if misses { profile.transition.kill = Int64(2e9 / scenario.timeScale) }
    let played = try Played(scenario, command: ["python3", file], profile: profile) {
      try $0.play()
    }
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
    return played
  }

  @Test("An app that hangs in a tell is killed for that, not for the callback that waits behind it")
  func hangsInTell() throws {
    let played = try play(
      """
      def tell(self, app, event):
          import time
          time.sleep(100)
      """,
      "- tell: {word: x}\n- home",
      misses: true
    )
    #expect(played.exits.map(\.cause) == ["watchdog"])
    let turn = try #require(played.events(.turnBegin).first)
    #expect(played.names[played.names[turn.site].name] == "tell")
    #expect(!played.events(.callbackBegin).contains { $0.time > turn.time })
    let broken = played.verdicts().filter { $0.outcome == .violated }
    #expect(broken.map(\.rule) == ["DL11"], "\(broken)")
    let title = broken.first?.title.description ?? ""
    #expect(title.contains("\"tell\""), "\(broken)")
    #expect(broken.first?.witnesses.first?.sequence == turn.sequence)
  }

  @Test("What stands behind a slow tell begins when that is answered")
  func slowInTell() throws {
    let played = try play(
      """
      def tell(self, app, event):
          import time
          time.sleep(3)
      """,
      "- tell: {word: x}\n- home",
      misses: true
    )
    #expect(!played.exits.contains { $0.cause == "watchdog" })
    let (begins, ends) = (played.events(.turnBegin), played.events(.turnEnd))
    #expect(begins.count == 1 && begins.map(\.identity) == ends.map(\.identity))
    let slow = try #require(ends.first)
    #expect(slow.time - (try #require(begins.first)).time >= 2_000_000_000)
    let behind = played.events(.callbackBegin).filter { $0.time >= begins[0].time }
    #expect(behind.count == 2 && behind.allSatisfy { $0.time >= slow.time }, "\(behind)")
    #expect(played.events(.callbackEnd).count == played.events(.callbackBegin).count)
  }

  @Test("An app that forgets to answer a tell does not hang")
  func forgetsToAnswer() throws {
    let played = try play(
      """
      def tell(self, app, event):
          event["n"] = 0
      """,
      "- tell: {word: x}\n- home",
      misses: true
    )
    #expect(played.events(.turnBegin).isEmpty)
    #expect(played.events(.callbackEnd).count == played.events(.callbackBegin).count)
    let broken = played.verdicts().filter { $0.outcome == .violated }
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("What it ends that is not open, and completes twice, is in the trace and judged")
  func onceTooOften() throws {
    let played = try play(
      """
      def wake(self, app, event):
          app.complete(event["id"], "noData")
          app.complete(event["id"], "noData")
          app.end_background_task(99)
          app.say("done")
      """,
      "- home\n- suspend\n- wake: fetch\n- wait: {after: done, within: 600s}"
    )
    #expect(played.events(.wakeCompletion).count == 2)
    // The host's ids are not those of an SDK in the app, which counts from 1.
    #expect(played.events(.taskEnd).map { $0.identity } == [99 | 1 << 32])
    let broken = played.verdicts().filter { $0.outcome == .violated }.map(\.rule)
    #expect(broken.sorted() == ["BT02", "DL10"], "\(broken)")
  }

  @Test("A launch for a wake hands over its payload, and one that drops it says so")
  func launchPayload() throws {
    let played = try play(
      """
      def wake(self, app, event):
          app.complete(event["id"], "noData")
          app.say(event["payload"])
      """,
      """
      - terminate
      - launch: {reason: push, payload: hello}
      - wait: {after: hello, within: 600s}
      - terminate
      - launch: {payload: nobody}
      """
    )
    let notes = played.events(.log).map { played.name($0[0]) }
    let dropped = notes.filter { $0.hasPrefix("the `payload` of the launch was dropped") }
    #expect(dropped.count == 1, "\(notes)")
  }

  @Test("Once it has reported a call, a completion stands for no report any more")
  func unreportedCall() throws {
    let played = try play(
      """
      def wake(self, app, event):
          if event["payload"] == "first":
              app.host.send("call-reported", wake=event["id"])
          app.complete(event["id"], "noData")
          app.say(event["payload"])
      """,
      """
      - home
      - suspend
      - wake: {reason: voip, payload: first}
      - wait: {after: first, within: 600s}
      - suspend
      - wake: {reason: voip, payload: second}
      - wait: {until: not-running, within: 600s}
      """
    )
    #expect(played.exits.map(\.code).contains(0xbaad_ca11), "\(played.exits)")
    #expect(played.violations.map(\.rule) == ["DL12"], "\(played.violations)")
  }

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
