// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceJudging
import CLifetracePlatform
import Glibc
import LifetraceScenario
import LifetraceLifecycle
import LifetraceProcessWorld
import LifetraceRecorder
import LifetraceRules
import Support
import LifetraceTrace
import LifetraceTraceFile

/// A scenario that was played with real processes, and the recording of it.
final class Played {
  struct Stream {
    var writer: WriterID
    var attributes: WriterAttributes
    var events: [Event]
  }

  let directory: String
  /// Names the session, and so every process that belonged to it.
  private(set) var session = ""
  private(set) var names = Names()
  private(set) var streams: [Stream] = []
  private(set) var report = ScenarioReport()
  private(set) var summary = RecordingSummary()

  /// Plays `text` with `app` of the build products, and reads the trace back.
  convenience init(_ text: String, app: String = "Probe", arguments: [String] = []) throws {
    let scenario = try Scenario(parsing: text, file: "test.yml")
    let command = ["\(TestProgram.products)/\(app)"] + arguments
    try self.init(scenario, command: command, profile: Self.patient(scenario)) {
      try $0.play()
    }
  }

  /// Plays `text` with the probe, whose stdout is recorded too.
  convenience init(capturing text: String) throws {
    let scenario = try Scenario(parsing: text, file: "test.yml")
    let command = ["\(TestProgram.products)/Probe"]
    try self.init(scenario, command: command, profile: Self.patient(scenario), capturing: true) {
      try $0.play()
    }
  }

  /// The scenario's profile, with all the time in the world to come up and to answer.
  ///
  /// Scaled, limits would be shorter than what a loaded machine needs. A limit that an app misses on
  /// purpose is at least two seconds of real time.
  static func patient(_ scenario: Scenario) -> Profile {
    var profile = Profile.named(scenario.profileName) ?? .standard
    profile.launch.kill = Int64(60e9 / scenario.timeScale)
    let missed = scenario.steps.missedLimits
    for limit in [\Profile.transition, \.enterBackground, \.terminate] {
      let seconds = missed.contains(limit) ? 2e9 : 60e9
      profile[keyPath: limit].kill = max(
        profile[keyPath: limit].kill,
        Int64(seconds / scenario.timeScale)
      )
    }
    // Their budgets are both for the callback and for the completion.
    for limit in [\Profile.wakeHandler, \.bluetoothWake, \.voipReport]
    where !missed.contains(\.wakeHandler) {
      profile[keyPath: limit].kill = Int64(60e9 / scenario.timeScale)
    }
    return profile
  }

  /// Plays by hand: `body` drives the host.
  init(
    _ scenario: Scenario,
    command: [String],
    profile: Profile? = nil,
    capturing: Bool = false,
    observing patterns: [String]? = nil,
    _ body: (ScenarioHost) throws -> ScenarioReport
  ) throws {
    let directory = Self.scratch()
    self.directory = directory
    let command = command.map { $0 == "DIRECTORY" ? directory : $0 }
    let path = directory + "/run.lifetrace"
    var options = RecorderOptions(output: path)
    if let patterns {
      var observation = Observation(library: "\(TestProgram.products)/\(Observation.libraryName)")
      observation.patterns = patterns
      options.observation = observation
    }
    ScenarioHost.prepare(&options, for: scenario)
    let recorder = try Recorder(options)
    try recorder.start()
    session = recorder.sessionDirectory
    do {
      let host = try ScenarioHost(
        scenario: scenario,
        command: command,
        recorder: recorder,
        profile: profile,
        capturesOutput: capturing
      )
      report = try body(host)
    } catch {
      _ = try? recorder.stop()
      throw error
    }
    summary = try recorder.stop()
    try read(path)
  }

  deinit { Self.remove(directory) }

  /// A directory for a trace and for what the sample app keeps.
  static func scratch() -> String {
    var template = Array("\(TestProgram.temporary)/lifetrace-host-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { return "/nowhere" }
    return String(cString: made)
  }

  static func remove(_ directory: String) {
    cplatform_remove_tree(directory)
  }

  private func read(_ path: String) throws {
    let reader = try TraceReader(path: path)
    for stream in reader.streams {
      var events: [Event] = []
      for chunk in stream.chunks { events += try reader.decode(chunk).events }
      streams.append(Stream(writer: stream.writer, attributes: stream.attributes, events: events))
    }
    names = reader.names
  }

  /// Processes of the session that are still there; they are killed.
  var leftBehind: Int32 { cplatform_kill_marked("LIFETRACE_SESSION=\(session)") }

  func name(_ id: UInt64) -> String { names[NameID(rawValue: UInt32(truncatingIfNeeded: id))] }

  func events(_ kind: EventKind) -> [Event] {
    streams.flatMap { $0.events.filter { $0.kind == kind } }
  }

  /// All callbacks, in order of time.
  var heard: [Heard] {
    events(.callbackBegin).map { Heard(time: $0.time.rawValue, name: names[names[$0.site].name]) }
      .sorted { $0.time < $1.time }
  }

  var callbacks: [String] { heard.compactMap { shortName($0.name) } }

  /// The causes and codes of the ends of apps, in order of time.
  var exits: [(cause: String, code: UInt64)] {
    events(.processExit).sorted { $0.time < $1.time }.map { (name($0[0]), $0[1]) }
  }

  var violations: [Verdict] {
    verdicts().filter { $0.outcome == .violated && $0.severity == .error }
  }

  /// What every rule says, by `profile` or by the one that the recording names.
  func verdicts(_ profile: Profile? = nil) -> [Verdict] {
    Judgement(profile: profile).checker(of: Self.source(streams, names)).finish()
  }

  /// The streams as they are judged.
  static func source(_ streams: [Stream], _ names: Names) -> MemorySource {
    MemorySource(
      streams.map {
        MemorySource.Writer(id: $0.writer, attributes: $0.attributes, events: $0.events)
      },
      names: names
    )
  }
}

struct HostTestError: Error {
  var text: String
  init(_ text: String) { self.text = text }
}

extension [Scenario.Step] {
  /// The limits that apps are told to miss.
  var missedLimits: Set<WritableKeyPath<Profile, Profile.Limit>> {
    reduce(into: []) { limits, step in
      limits.formUnion(step.steps.missedLimits)
      for argument in step.arguments where step.name == .tell {
        switch (argument.name, argument.value) {
        case ("hang", "didEnterBackground"): limits.insert(\.enterBackground)
        case ("hang", "willTerminate"): limits.insert(\.terminate)
        case ("hang", _), ("spin-in", _): limits.insert(\.transition)
        case ("stop", _), ("flood", _): limits.formUnion([\.transition, \.enterBackground])
        case ("completions", _): limits.insert(\.wakeHandler)
        default: break
        }
      }
    }
  }
}
