// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceLifecycle
import LifetraceTesting
import ProbeCore
import Support
import TestThreads
import Testing
import LifetraceTrace

@Suite("How real processes end", .waits)
struct RealEndingTests {
  /// Steps that end the app, and what the trace must say of it.
  struct Case: Sendable, CustomTestStringConvertible {
    var steps: String
    var cause: String
    var code: UInt64
    var willTerminate = false
    var profile = "ios13"
    var timeScale = 0.05
    var app = "probe"
    var testDescription: String { "\(cause), \(profile), \(app): \(steps)" }
  }

  static let cases: [Case] = [
    Case(
      steps: "- tell: {for: 1000, hang: didEnterBackground}\n- home",
      cause: "watchdog",
      code: 0x8bad_f00d
    ),
    Case(
      steps: "- tell: {for: 1000, hang: willResignActive}\n- call: begin",
      cause: "watchdog",
      code: 0x8bad_f00d
    ),
    Case(
      steps: "- tell: {for: 1000, hang: willTerminate}\n- terminate",
      cause: "watchdog",
      code: 0x8bad_f00d,
      willTerminate: true
    ),
    Case(
      steps: "- tell: {leak: upload}\n- home\n- wait: {until: not-running, within: 600s}",
      cause: "watchdog",
      code: 0x2182_bad2
    ),
    Case(
      steps:
        "- tell: {completions: never}\n- home\n- wake: fetch\n- wait: {until: not-running, within: 600s}",
      cause: "watchdog",
      code: 0x2182_bad4
    ),
    Case(
      steps:
        "- tell: {completions: never}\n- home\n- wake: url-session\n- wait: {until: not-running, within: 600s}",
      cause: "watchdog",
      code: 0x2182_bad3
    ),
    Case(
      steps:
        "- tell: {completions: never}\n- home\n- wake: voip\n- wait: {until: not-running, within: 600s}",
      cause: "watchdog",
      code: 0xbaad_ca11,
      // The handler has to answer in the time of the report.
      timeScale: 0.3
    ),
    // Built before there was a background, as property lists say it.
    Case(
      steps: "- home",
      cause: "exitsOnSuspend",
      code: 0,
      willTerminate: true,
      app: "old"
    ),
    Case(steps: "- home\n- purge", cause: "purge", code: 9),
    Case(steps: "- home\n- memory-pressure", cause: "purge", code: 9),
    Case(
      steps: "- tell: {task: x}\n- home\n- memory-pressure",
      cause: "system",
      code: 0,
      willTerminate: true
    ),
    Case(steps: "- purge: {how: jetsam}", cause: "purge", code: 9),
    Case(steps: "- terminate", cause: "system", code: 0, willTerminate: true),
    Case(
      steps: "- tell: {task: x}\n- home\n- terminate",
      cause: "system",
      code: 0,
      willTerminate: true
    ),
    Case(steps: "- home\n- suspend\n- terminate", cause: "system", code: 0),
    Case(steps: "- kill", cause: "user", code: 0, willTerminate: true),
    Case(steps: "- home\n- suspend\n- kill", cause: "user", code: 9),
    Case(steps: "- kill", cause: "user", code: 9, profile: "classic"),
    Case(steps: "- reboot", cause: "reboot", code: 9),
    Case(steps: "- crash", cause: "crash", code: 11),
    Case(steps: "- tell: {exit: 3}", cause: "exit", code: 3),
    Case(steps: "- tell: {abort: now}", cause: "signal", code: 6),
  ]

  @Test("Cause, code, and willTerminate where the table says", arguments: cases)
  func ends(_ one: Case) throws {
    let played = try Played(
      """
      app: probe
      profile: \(one.profile)
      time-scale: \(one.timeScale)
      steps:
      - launch
      \(one.steps)
      """,
      arguments: [one.app]
    )
    let exit = try #require(played.exits.first)
    #expect(exit.cause == one.cause)
    #expect(exit.code == one.code)
    #expect(played.callbacks.contains("WillTerminate") == one.willTerminate)
    #expect(played.leftBehind == 0)
  }
}

@Suite("Locks that outlast the suspension", .serialized, .waits)
struct SharedLockTests {
  @Test(
    "0xdead10cc at the moment of suspension",
    arguments: [
      (step: "lock: GROUP/database", isKilled: true),
      (step: "lock: GROUP/database, unlock: now", isKilled: false),
      (step: "lock: ELSEWHERE/database", isKilled: false),
    ]
  )
  func lockedFile(step: String, isKilled: Bool) async throws {
    let group = Played.scratch()
    let elsewhere = Played.scratch()
    defer {
      Played.remove(group)
      Played.remove(elsewhere)
    }
    let words = step.split(separator: "GROUP").joined(separator: group)
      .split(separator: "ELSEWHERE").joined(separator: elsewhere)
    let text = """
      app: probe
      app-group: \(group)
      time-scale: 0.05
      steps:
      - launch
      - tell: {\(words)}
      - home
      - wait: {until: \(isKilled ? "not-running" : "suspended")}
      """
    let played = try Played(text)
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
    let exit = try #require(played.exits.first)
    #expect(exit.cause == (isKilled ? "deadlock" : "harness"))
    #expect(exit.code == (isKilled ? 0xdead_10cc : 9))
    #expect(!played.callbacks.contains("WillTerminate"))
    let kinds = played.streams.flatMap(\.events).map(\.kind)
    #expect(kinds.contains(.suspend))

    let scenario = try Scenario(parsing: text, file: "test.yml")
    #expect(try await Self.causes(scenario).contains("deadlock") == isKilled)
  }

  /// Of the ends in virtual time.
  @MainActor
  private static func causes(_ scenario: Scenario) throws -> [String] {
    let life = try Simulator(scenario) { ProbeDelegate() }.play()
    return life.streams.flatMap(\.events).filter { $0.kind == .processExit }
      .map { life.names[NameID(rawValue: UInt32(truncatingIfNeeded: $0[0]))] }
  }
}

@Suite("Misbehaving apps", .waits)
struct MisbehavingTests {
  /// What an app does, how it ends of that, and what the trace says of it.
  struct Case: Sendable, CustomTestStringConvertible {
    var what: String
    var steps: String
    var cause: String
    var code: UInt64
    /// A part of a line that the host has noted.
    var note: String?
    var testDescription: String { what }
  }

  static let cases: [Case] = [
    Case(
      what: "never answers",
      steps: "- tell: {for: 100000, hang: didEnterBackground}\n- home",
      cause: "watchdog",
      code: 0x8bad_f00d,
      note: "no answer to enter-background within"
    ),
    Case(
      what: "answers late",
      steps: "- tell: {for: 8, hang: didEnterBackground}\n- home\n- purge",
      cause: "purge",
      code: 9
    ),
    Case(
      what: "says what is no message",
      steps: "- tell: {garbage: lots}\n- purge",
      cause: "purge",
      code: 9,
      note: "garbage from probe: not json (it is no JSON object)"
    ),
    Case(
      what: "says a line without end",
      steps: "- tell: {flood: 2000000}\n- wait: {until: not-running}",
      cause: "exit",
      // Nobody listens to it any more, and so it ends.
      code: 69,
      note: "garbage from probe: a line without end"
    ),
    Case(
      what: "says far too much",
      steps: "- tell: {flood-lines: 200000}\n- home\n- purge",
      cause: "purge",
      code: 9
    ),
    Case(what: "forks", steps: "- tell: {fork: child}\n- purge", cause: "purge", code: 9),
    Case(
      what: "forks and ends by itself",
      steps: "- tell: {fork: child, exit: 1}",
      cause: "exit",
      code: 1
    ),
    Case(
      what: "ends in a callback",
      steps: "- tell: {exit-in: didEnterBackground}\n- home",
      cause: "exit",
      code: 3
    ),
    Case(
      what: "stops itself",
      // A hang that nobody waits for is borne; a transition is waited for.
      steps: "- tell: {stop: now}\n- home",
      cause: "watchdog",
      code: 0x8bad_f00d,
      note: "no answer to tell within"
    ),
    Case(
      what: "ignores SIGTERM",
      steps: "- tell: {ignore-term: please}\n- terminate",
      cause: "system",
      code: 0
    ),
    Case(
      what: "leaks background tasks",
      steps:
        "- repeat: {times: 300, steps: [{tell: {leak: x}}]}\n- home\n- wait: {until: not-running, within: 600s}",
      cause: "watchdog",
      code: 0x2182_bad2
    ),
    Case(what: "aborts", steps: "- tell: {abort: now}", cause: "signal", code: 6),
  ]

  @Test(
    "They are survived and recorded, can be launched again, and nothing is left behind",
    arguments: cases,
    ["signal", "freezer"]
  )
  func survived(_ one: Case, suspendBy: String) throws {
    let played = try Played(
      """
      app: probe
      time-scale: 0.05
      suspend-by: \(suspendBy)
      steps:
      - launch
      \(one.steps)
      - relaunch
      - expect: state == active
      """
    )
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
    #expect(played.exits.count == 2)
    let exit = try #require(played.exits.first)
    #expect(exit.cause == one.cause)
    #expect(exit.code == one.code)
    let notes = played.events(.log).filter { $0.observer == .host }.map { played.name($0[0]) }
    if let note = one.note {
      #expect(notes.contains { $0.contains(note) }, "\(notes)")
    } else {
      #expect(notes.isEmpty, "\(notes)")
    }
    #expect(played.leftBehind == 0)
  }

  @Test("What is not an app at all is a failed launch", arguments: ["/bin/true", "/bin/sleep 100"])
  func noApp(_ command: String) throws {
    // Only the one that never answers is not to be waited for.
    let scale = command == "/bin/true" ? "1" : "0.01"
    let text = "app: probe\ntime-scale: \(scale)\nsteps:\n- launch\n- expect: state == active\n"
    let scenario = try Scenario(parsing: text, file: "x.yml")
    let words = command.split(separator: " ").map(String.init)
    var hasty = Profile.standard
    if command != "/bin/true" { hasty.launch = Profile.Limit(1.5) }
    let played = try Played(scenario, command: words, profile: hasty) { try $0.play() }
    let failure = try #require(played.report.failures.first)
    #expect(played.report.failures.count == 1)
    let what =
      command == "/bin/true"
      ? "exited with 0 before it connected"
      : "did not connect within 1.5 s (the limit of a launch in ios13, which `time-scale` does not change)"
    #expect(failure.message.contains(what), "\(failure)")
    #expect(failure.place.line == 4)
    #expect(played.leftBehind == 0)
  }

  @Test("A command that does not exist is an error")
  func missing() throws {
    let scenario = try Scenario(parsing: "steps:\n- launch\n", file: "x.yml")
    #expect(throws: HostError.self) {
      try Played(scenario, command: ["/no/such/app"]) { try $0.play() }
    }
  }
}
