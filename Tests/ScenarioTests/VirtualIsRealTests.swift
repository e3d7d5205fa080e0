// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceScenario
import LifetraceLifecycle
import LifetraceTesting
import NotesCore
import ProbeCore
import Support
import TestThreads
import Testing
import LifetraceTrace

/// The same scenario in virtual time and for real processes: the same states, callbacks and ends.
@Suite("Virtual is real", .waits)
struct VirtualIsRealTests {
  @Test("Every scenario file", arguments: VirtualIsReal.files)
  func file(_ path: String) async throws { try await VirtualIsReal.compare(file: path) }

  @Test("Random ones", arguments: VirtualIsReal.randomOnes)
  func random(_ random: RandomScenario) async throws {
    var scenario = try Scenario(
      parsing: random.text(timeScale: VirtualIsReal.timeScale),
      file: "random-\(random.seed).yml"
    )
    // How a suspended process is stopped makes no difference to its life.
    scenario.suspendBy = random.seed % 2 == 0 ? .freezer : .signal
    try await VirtualIsReal.compare(scenario, app: "probe")
  }
}

/// Plays a scenario in both worlds.
enum VirtualIsReal {
  static let timeScale = 0.05
  /// Scenarios in which an app has to act, or fail to, within little time.
  static let narrow = [
    "Traces/host-deadline-background", "Traces/host-deadline-transition",
    "Traces/host-task-expires", "Traces/host-wake-renews",
  ]

  /// As many random scenarios as the test scale says.
  static let randomOnes: [RandomScenario] = {
    let scale = getenv("LIFETRACE_TEST_SCALE").flatMap { UInt64(String(cString: $0)) } ?? 1
    return (1...6 * scale).map { RandomScenario(seed: $0, steps: 24) }
  }()

  static let files =
    Golden.stories(with: "scenario.yml").map { $0 + "/scenario.yml" }
    + ["Sources/Examples/Notes/lost-edit.yml", "Sources/Examples/Notes/power-cut.yml"]

  static func compare(file path: String) async throws {
    let group = Played.scratch()
    defer { Played.remove(group) }
    let text = try #require(Golden.text(path)).replacing("GROUP", with: group)
    let scenario = try Scenario(parsing: text, file: path)
    #expect(scenario.apps.count == 1)
    try await compare(scenario, app: scenario.apps[0].name)
  }

  static func compare(_ scenario: Scenario, app: String) async throws {
    var scenario = scenario
    let directory = Played.scratch()
    defer { Played.remove(directory) }
    let virtual = try await Self.virtual(scenario, app: app, directory)

    let isNarrow = Self.narrow.contains { scenario.file.hasPrefix($0) }
    scenario.timeScale = isNarrow ? 0.25 : Self.timeScale
    let command =
      ProbeApp(rawValue: app).map { ["\(TestProgram.products)/Probe", $0.rawValue] }
      ?? ["\(TestProgram.products)/notes", "--directory", "DIRECTORY"]
    let profile = Played.patient(scenario)
    let played = try Played(scenario, command: command, profile: profile) { try $0.play() }
    #expect(played.leftBehind == 0)

    let lives = Self.lives(
      scenario,
      played.streams.map { ($0.attributes, $0.events) },
      played.names
    )
    // What the scenario left alive, the host has ended.
    let real = lives.mapValues { $0.last == "exit harness 0x9" ? Array($0.dropLast()) : $0 }
    #expect(!virtual.lives.isEmpty)
    for app in scenario.apps.map(\.name) {
      let (wanted, found) = (virtual.lives[app] ?? [], real[app] ?? [])
      if let place = Self.difference(wanted, found) {
        let before = wanted[max(0, place - 6)..<min(place, wanted.count)]
        Issue.record(
          """
          \(scenario.file): \(app) differs at \(place) of \(wanted.count), after \(before)
            virtual: \(place < wanted.count ? wanted[place] : "nothing")
            real:    \(place < found.count ? found[place] : "nothing")
          """
        )
      }
    }
    #expect(played.report.failures == virtual.failures)
  }

  @MainActor
  private static func virtual(_ scenario: Scenario, app: String, _ directory: String) throws -> (
    lives: [String: [String]], failures: [ScenarioProblem]
  ) {
    let simulator: Simulator
    if let probe = ProbeApp(rawValue: app) {
      simulator = Simulator(scenario, configuration: probe.configuration) { probe.delegate() }
    } else {
      var options = NotesDelegate.Options()
      options.directory = directory
      simulator = Simulator(scenario) { [options] in NotesDelegate(options: options) }
    }
    let life = try simulator.play()
    let lives = lives(scenario, life.streams.map { ($0.attributes, $0.events) }, life.names)
    return (lives, life.report.failures)
  }

  /// States, callbacks and ends of each app, over its incarnations.
  private static func lives(
    _ scenario: Scenario,
    _ streams: [(attributes: WriterAttributes, events: [Event])],
    _ names: Names
  ) -> [String: [String]] {
    var lives: [String: [String]] = [:]
    let known = Set(scenario.apps.map(\.name))
    for stream in streams.sorted(by: { $0.attributes.started < $1.attributes.started })
    where known.contains(stream.attributes.app) {
      lives[stream.attributes.app, default: []] += stream.events.compactMap { line($0, names) }
    }
    return lives
  }

  private static func line(_ event: Event, _ names: Names) -> String? {
    func word(_ index: Int) -> String { names[NameID(rawValue: UInt32(event[index]))] }
    switch event.kind {
    case .transition:
      return "state \(AppState(rawValue: UInt8(event[1]))?.word ?? "?") by \(word(2))"
    case .suspend: return "suspend"
    case .resume: return "resume for \(word(0))"
    case .purge: return "purge"
    case .processExit: return "exit \(word(0)) 0x\(String(event[1], radix: 16))"
    case .callbackBegin: return names[names[event.site].name]
    case .notificationDelivered: return "\(names[event.identityName]) \(word(0)) \(word(1))"
    default: return nil
    }
  }

  private static func difference(_ left: [String], _ right: [String]) -> Int? {
    guard left != right else { return nil }
    return zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }?.offset
      ?? min(left.count, right.count)
  }
}
