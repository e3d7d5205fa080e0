// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceScenario
import LifetraceLifecycle
import Support
import TestThreads
import Testing
import LifetraceTrace

@Suite(
  "The freezer",
  .serialized,
  .waits,
  .needs(Machine.cgroups != nil, Machine.cgroupsAdvice)
)
struct FreezerTests {
  /// Where a process of the test stands still, by its cgroup; nil when it is in none of ours.
  static func isFrozen(_ pid: Int32) -> Bool? {
    guard let path = cgroup(of: pid) else { return nil }
    let events = TestProgram.shell("cat '\(path)/cgroup.events'").said
    return events.split(separator: "\n").contains("frozen 1")
  }

  /// The directory of the cgroup that the host has made for it.
  static func cgroup(of pid: Int32) -> String? {
    guard let mount = Machine.cgroups, let groups = Golden.proc("\(pid)/cgroup") else { return nil }
    let own = groups.split(separator: "\n").first { $0.hasPrefix("0::") }?.dropFirst(3)
    guard let own, own.contains("/lifetrace-") else { return nil }
    return mount + own
  }

  @Test("An app stands still with all that it has forked, and no signal wakes it")
  func frozen() throws {
    let text = """
      app: probe
      suspend-by: freezer
      steps:
      - launch
      - tell: {fork: child}
      - home
      - suspend
      - open
      """
    let scenario = try Scenario(parsing: text, file: "freezer.yml")
    var group = ""
    let played = try Played(
      scenario,
      command: ["\(TestProgram.products)/Probe"],
      profile: Played.patient(scenario)
    ) { host in
      defer { host.close() }
      #expect(host.notices.isEmpty)
      for step in scenario.steps.prefix(4) { try host.play(step) }
      let all = KilledHostTests.marked("LIFETRACE_SESSION=\(host.session)")
      #expect(all.map(\.command).sorted() == ["Probe", "sleep"])
      #expect(all.allSatisfy { Self.isFrozen($0.pid) == true })
      let app = try #require(all.first { $0.command == "Probe" }?.pid)
      group = try #require(Self.cgroup(of: app))
      // A signal that would wake a stopped process.
      kill(app, SIGCONT)
      #expect(Self.isFrozen(app) == true)
      #expect(host.state() == .suspended)
      try host.play(scenario.steps[4])
      #expect(host.state() == .active)
      #expect(all.allSatisfy { Self.isFrozen($0.pid) == false })
      // The end of the app takes the child along.
      for step in try Scenario(parsing: "app: probe\nsteps: [home, suspend, purge]", file: "").steps
      {
        try host.play(step)
      }
      let gone = KilledHostTests.until {
        KilledHostTests.marked("LIFETRACE_SESSION=\(host.session)").isEmpty ? true : nil
      }
      #expect(gone == true)
      return ScenarioReport()
    }
    #expect(played.events(.suspend).allSatisfy { played.name($0[0]) == "cgroup.freeze" })
    #expect(played.events(.resume).allSatisfy { played.name($0[1]) == "cgroup.freeze" })
    #expect(played.events(.suspend).count == 2)
    #expect(played.exits.first?.cause == "purge")
    #expect(!group.isEmpty && access(group, F_OK) != 0, "\(group) is still there")
  }

  @Test("Without the key it is SIGSTOP, and no cgroup is made")
  func signal() throws {
    let text = "app: probe\nsteps: [launch, home, suspend, open]"
    let scenario = try Scenario(parsing: text, file: "signal.yml")
    let played = try Played(scenario, command: ["\(TestProgram.products)/Probe"]) { host in
      defer { host.close() }
      for step in scenario.steps { try host.play(step) }
      let all = KilledHostTests.marked("LIFETRACE_SESSION=\(host.session)")
      #expect(all.count == 1 && all.allSatisfy { Self.cgroup(of: $0.pid) == nil })
      return ScenarioReport()
    }
    #expect(played.events(.suspend).map { played.name($0[0]) } == ["SIGSTOP"])
  }
}
