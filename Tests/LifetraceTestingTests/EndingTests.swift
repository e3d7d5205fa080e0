// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceApp
import LifetraceTesting
import ProbeCore
import Testing
import LifetraceTrace

@Suite("How apps end")
@MainActor
struct EndingTests {
  /// Steps that end the app, and what the trace must say of it.
  struct Case: Sendable, CustomTestStringConvertible {
    var steps: String
    var cause: String
    var code: UInt64
    var willTerminate: Bool
    var profile = "ios13"
    var testDescription: String { "\(cause), \(profile): \(steps)" }
  }

  nonisolated static let cases: [Case] = [
    Case(
      steps: "- tell: {for: 12, hang: didEnterBackground}\n- home",
      cause: "watchdog",
      code: 0x8bad_f00d,
      willTerminate: false
    ),
    Case(
      steps: "- tell: {for: 6, hang: didEnterBackground}\n- home",
      cause: "watchdog",
      code: 0x8bad_f00d,
      willTerminate: false,
      profile: "classic"
    ),
    Case(
      steps: "- tell: {for: inf, hang: didEnterBackground}\n- home",
      cause: "watchdog",
      code: 0x8bad_f00d,
      willTerminate: false
    ),
    Case(
      steps: "- tell: {for: -inf, hang: willResignActive}\n- call: begin\n- kill",
      cause: "user",
      code: 0,
      willTerminate: true
    ),
    Case(
      steps: "- tell: {for: 11, hang: willResignActive}\n- call: begin",
      cause: "watchdog",
      code: 0x8bad_f00d,
      willTerminate: false
    ),
    Case(
      steps: "- tell: {for: 6, hang: willTerminate}\n- terminate",
      cause: "watchdog",
      code: 0x8bad_f00d,
      willTerminate: true
    ),
    Case(
      steps: "- tell: {leak: upload}\n- home\n- wait: 31s",
      cause: "watchdog",
      code: 0x2182_bad2,
      willTerminate: false
    ),
    Case(
      steps: "- tell: {completions: never}\n- home\n- wake: fetch\n- wait: 31s",
      cause: "watchdog",
      code: 0x2182_bad4,
      willTerminate: false
    ),
    Case(
      steps: "- tell: {completions: never}\n- home\n- wake: url-session\n- wait: 31s",
      cause: "watchdog",
      code: 0x2182_bad3,
      willTerminate: false
    ),
    Case(
      steps: "- tell: {completions: never}\n- home\n- wake: voip\n- wait: 8s",
      cause: "watchdog",
      code: 0xbaad_ca11,
      willTerminate: false
    ),
    Case(steps: "- home\n- purge", cause: "purge", code: 9, willTerminate: false),
    Case(steps: "- home\n- memory-pressure", cause: "purge", code: 9, willTerminate: false),
    Case(
      steps: "- tell: {task: x}\n- home\n- memory-pressure",
      cause: "system",
      code: 0,
      willTerminate: true
    ),
    Case(steps: "- terminate", cause: "system", code: 0, willTerminate: true),
    Case(
      steps: "- tell: {task: x}\n- home\n- terminate",
      cause: "system",
      code: 0,
      willTerminate: true
    ),
    Case(
      steps: "- home\n- suspend\n- terminate",
      cause: "system",
      code: 0,
      willTerminate: false
    ),
    Case(steps: "- kill", cause: "user", code: 0, willTerminate: true),
    Case(steps: "- kill", cause: "user", code: 9, willTerminate: false, profile: "classic"),
    Case(steps: "- reboot", cause: "reboot", code: 9, willTerminate: false),
    Case(steps: "- crash", cause: "crash", code: 11, willTerminate: false),
  ]

  @Test("Cause, code, and willTerminate where the table says", arguments: cases)
  func ends(_ one: Case) throws {
    let text = "app: probe\nprofile: \(one.profile)\nsteps:\n- launch\n\(one.steps)\n"
    let scenario = try Scenario(parsing: text, file: "end.yml")
    let life = try Simulator(scenario) { ProbeDelegate() }.play()
    let exit = try #require(life.events(.processExit).first)
    #expect(life.names[NameID(rawValue: UInt32(exit[0]))] == one.cause)
    #expect(exit[1] == one.code)
    #expect(life.callbacks().contains("applicationWillTerminate") == one.willTerminate)
  }

  @Test("A task's handler is called before the kill, and saves the app")
  func expires() throws {
    let text = "app: probe\nsteps:\n- launch\n- tell: {task: upload}\n- home\n- wait: 40s\n"
    let scenario = try Scenario(parsing: text, file: "expire.yml")
    let simulator = Simulator(scenario) { ProbeDelegate() }
    let life = try simulator.play()
    let expired = try #require(life.events(.taskExpire).first)
    let began = try #require(life.events(.taskBegin).first)
    #expect((expired.time - began.time) / 1_000_000_000 == 26)
    #expect(simulator.state() == .suspended)
  }

  @Test("An app without a background ends where others are suspended")
  func exitsOnSuspend() throws {
    let scenario = try Scenario(parsing: "app: probe\nsteps:\n- launch\n- home\n", file: "x.yml")
    var configuration = Application.Configuration(bundleIdentifier: "probe")
    configuration.exitsOnSuspend = true
    let life = try Simulator(scenario, configuration: configuration) { ProbeDelegate() }.play()
    #expect(
      life.callbacks().suffix(2) == ["applicationWillResignActive", "applicationWillTerminate"]
    )
    #expect(life.events(.suspend).isEmpty)
  }

  @Test("Memory pressure takes the largest suspended app first")
  func largestFirst() throws {
    let text = """
      apps: [small, large, front]
      steps:
      - launch: small
      - launch: large
      - launch: front
      - wait: 1s
      - memory-pressure
      """
    let scenario = try Scenario(parsing: text, file: "pressure.yml")
    let simulator = Simulator(scenario) { ProbeDelegate() }
    simulator.setFootprint(10 << 20, ofApp: 0)
    simulator.setFootprint(90 << 20, ofApp: 1)
    let life = try simulator.play()
    let purged = life.streams.filter { $0.events.contains { $0.kind == .purge } }
    #expect(purged.map(\.attributes.app) == ["large"])
  }

  @Test("Without an app in the background, memory pressure is a warning")
  func warned() throws {
    let text = "app: probe\nsteps:\n- launch\n- memory-pressure\n"
    let scenario = try Scenario(parsing: text, file: "pressure.yml")
    let life = try Simulator(scenario) { ProbeDelegate() }.play()
    #expect(life.callbacks().last == "applicationDidReceiveMemoryWarning")
    #expect(life.events(.purge).isEmpty)
  }

  @Test("A disk in virtual time: the ledger tells the loss, the trace that nothing is really lost")
  func simulatedDisk() throws {
    let text = "app: probe\ndisk: 8MiB\nsuspend-by: freezer\nsteps:\n- launch\n- reboot\n"
    let scenario = try Scenario(parsing: text, file: "disk.yml")
    let life = try Simulator(scenario) { ProbeDelegate() }.play()
    let devices = life.events(.device).map { life.names[$0.identityName] }
    #expect(devices.contains("disk") && devices.contains("reboot"))
  }

  @Test("UI state is kept over a purge, and thrown away by the user's kill")
  func preserved() throws {
    func restores(_ end: String) throws -> Bool {
      let text =
        "app: probe\nsteps:\n- launch\n- tell: {preserve: \"yes\"}\n- home\n- \(end)\n- relaunch\n"
      let scenario = try Scenario(parsing: text, file: "keep.yml")
      let life = try Simulator(scenario) { ProbeDelegate() }.play()
      return life.callbacks().contains("application:didDecodeRestorableStateWithCoder:")
    }
    #expect(try restores("purge"))
    #expect(try !restores("kill"))
  }
}
