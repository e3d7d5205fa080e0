// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
package import LifetraceScenario
package import LifetraceLifecycle
package import LifetraceRecorder
package import LifetraceTrace

/// Plays a scenario for real processes while a recorder records them.
///
///     var options = RecorderOptions(output: "run.lifetrace")
///     ScenarioHost.prepare(&options, for: scenario)
///     let recorder = try Recorder(options)
///     try recorder.start()
///     let host = try ScenarioHost(scenario: scenario, command: ["./notes"], recorder: recorder)
///     let report = try host.play()
///
/// Apps are the recorder's children and die with it. Between the steps they
/// live by themselves; the host answers to their deadlines all the time.
package final class ScenarioHost {
  private let director: Director<ProcessWorld>

  /// Sets what a recording of the scenario needs: its profile if it names one, its time scale, how
  /// apps are suspended, and that they do not outlive it.
  package static func prepare(_ options: inout RecorderOptions, for scenario: Scenario) {
    if scenario.profile != nil || options.profile.isEmpty { options.profile = scenario.profileName }
    options.timeScale = scenario.timeScalePermille
    options.launchedDieWithRecorder = true
    options.suspendsByFreezer = scenario.suspendBy == .freezer
    // An end may be behind one of its calls.
    if scenario.steps.contains(where: { ScriptedEnd($0) != nil }) {
      options.observation?.tellsCalls = true
    }
    if let group = scenario.appGroup {
      options.observation?.folders.append(Observation.Folder(absolute(group), container: group))
    }
  }

  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
    defer { free(here) }
    return path == "." ? String(cString: here) : String(cString: here) + "/" + path
  }

  /// The bytes of the scenario, where they are too many to stand in the recording.
  package let scenarioLeftOut: UInt64?

  /// A host for the apps of the scenario; `command` starts those that have none of their own.
  ///
  /// What they print to stderr is recorded, with `capturesOutput` what they print to stdout too.
  package init(
    scenario: Scenario,
    command: [String],
    recorder: Recorder,
    profile: Profile? = nil,
    capturesOutput: Bool = false
  ) throws(HostError) {
    var commands: [[String]] = []
    for app in scenario.apps {
      let own = app.command.isEmpty ? command : app.command
      guard !own.isEmpty else {
        throw HostError("no command starts `\(app.name)`: give one behind `--`, or under `apps`")
      }
      commands.append(own)
    }
    let profile = profile ?? Profile.named(scenario.profileName) ?? .standard
    var played = scenario
    // What is played again must not depend on what a project says then.
    if played.profile == nil, Profile.named(profile.name) != nil { played.profile = profile.name }
    var kept = KeptScenario(played, commands: commands)
    kept.folder = Self.absolute(".")
    kept.programs = ProgramPrint.programs(of: commands)
    kept.observes = recorder.options.observation != nil
    kept.capturesOutput = capturesOutput
    scenarioLeftOut = kept.text.isEmpty ? kept.bytes : nil
    recorder.record(kept.event, about: recorder.deviceWriter)
    let world = try ProcessWorld(
      scenario: scenario,
      commands: commands,
      recorder: recorder,
      profile: profile,
      capturesOutput: capturesOutput
    )
    director = Director(scenario: scenario, profile: profile, world: world)
  }

  /// Has the apps print to that descriptor what they print to stdout, where it is not recorded.
  ///
  /// It stays the caller's, and open while the scenario is played.
  package func sendOutput(to descriptor: Int32) { director.world.appOutput = descriptor }

  /// Calls `block` at a step that keeps waiting for seconds, with its place and what it waits for.
  package func onWait(_ block: @escaping (ScenarioPlace, String) -> Void) {
    director.onWait = block
  }

  /// Calls `block` when the system kills an app for what it did, or an app's line is no message or no answer.
  package func onNotice(_ block: @escaping (ScenarioPlace, String) -> Void) {
    director.onNotice = block
  }

  /// What the scenario asks for and this machine does not permit, a sentence each.
  package var notices: [String] { director.world.notices }

  /// Why the disk of the scenario is a plain directory here; nil where it is one, or has none.
  package var whyPlainDisk: String? { director.world.deviceDisk?.whyPlain }

  /// Looks at the files that apps leave before each launch, and at the end.
  package func lookAtFiles() { director.looksAtFiles = true }

  /// When it is to end before the last step of the scenario; nil for never.
  package var limit: PlayLimit? {
    get { director.limit }
    set { director.limit = newValue }
  }

  /// Plays all steps; whatever happens, nothing that was launched is left behind.
  package func play() throws(HostError) -> ScenarioReport {
    defer { close() }
    return try director.play()
  }

  /// Plays all steps, and reads the files that each app has kept as data then: those that a glob of
  /// `patterns` names.
  package func play(reading patterns: [String]) throws(HostError) -> (
    ScenarioReport, files: [[String: [UInt8]]]
  ) {
    defer { close() }
    let report = try director.play()
    return (report, director.world.files(patterns))
  }

  /// Plays one step; for tests that look at the world between steps, and then close it.
  package func play(_ step: Scenario.Step) throws(HostError) { try director.play(step) }

  /// Names the session, and so every process that belongs to it.
  package var session: String { director.world.directory }

  /// The time of the recording.
  package var now: Int64 { director.now }

  /// The state of an app, as the system sees it.
  package func state(ofApp index: Int = 0) -> AppState { director.state(of: index) }

  /// Ends what still lives.
  package func close() { director.world.close() }
}
