// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import Support
import TestThreads
import Testing
import LifetraceTrace

@Suite("Real processes", .serialized, .waits)
struct RealProcessTests {
  private static let lostEdit = """
    app: notes
    steps:
      - launch
      - tell: {edit: "Dear diary, today I lost nothing."}
      - home
      - purge
      - relaunch
    """

  @Test("The buggy app is really suspended and purged with its last edit in memory")
  func losesEdit() throws {
    let played = try Played(Self.lostEdit, app: "notes", arguments: ["--directory", "DIRECTORY"])
    #expect(played.report.failures.isEmpty)
    #expect(played.violations.contains { $0.rule == "DS02" })
    #expect(played.events(.suspend).count == 1)
    #expect(played.exits.first?.cause == "purge")
  }

  @Test("Who asks for a URL is told to the app, at a launch and after it")
  func source() throws {
    let played = try Played(
      """
      apps: {probe: [\(TestProgram.products)/Probe], other: [\(TestProgram.products)/Probe, exits]}
      time-scale: 0.2
      steps:
      - launch: {app: probe, url: "a:1", from: com.example.mail}
      - expect: said launched by com.example.mail
      - expect: said a:1 from com.example.mail
      - launch: other
      - open-url: {app: probe, url: "a:2"}
      - expect: said a:2 from exits
      - open-url: "a:3"
      - expect: said a:3 from nobody
      """
    )
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
  }

  @Test(
    "A process that is started ahead waits before its first callback, and its launch is judged later"
  )
  func prewarm() throws {
    let played = try Played(
      """
      app: probe
      time-scale: 0.2
      steps:
      - prewarm
      - wait: 6s
      - launch
      - expect: state == active
      - terminate
      - prewarm
      - kill
      - prewarm
      - reboot
      - prewarm
      - crash
      - prewarm
      """
    )
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
    #expect(played.leftBehind == 0)
    let streams = played.streams.filter { $0.attributes.app == "probe" }
    #expect(streams.count == 5)
    #expect(played.exits.map(\.cause) == ["system", "user", "reboot", "crash", "harness"])
    let called = streams.filter { $0.events.contains { $0.kind == .callbackBegin } }
    #expect(called.count == 1)
    let first = try #require(streams.first?.events)
    let start = try #require(first.first { $0.kind == .processStart })
    #expect(played.name(start[0]) == "prewarm")
    let launch = try #require(first.first { $0.kind == .transition })
    let launched = try #require(played.report.begins.first { $0.place.line == 6 }).time
    // It waits in `main`, before there is an application object.
    let marks = first.filter { $0.kind == .mark }.map {
      (
        name: played.names[played.names[$0.site].name],
        isAhead: $0.time.rawValue < launched
      )
    }
    #expect(
      marks.map(\.name) == [
        "main entered", "application object created", "delegate created", "user interface loaded",
        "run loop started",
      ]
    )
    #expect(marks.filter(\.isAhead).map(\.name) == ["main entered"])
    #expect(launch.time.rawValue > launched)
    #expect(launch.time - start.time > 1_000_000_000)
    #expect(!played.violations.contains { $0.rule == "DL01" })
  }

  @Test("The trace has the app's own name, and a step that keeps waiting says so")
  func nameAndWait() throws {
    let text = "app: whatever\nsteps:\n- launch\n- wait: 10ms\n- wait: 2100ms\n"
    let scenario = try Scenario(parsing: text, file: "life.yml")
    var said: [String] = []
    let played = try Played(scenario, command: ["\(TestProgram.products)/Probe", "exits"]) { host in
      host.onWait { said.append("\($0.line) \($1)") }
      return try host.play()
    }
    #expect(played.streams.map(\.attributes.app).contains("exits"))
    #expect(said == ["5 waiting for the time to pass, at most 2 s more"])
    // A step that does not say how long is told how to say it, while it waits and when it has waited.
    let open = "app: whatever\nsteps:\n- launch\n- wait: {until: suspended}\n"
    let endless = try Scenario(parsing: "time-scale: 0.1\n" + open, file: "life.yml")
    said = []
    let waited = try Played(endless, command: ["\(TestProgram.products)/Probe", "exits"]) { host in
      host.onWait { said.append("\($0.line) \($1)") }
      return try host.play()
    }
    #expect(
      said == [
        "5 waiting for whatever to be suspended, at most 2 s more; `within: 2s` in the step makes it "
          + "shorter"
      ]
    )
    #expect(
      waited.report.failures.map(\.advice) == ["it was waited for 30s, as the step has no `within`"]
    )
  }

  @Test("Two apps of one program have the names of the scenario")
  func twins() throws {
    let played = try Played("apps: [one, two]\nsteps:\n- launch: one\n- launch: two\n")
    let names = Set(played.streams.map(\.attributes.app))
    #expect(names.isSuperset(of: ["one", "two"]))
    #expect(played.report.failures.isEmpty)
  }

  @Test("The fixed app keeps its edit")
  func keepsEdit() throws {
    let played = try Played(
      Self.lostEdit,
      app: "notes",
      arguments: ["--fixed", "--directory", "DIRECTORY"]
    )
    #expect(played.violations.isEmpty)
    #expect(played.events(.dataDurable).count == 1)
    #expect(played.events(.dataRestored).contains { $0[0] == 1 })
  }
}
