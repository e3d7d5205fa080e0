// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceScenario
import LifetraceLifecycle
import LifetraceRules
import Support
import TestThreads
import Testing
import LifetraceTrace

/// Apps that speak the protocol by themselves: what they get wrong, and what they tell beside it.
@Suite("An app in C, with the SDK and without the runtime", .serialized, .waits)
struct WireAppTests {
  private func play(
    _ steps: String,
    timeScale: Double = 0.05,
    launch: String = "launch",
    arguments: [String] = []
  ) throws -> Played {
    let text = "app: wired\ntime-scale: \(timeScale)\nsteps:\n- \(launch)\n\(steps)\n"
    let played = try Played(text, app: "WireApp", arguments: arguments)
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
    #expect(played.leftBehind == 0)
    return played
  }

  private func lives(of played: Played) -> [Played.Stream] {
    played.streams.filter { $0.attributes.role == .app }
  }

  @Test("A task that ends when its time is over costs nothing")
  func taskEndsInTime() throws {
    let played = try play(
      """
      - tell: {task: upload}
      - home
      - wait: {after: time is up, within: 60s}
      - wait: {after: upload, within: 60s}
      - suspend
      - expect: state == suspended
      """
    )
    #expect(played.events(.taskBegin).map { played.name($0[0]) } == ["upload"])
    #expect(played.events(.taskExpire).count == 1)
    #expect(played.events(.taskEnd).count == 1)
    #expect(played.exits.map(\.cause) == ["harness"])
  }

  @Test("What its callbacks compute the system does not say: it cannot see that")
  func computing() throws {
    let played = try play("- home\n- suspend")
    let changes = played.events(.transition).filter { $0.observer == .host }
    #expect(!changes.isEmpty && changes.allSatisfy { Payload.Transition($0).cpu == nil })
    let ends = played.events(.callbackEnd)
    #expect(!ends.isEmpty && ends.allSatisfy { Payload.CallbackEnd($0).cpu == nil }, "\(ends)")
  }

  @Test("A task that does not end is its app's end")
  func taskLeaks() throws {
    let played = try play(
      """
      - tell: {leak: upload}
      - home
      - wait: {until: not-running, within: 60s}
      - relaunch
      - expect: state == active
      """
    )
    let told = played.streams.flatMap(\.events).filter {
      [.taskBegin, .taskExpire, .taskEnd, .processExit].contains($0.kind)
    }
    #expect(told.map(\.kind).prefix(3) == [.taskBegin, .taskExpire, .processExit])
    #expect(told.prefix(2).allSatisfy { $0.observer == .host })
    let exit = try #require(played.exits.first)
    #expect(exit.cause == "watchdog")
    #expect(exit.code == 0x2182_bad2)
    #expect(played.violations.map(\.rule) == ["BT01", "DL05"])
    let lives = lives(of: played)
    #expect(lives.count == 2)
    #expect(lives.last?.attributes.previous == lives.first?.writer)
  }

  @Test(
    "However late the host comes to it, an app is told that its time is up before it dies of it"
  )
  func lateHost() throws {
    let text = "app: wired\ntime-scale: 0.05\nsteps: [launch, {tell: {leak: upload}}, home]"
    let scenario = try Scenario(parsing: text, file: "test.yml")
    let end = "app: wired\nsteps:\n- wait: {until: not-running, within: 1000s}"
    let played = try Played(
      scenario,
      command: ["\(TestProgram.products)/WireApp"],
      profile: Played.patient(scenario)
    ) { host in
      defer { host.close() }
      for step in scenario.steps { try host.play(step) }
      // While nothing is played nobody looks at a clock: the time to tell it goes by, and the time to kill.
      usleep(2_000_000)
      for step in try Scenario(parsing: end, file: "test.yml").steps { try host.play(step) }
      return ScenarioReport()
    }
    let life = try #require(lives(of: played).first).events
    let told = life.map(\.kind).filter { [.taskBegin, .taskExpire, .processExit].contains($0) }
    #expect(told == [.taskBegin, .taskExpire, .processExit])
    #expect(played.exits.map(\.code) == [0x2182_bad2])
  }

  @Test("A line that is no message is noted, and the next one is heard")
  func garbage() throws {
    let played = try play("- tell: {garbage: not json}\n- home\n- suspend")
    let notes = played.events(.log).filter { $0.observer == .host }.map { played.name($0[0]) }
    #expect(notes == ["garbage from wired: not json (it is no JSON object)"])
    #expect(lives(of: played).first?.events.contains { $0.kind == .log } == true)
  }

  @Test("The shortest life is one, too")
  func shortLives() throws {
    let text = """
      app: wired
      steps:
      - repeat: {times: 40, steps: [launch, {purge: {how: jetsam}}]}
      """
    let lives = lives(of: try Played(text, app: "WireApp"))
    #expect(lives.count == 40)
    #expect(lives.allSatisfy { $0.attributes.app == "wired" })
    #expect(zip(lives, lives.dropFirst()).allSatisfy { $1.attributes.previous == $0.writer })
    #expect(lives.allSatisfy { $0.events.contains { $0.kind == .transition } })
  }

  @Test("The user is told of kills as they happen, and of garbage once a launch")
  func notices() throws {
    let text = """
      app: wired
      time-scale: 0.05
      steps:
      - launch
      - tell: {garbage: not json, leak: upload}
      - tell: {garbage: nor this}
      - home
      - wait: {until: not-running, within: 60s}
      - relaunch
      - tell: {garbage: again}
      - relaunch
      """
    let scenario = try Scenario(parsing: text, file: "test.yml")
    var told: [String] = []
    _ = try Played(
      scenario,
      command: ["\(TestProgram.products)/WireApp"],
      profile: Played.patient(scenario)
    ) { host in
      host.onNotice { told.append("\($0.line) \($1)") }
      return try host.play()
    }
    let wanted = [
      "5 wired said what is no message, as it is no JSON object: not json",
      "8 wired was killed (0x2182bad2): a background task did not complete in time",
      "10 wired said what is no message, as it is no JSON object: again",
      "11 `wired` was still running, and nothing was launched",
    ]
    #expect(told == wanted)
  }

  @Test("The user is told of an app that calls itself as another one is called")
  func nameOfAnother() throws {
    let text = """
      apps: [wired, other]
      time-scale: 0.05
      steps:
      - launch: wired
      - launch: other
      """
    var scenario = try Scenario(parsing: text, file: "test.yml")
    let program = "\(TestProgram.products)/WireApp"
    scenario.apps[0].command = [program]
    scenario.apps[1].command = [program, "--other"]
    var told: [String] = []
    _ = try Played(scenario, command: [], profile: Played.patient(scenario)) { host in
      host.onNotice { told.append("\($0.line) \($1)") }
      return try host.play()
    }
    #expect(
      told == [
        "5 `other` says that it is `wired`, another app of this scenario: its command has to know "
          + "which it is to be, by an argument or by $LIFETRACE_APP"
      ]
    )
  }

  @Test("And of one that no app of the scenario is called as, once")
  func nameOfNobody() throws {
    func told(_ name: String) throws -> [String] {
      let text = "app: \(name)\ntime-scale: 0.05\nsteps:\n- launch\n- kill\n- launch\n"
      let scenario = try Scenario(parsing: text, file: "test.yml")
      var told: [String] = []
      let program = "\(TestProgram.products)/WireApp"
      _ = try Played(scenario, command: [program], profile: Played.patient(scenario)) { host in
        host.onNotice { told.append("\($0.line) \($1)") }
        return try host.play()
      }
      return told
    }
    #expect(
      try told("notes") == [
        "4 the program started as `notes` says hello as `wired`, which this scenario has not: steps about "
          + "`notes` go to it all the same; if it is the right one, give the two one name"
      ]
    )
    #expect(try told("com.example.Wired") == [])
  }

  @Test(
    "A URL comes once: by itself, or with the connection of a scene",
    arguments: ["scenes", ""]
  )
  func urls(scenes: String) throws {
    let opens = scenes.isEmpty ? "open-url" : "launch"
    let played = try play(
      """
      - expect: said \(opens) a:1
      - home
      - suspend
      - open-url: "a:2"
      - expect: said open-url a:2
      - purge: {how: jetsam}
      - launch: {reason: push}
      - suspend
      - open-url: "a:3"
      - expect: said \(scenes.isEmpty ? "open-url" : "enter-foreground") a:3
      """,
      launch: "launch: {url: \"a:1\"}",
      arguments: [scenes]
    )
    let names = played.heard.map(\.name)
    let open = scenes.isEmpty ? "application:openURL:options:" : "scene:openURLContexts:"
    #expect(names.count { $0 == open } == (scenes.isEmpty ? 3 : 1))
    #expect(names.contains("sceneDidBecomeActive") == !scenes.isEmpty)
    #expect(names.contains("applicationDidBecomeActive") == scenes.isEmpty)
  }

  @Test(
    "What it records itself stands in the stream that the host began, whenever it joins",
    arguments: [0, 2_500]
  )
  func oneStream(milliseconds: Int) throws {
    // The recorder gives a process so long to join.
    let played = try play(
      "- wait: \(milliseconds)ms\n- tell: {edit: Dear diary}\n- home\n- suspend\n- purge\n- relaunch",
      timeScale: 1
    )
    let lives = lives(of: played)
    #expect(lives.count == 2)
    #expect(lives.last?.attributes.previous == lives.first?.writer)
    let life = try #require(lives.first).events
    #expect(life.map(\.sequence) == Array(0..<UInt64(life.count)))
    #expect(life.count { $0.kind == .processStart } == 1)
    #expect(life.last.map { played.name($0[0]) } == "purge")
    let edits = life.filter { $0.kind == .dataDirty }
    #expect(edits.map { played.name($0.identity) } == ["draft"])
    #expect(edits.allSatisfy { $0.observer == .own })
    let states = life.filter { $0.kind == .transition }.map { AppState(rawValue: UInt8($0[1])) }
    #expect(states == [.inactive, .active, .inactive, .background])
    #expect(played.violations.map(\.rule) == ["DS01", "DS02"])
  }

  @Test("An unlock while it sleeps comes to it as a notification too", arguments: ["ios4", "ios7"])
  func unlockWaits(profile: String) throws {
    let text = """
      profile: \(profile)
      app: wired
      time-scale: 0.05
      steps: [launch, lock, suspend, unlock, {wait: 100s}, home, suspend]
      """
    let played = try Played(text, app: "WireApp")
    let delivered = played.events(.notificationDelivered).map { played.name($0.identity) }
    #expect(
      delivered == [
        "UIApplicationProtectedDataWillBecomeUnavailable",
        "UIApplicationProtectedDataDidBecomeAvailable",
      ]
    )
    #expect(played.violations.map(\.rule).isEmpty)
  }

  @Test("An end behind an event that only the host writes never comes, and is said to be none")
  func endBehindHostEvent() throws {
    let played = try play(
      "- tell: {task: upload}\n- wait: 10s",
      launch: "launch: {ends: crash, after: task.begin}"
    )
    let notes = played.events(.log).filter { $0.observer == .host }.map { played.name($0[0]) }
    #expect(
      notes.contains { $0.hasPrefix("`wired` was not ended behind task.begin: ") },
      "\(notes)"
    )
  }
}
