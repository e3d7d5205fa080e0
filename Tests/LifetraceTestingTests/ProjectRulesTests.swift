// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceScenario
import LifetraceTesting
import NotesCore
import Support
import Testing

/// A unit test is judged by the `lifetrace.yml` of its package, as `lifetrace check` judges there.
@Suite("The project of a test")
@MainActor
struct ProjectRulesTests {
  /// A package with tests in a folder of their own, and a configuration at its root.
  private struct Package {
    let folder: TestFolder
    var test: String { "\(folder.path)/Tests/NotesTests/LifeTests.swift" }

    init(_ configuration: String?) throws {
      folder = try TestFolder()
      try folder.write("// swift-tools-version: 6.2\n", to: "Package.swift")
      mkdir("\(folder.path)/Tests", 0o755)
      mkdir("\(folder.path)/Tests/NotesTests", 0o755)
      if let configuration { try folder.write(configuration, to: "lifetrace.yml") }
    }
  }

  /// An app that loses its edit: DS01 at the suspension, DS02 at the purge.
  private func life(
    _ configuration: String?,
    profile: String? = nil,
    steps: String = "[launch, {tell: {edit: hello}}, home, suspend, purge]"
  ) throws -> SimulatedLife {
    let package = try Package(configuration)
    var options = NotesDelegate.Options()
    options.directory = package.folder.path
    let head = profile.map { "profile: \($0)\n" } ?? ""
    let scenario = try Scenario(
      parsing: "\(head)app: notes\nsteps: \(steps)\n",
      file: "life.yml"
    )
    return try Simulator(scenario, file: package.test) { [options] in
      NotesDelegate(options: options)
    }
    .play()
  }

  private func rules(_ life: SimulatedLife) -> [String] { life.violations.map(\.rule) }

  @Test func withoutAFileEveryRuleIsJudged() throws {
    #expect(try rules(life(nil)) == ["DS01", "DS02"])
  }

  @Test func whatIsOffIsNotJudged() throws {
    #expect(try rules(life("off: {DS01: our tests purge at once}\n")) == ["DS02"])
  }

  @Test func whatIsSuppressedDoesNotCount() throws {
    let reason = "reason: made anew"
    let held = try life("suppress: [{rule: DS02, object: draft.txt, \(reason)}]\n")
    #expect(rules(held) == ["DS01"])
    #expect(held.verdicts.contains { $0.rule == "DS02" && $0.outcome == .violated })
    #expect(
      try rules(life("suppress: [{rule: DS02, \(reason), until: 2020-01-31}]\n")) == [
        "DS01", "DS02",
      ]
    )
    #expect(
      try rules(life("suppress: [{object: other.txt, \(reason)}]\n")) == ["DS01", "DS02"]
    )
  }

  @Test func rulesOfTheProjectAreJudged() throws {
    let own = """
      rules:
        APP01:
          never: {event: data.dirty}
      """
    #expect(try rules(life(own)).contains("APP01"))
  }

  /// The scenario's own profile is over that of the file, with its thresholds.
  @Test func deadlinesAreThoseOfTheProject() throws {
    let strict = "profile: ios17\nthresholds: {checkpoint: 1}\n"
    let steps = "[launch, {tell: {edit: one}}, {wait: 3s}, {tell: {edit: two}}, home, suspend]"
    for profile in [nil, "ios7"] {
      let judged = try life(strict, profile: profile, steps: steps)
      #expect(judged.streams[0].attributes.profile == profile ?? "ios17")
    }
  }

  @Test func aMistakeInTheFileFailsTheTest() throws {
    let package = try Package("profile: ios17\nthresholds: {checkpiont: 1}\noff: {XX99: no}\n")
    let scenario = try Scenario(parsing: "app: notes\nsteps: [launch]\n", file: "life.yml")
    let simulator = Simulator(scenario, file: package.test) { NotesDelegate(options: .init()) }
    let error = #expect(throws: HostError.self) { try simulator.play() }
    let text = error?.description ?? ""
    #expect(
      text.contains("\(package.folder.path)/lifetrace.yml:2:14: there is no threshold `checkpiont`")
    )
    #expect(text.contains("lifetrace.yml:3:"), "\(text)")
    #expect(throws: HostError.self) {
      try explore(scenario, file: package.test) { NotesDelegate(options: .init()) }
    }
  }

  /// Above the root of the package nothing is looked for.
  @Test func theFileOfAnotherPackageIsNotRead() throws {
    let outer = try TestFolder()
    try outer.write("profile: none\n", to: "lifetrace.yml")
    mkdir("\(outer.path)/inner", 0o755)
    try outer.write("// swift-tools-version: 6.2\n", to: "inner/Package.swift")
    let scenario = try Scenario(parsing: "app: notes\nsteps: [launch]\n", file: "life.yml")
    let simulator = Simulator(scenario, file: "\(outer.path)/inner/Test.swift") {
      NotesDelegate(options: .init())
    }
    #expect(throws: Never.self) { try simulator.play() }
  }
}
