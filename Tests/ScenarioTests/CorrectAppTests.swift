// SPDX-License-Identifier: Apache-2.0
import CorrectApps
import LifetraceScenario
import LifetraceLifecycle
import LifetraceRules
import LifetraceTesting
import NotesCore
import Support
import TestThreads
import Testing
import LifetraceTrace

/// Something that was found though the app makes no mistake, as a failed expectation prints it.
private struct Finding: CustomStringConvertible {
  var description: String

  /// What is said against the app.
  static func complaints(_ verdicts: [Verdict]) -> [Finding] {
    verdicts.filter { $0.outcome == .violated && $0.severity > .info }.map {
      Finding(description: $0.description)
    }
  }

  /// What only a mistake of the app leads to: the system's kill, a crash, or that it went by itself.
  static func ends(_ causes: [String]) -> [Finding] {
    let innocent: [TerminationCause] = [.system, .user, .purge, .exitsOnSuspend, .reboot]
    let words = innocent.map(\.rawValue) + [HarnessEnd.scenarioOver]
    return causes.filter { !words.contains($0) }.map { Finding(description: "ended by \($0)") }
  }

  /// What could have been decided: only lengths of time are unclear where time is scaled, and whether
  /// a task that is open at the end of a life would have been ended.
  static func doubts(_ verdicts: [Verdict]) -> [Finding] {
    verdicts.compactMap { verdict in
      guard case .undecidable(let reason) = verdict.outcome else { return nil }
      let isOfTime = ["DL", "MT", "BT01"].contains { verdict.rule.hasPrefix($0) }
      guard !isOfTime else { return nil }
      return Finding(description: "\(verdict.rule) undecidable: \(verdict.title): \(reason)")
    }
  }
}

/// A scenario of correct apps, and where they keep their files.
private struct Story {
  /// Each app's own, and one that some of them share.
  static let all = CorrectApp.allCases.map(\.rawValue) + ["together"]
  /// Of apps that keep something, to be started anew on what another recording has left.
  static let kept = ["ledger", "meter", "together"]

  var scenario: Scenario
  let home: Home

  init(_ name: String, in folder: TestFolder) throws {
    let path = "Tests/Fixtures/CorrectApps/Scenarios/\(name).yml"
    let text = try #require(Golden.text(path)).replacing("HOME", with: folder.path)
    scenario = try Scenario(parsing: text, file: path)
    home = Home(directory: folder.path, program: "\(TestProgram.products)/CorrectApp")
  }

  var apps: [CorrectApp] {
    get throws { try scenario.apps.map { try #require(CorrectApp(rawValue: $0.name)) } }
  }
}

@Suite("Correct apps as processes", .serialized, .waits)
struct CorrectAppTests {
  /// Limits that only their own rule has, so that it must not take another for them at any time scale.
  private static let decided = ["photos": "DL09"]

  @Test("Nothing is said against them, and none is killed", arguments: Story.all)
  func silent(_ name: String) throws {
    let played = try play(name, in: try TestFolder())
    let rule = Self.decided[name]
    // The device is no app: to it none of them applies.
    let verdicts = played.verdicts().filter { $0.rule == rule && $0.outcome != .vacuous }
    #expect(
      verdicts.allSatisfy { $0.outcome == .held },
      "\(verdicts.map { "\($0.outcome): \($0.title)" })"
    )
    #expect(verdicts.isEmpty == (rule == nil))
  }

  @Test(
    "No task's time is up in a background mode that lasts, nor where each wake begins it anew",
    arguments: ["podcast", "newsroom"]
  )
  func hasTime(_ name: String) throws {
    let played = try play(name, in: try TestFolder())
    let granted = played.events(.taskBegin).map { $0[1] }
    #expect(!granted.isEmpty)
    #expect(played.events(.taskExpire).isEmpty)
    guard name == "podcast" else { return }
    #expect(granted.allSatisfy { $0 == UInt64(OpenTask.grantedWithoutLimit) }, "\(granted)")
  }

  @Test("Nor in a second recording in the same folder", arguments: Story.kept)
  func again(_ name: String) throws {
    let folder = try TestFolder()
    for _ in 1...2 { try play(name, in: folder) }
  }

  @Test("Nor the sample app, whose user types again what another recording has left")
  func notes() throws {
    let folder = try TestFolder()
    let path = "Sources/Examples/Notes/lost-edit.yml"
    var scenario = try Scenario(parsing: try #require(Golden.text(path)), file: path)
    let program = "\(TestProgram.products)/notes"
    scenario.apps[0].command = [program, "--fixed", "--directory", folder.path]
    for _ in 1...2 { try play(scenario) }
  }

  @Test("SQLite itself: a connection in WAL mode stays open over suspensions")
  func sqlite() throws {
    let folder = try TestFolder()
    let text = """
      app: ledger
      app-group: \(folder.path)
      time-scale: 0.2
      steps:
      - launch
      - tell: {spend: 12}
      - home
      - suspend
      - expect: state == suspended
      - open
      - tell: {spend: 5}
      - wait: {after: spent 17}
      - home
      - suspend
      - expect: state == suspended
      - purge
      - relaunch
      - expect: said holds 17
      """
    var scenario = try Scenario(parsing: text, file: "ledger-sqlite.yml")
    let program = Golden.root + "/Tests/ScenarioTests/Fixtures/ledger.py"
    scenario.apps[0].command = ["python3", program, folder.path]
    try play(scenario)
  }

  @discardableResult
  private func play(_ name: String, in folder: TestFolder) throws -> Played {
    var story = try Story(name, in: folder)
    for index in story.scenario.apps.indices {
      let app = story.scenario.apps[index].name
      story.scenario.apps[index].command = [story.home.program, app, story.home.directory]
    }
    return try play(story.scenario)
  }

  @discardableResult
  private func play(_ scenario: Scenario) throws -> Played {
    let played = try Played(scenario, command: [], profile: Played.patient(scenario)) {
      try $0.play()
    }
    let verdicts = played.verdicts(Self.unhurried(scenario))
    let lives = played.streams.filter { $0.attributes.role == .app }
    let ends = lives.flatMap { $0.events.filter { $0.kind == .processExit } }
    #expect(played.report.failures.isEmpty)
    #expect(Finding.complaints(verdicts).isEmpty)
    #expect(Finding.ends(ends.map { played.name($0[0]) }).isEmpty)
    #expect(Finding.doubts(verdicts).isEmpty)
    #expect(played.leftBehind == 0)
    return played
  }

  /// The scenario's profile, with more time for what is judged by real fractions of a second.
  ///
  /// A machine with other things to do stops a thread for as long. Virtual time has the true limits.
  private static func unhurried(_ scenario: Scenario) -> Profile {
    var profile = Profile.named(scenario.profile ?? "") ?? .standard
    profile.hang.hang *= 8
    profile.hang.severe *= 8
    profile.mainFile = Profile.Limit(2)
    profile.mainCompute = Profile.Limit(2)
    return profile
  }
}

@Suite("Correct apps in virtual time")
@MainActor
struct CorrectAppSimulationTests {
  @Test("Nothing is said against them, and none is killed", arguments: Story.all)
  func silent(_ name: String) throws {
    try play(name, in: try TestFolder())
  }

  @Test("Nor in a second simulation in the same folder", arguments: Story.kept)
  func again(_ name: String) throws {
    let folder = try TestFolder()
    for _ in 1...2 { try play(name, in: folder) }
  }

  @Test("Nor the sample app, whose user types again what another simulation has left")
  func notes() throws {
    let folder = try TestFolder()
    let path = "Sources/Examples/Notes/lost-edit.yml"
    let scenario = try Scenario(parsing: try #require(Golden.text(path)), file: path)
    var options = NotesDelegate.Options()
    options.fixed = true
    options.directory = folder.path
    for _ in 1...2 {
      try play(Simulator(scenario) { [options] in NotesDelegate(options: options) })
    }
  }

  private func play(_ name: String, in folder: TestFolder) throws {
    let story = try Story(name, in: folder)
    let home = story.home
    try play(
      Simulator(
        story.scenario,
        apps: try story.apps.map { app in
          (app.configuration, { @MainActor @Sendable in app.delegate(in: home) })
        }
      )
    )
  }

  private func play(_ simulator: Simulator) throws {
    let life = try simulator.play()
    let ends = life.streams.flatMap { $0.events.filter { $0.kind == .processExit } }
    let causes = ends.map { life.names[NameID(rawValue: UInt32($0[0]))] }
    #expect(life.report.failures.isEmpty)
    #expect(Finding.complaints(life.verdicts).isEmpty)
    #expect(Finding.ends(causes).isEmpty)
  }
}
