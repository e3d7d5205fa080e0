// SPDX-License-Identifier: Apache-2.0
import Host
import Support
import Testing
import Trace

@Suite("Real processes", .serialized)
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
    #expect(launch.time - start.time > 1_000_000_000)
    #expect(!played.violations.contains { $0.rule == "DL01" })
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
