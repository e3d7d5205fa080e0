// SPDX-License-Identifier: Apache-2.0
public import LifetraceScenario
public import LifetraceLifecycle
public import LifetraceApp
package import LifetraceTrace

/// Plays a scenario for app cores in this process, in virtual time.
///
///     let scenario = try Scenario(contentsOf: "lost-edit.yml")
///     let life = try Simulator(scenario) { NotesDelegate(options: .init()) }.play()
///     #expect(life.violations.isEmpty)
///
/// Those are errors; ``SimulatedLife/violations(atLeast:)`` has the warnings too.
///
/// The delegate, the scenario and the system are those of a real recording; only the processes are
/// not. Time passes when nothing is left to do at the moment, so a day takes milliseconds, and the
/// same seed gives the same life. Work that the app hands to a `Task`, an actor, Dispatch, an
/// `OperationQueue` or a thread is part of the simulation, as is that of a `WorkQueue`: what is put
/// off (`Task.sleep`, `asyncAfter`) comes in virtual time, and the rest has ended before time passes.
///
/// Where main waits for other threads (`sync`, a semaphore, a condition, a lock), virtual time passes
/// too. A wait that nothing ends is named on standard error after ten seconds, `LIFETRACE_STANDSTILL`,
/// and ends the process, as nobody can take a thread out of it. Time in which other tests compute on
/// all threads of Dispatch, so that nothing could end the wait, is not counted.
///
/// The life is judged as `lifetrace check` judges recordings in the test's package: by the profile, the
/// thresholds, the rules and the suppressions of its `lifetrace.yml`, in the folder of the test or the
/// nearest above.
///
/// Timers of Foundation and of Dispatch go by real time, and so do waits with a limit. From there on,
/// and behind work that computes for a second or waits for something outside, what that work may have
/// done is undecidable (``SimulatedLife/undecided``), and one line in the output says so.
@MainActor
public final class Simulator {
  private let world: VirtualWorld
  private let director: Director<VirtualWorld>
  private let project: ProjectRules
  /// What is wrong with the project's `lifetrace.yml`: nothing is played then.
  private let problem: HostError?
  private let interest = SimulatedLife.Interest()

  /// A simulator of an app with one delegate.
  public convenience init(
    _ scenario: Scenario,
    configuration: Application.Configuration? = nil,
    file: String = #filePath,
    delegate: @escaping @MainActor @Sendable () -> any ApplicationDelegate
  ) {
    let names = scenario.apps.map(\.name)
    self.init(
      scenario,
      apps: names.map { (configuration ?? .init(bundleIdentifier: $0), delegate) },
      file: file
    )
  }

  /// A simulator of several apps, in the order of the scenario.
  ///
  /// `profile` is over that of the scenario and of `lifetrace.yml`; `file` is where that one is looked for.
  public convenience init(
    _ scenario: Scenario,
    profile: Profile? = nil,
    apps: [(
      configuration: Application.Configuration,
      delegate: @MainActor @Sendable () -> any ApplicationDelegate
    )],
    file: String = #filePath
  ) {
    precondition(apps.count == scenario.apps.count, "an app for each of the scenario's")
    var problem: HostError?
    let project: ProjectRules
    do throws(HostError) {
      project = try ProjectRules(scenario, profile: profile, above: file)
    } catch {
      problem = error
      project = ProjectRules(profile: profile ?? .standard)
    }
    self.init(
      scenario,
      project,
      problem,
      apps.map { .init(configuration: $0.configuration, delegate: $0.delegate) }
    )
  }

  /// A simulator whose lives are judged by `project`.
  init(
    _ scenario: Scenario,
    _ project: ProjectRules,
    _ problem: HostError? = nil,
    _ makers: [VirtualWorld.Maker]
  ) {
    (self.project, self.problem) = (project, problem)
    let profile = project.profile
    world = VirtualWorld(
      scenario: scenario,
      makers: makers,
      profile: profile
    )
    director = Director(scenario: scenario, profile: profile, world: world)
    director.looksAtFiles = true
  }

  /// When it is to end before the last step of the scenario.
  var limit: PlayLimit? {
    get { director.limit }
    set { director.limit = newValue }
  }

  /// The memory that the app at `index` is said to hold, for memory pressure.
  public func setFootprint(_ bytes: UInt64, ofApp index: Int) {
    world.setFootprint(bytes, of: index)
  }

  /// Plays all steps, and returns what happened.
  ///
  /// - Throws: Where a step cannot be played, or where something is wrong with `lifetrace.yml`: what, and
  ///   in which line.
  public func play() throws(HostError) -> SimulatedLife {
    let life = try playSilently()
    for line in world.history.flatMap(\.unjudged) { print(line) }
    return life
  }

  /// The same without a word of what virtual time does not judge.
  func playSilently() throws(HostError) -> SimulatedLife {
    if let problem { throw problem }
    let report = try MainWatch.shared.watch { () throws(HostError) in try director.play() }
    return SimulatedLife(
      world: world,
      report: report,
      project: project,
      scenario: director.scenario,
      interest: interest
    )
  }

  /// The number of events so far.
  package var eventCount: Int {
    world.history.reduce(world.deviceLog.count) { $0 + $1.log.count }
  }

  /// Plays one step more, for tests that look at the app between steps.
  public func play(_ step: Scenario.Step) throws(HostError) {
    if let problem { throw problem }
    try MainWatch.shared.watch { () throws(HostError) in try director.play(step) }
  }

  /// What happened so far.
  public var life: SimulatedLife {
    SimulatedLife(
      world: world,
      report: director.report,
      project: project,
      scenario: director.scenario,
      interest: interest
    )
  }

  /// Which rules the life broke as errors, where nobody has asked.
  package var unaskedViolations: [String] {
    guard !interest.isShown.load(ordering: .relaxed) else { return [] }
    return Set(life.violations.map(\.rule)).sorted()
  }

  /// A test of the harness begins: it stands in the device's stream.
  func beginTest(named name: String, of suite: String) {
    world.record(
      RecordedEvent(name: name, observer: .own) {
        Payload.TestBegin(id: 1, suite: $0.name(suite), name: $0.name(name))
      },
      about: nil
    )
  }

  /// The test is over.
  func endTest(outcome: String) {
    world.record(
      RecordedEvent(observer: .own) { Payload.TestEnd(id: 1, outcome: $0.name(outcome)) },
      about: nil
    )
  }

  /// The virtual time in nanoseconds.
  package var now: Int64 { director.now }

  /// The state of the app at `index`, as the system sees it.
  package func state(ofApp index: Int = 0) -> AppState { director.state(of: index) }
}
