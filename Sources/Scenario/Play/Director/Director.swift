// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
package import LifetraceLifecycle
package import LifetraceTrace

/// Plays the system: knows the state of every app, the deadlines, and what comes next.
///
///     let director = Director(scenario: scenario, world: world)
///     let report = try director.play()
///
/// The same director plays for real processes and in virtual time; all that
/// differs is its world. It asks nothing of an app but answers, and bounds each
/// wait by a deadline of the profile, so that no app can hold it up.
package final class Director<TheWorld: World> {
  package let scenario: Scenario
  package let profile: Profile
  package let world: TheWorld
  var apps: [PlayedApp]
  /// The app in front.
  var front: Int?
  /// The app that steps without a name are about.
  var current = 0
  var isLocked = false
  /// When it was locked last, on the clock of the world.
  var lockedAt: Int64 = 0
  /// The last lock took protected files away.
  var hasPasscode = true
  /// Protected files are closed.
  var isProtected: Bool { isLocked && hasPasscode }
  /// The device has been started, and not unlocked since.
  var awaitsFirstUnlock = false
  /// How the device was last held upright or on a side.
  var orientation: Orientation?
  /// The app that comes back at unlock.
  var frontAtLock: Int?
  var deviceBoot: UInt32 = 0
  var inCall = false
  /// The height of the status bar in points: as it was set, and more during a call unless it is set in it.
  var barHeight: Int { inCall && !isBarSetInCall ? max(40, barHeightSet) : barHeightSet }
  var barHeightSet = barHeightUsual
  var isBarSetInCall = false
  static var barHeightUsual: Int { 20 }
  /// The accessories that are connected to the device.
  var accessories: Set<String> = []
  var lastNumber: UInt64 = 0
  var lastWake: UInt64 = 0
  var generator: SplitMix64
  /// The values of the system that were posted, by type and key, for netting.
  var known: [SystemChange: String] = [:]
  /// The step that is being played, for places in the trace.
  var place = ScenarioPlace(line: 0, column: 0)
  /// Its number in a flat life.
  var stepNumber: Int?
  package internal(set) var report = ScenarioReport()
  /// What waits for events of the trace looks at.
  var seen = SeenEvents()
  /// What expressions of steps are asked of.
  var asked: AskedEvents
  /// Why the scenario cannot go on; thrown when its step is over.
  var trouble: HostError?
  /// Told of a step that takes longer than a user waits without asking.
  package var onWait: ((ScenarioPlace, String) -> Void)?
  /// Called for an app that the system kills for what it did, or whose line is no message or no answer.
  package var onNotice: ((ScenarioPlace, String) -> Void)?
  /// When it is to end before its last step; nil for never.
  package var limit: PlayLimit?
  /// The files that an app has are looked at before each launch, and at the end.
  package var looksAtFiles = false
  /// An app never connected: nothing that follows can be played.
  var gaveUp = false
  /// A process has ended as by a restart of the device, which comes behind the step.
  var restarts = false

  package init(scenario: Scenario, profile: Profile, world: TheWorld) {
    self.scenario = scenario
    var profile = profile
    profile.hasMultitasking = profile.hasMultitasking && scenario.multitasking
    self.profile = profile
    self.world = world
    apps = scenario.apps.map { PlayedApp(name: $0.name) }
    generator = SplitMix64(seed: scenario.seed)
    asked = AskedEvents(scenario.steps)
    watch(scenario.steps.awaitedKinds)
    if let disk = world.disk {
      recordDevice("disk", disk, number: Int64(scenario.diskBytes ?? 0))
    }
    if scenario.data == .keep { recordDevice(DeviceNote.data, DeviceNote.keptData) }
  }

  /// Hears of events of these kinds from now on.
  func watch(_ kinds: Set<EventKind>) {
    guard !kinds.isSubset(of: seen.kinds) else { return }
    seen.kinds.formUnion(kinds)
    world.watch(seen.kinds)
  }

  /// Nominal nanoseconds in real ones.
  func scaled(_ nanoseconds: Int64) -> Int64 { Int64(Double(nanoseconds) * scenario.timeScale) }
  func scaled(seconds: Double) -> Int64 { scaled(Int64(seconds * 1e9)) }

  /// The time of the world.
  package var now: Int64 { world.now }

  /// The state of an app as the system sees it.
  package func state(of app: Int) -> AppState { apps[app].state }

  // MARK: Waiting

  /// Waits for a condition, playing timers and taking messages meanwhile; false when it is late.
  func wait(until time: Int64, _ condition: () -> Bool) -> Bool {
    while true {
      if condition() { return true }
      runTimers()
      if condition() { return true }
      if world.now >= time { return false }
      var until = min(time, nextTimer)
      if let limit, let each = limit.lookEach {
        if limit.isOver() {
          endInStep()
          return false
        }
        until = min(until, world.now + each)
      }
      for event in world.pump(until: until) { take(event) }
    }
  }

  /// The limit was reached in the middle of a step, which is none that was played then.
  private func endInStep() {
    guard !report.isCut else { return }
    (report.isCut, gaveUp) = (true, true)
    report.steps -= 1
  }

  func pass(_ nanoseconds: Int64) {
    _ = wait(until: world.now + nanoseconds) { false }
  }

  func take(_ event: WorldEvent) {
    switch event {
    case .ended(let app): lose(app)
    case .garbage(let app, let text, let fault): tellGarbage(app, text, fault)
    case .said(let app, let message): take(message, from: app)
    case .seen(let app, let sighting):
      seen.add(sighting, of: app)
      asked.add(sighting, of: app)
    case .missed(let app, let writer, let count):
      seen.miss(count, of: app)
      asked.miss(count, of: app, writer)
    }
  }

  private func take(_ message: AppMessage, from app: Int) {
    guard apps[app].isAlive else { return }
    switch message {
    case .hello: break
    case .observes(let type): apps[app].observe(type)
    case .done(let number, let reply):
      if apps[app].unanswered.remove(number) == nil {
        tellAnswer(number, of: app)
      } else {
        settleHang(of: app, by: number)
      }
      if number == apps[app].awaited { apps[app].answers[number] = reply }
    case .taskBegan(let id, let name):
      if apps[app].tasks.count < PlayedApp.tasksMax {
        apps[app].tasks[id] = PlayedApp.Task(name: name)
        countTask(app)
        // As an app of the runtime reports it: nominal, and in the foreground all of it.
        let left = Double(max(0, apps[app].killAt - world.now)) / scenario.timeScale
        let granted =
          apps[app].runsOn
          ? OpenTask.grantedWithoutLimit
          : Int64(min(left, Double(profile.backgroundTask.kill)))
        // It is notified of the expiry by `expire`, which is its handler.
        witness(in: app) {
          Payload.TaskBegin(id: ofHost(id), name: $0.name(name), granted: granted, handler: true)
        }
      } else {
        apps[app].hasMoreTasks = true
      }
    case .taskEnded(let id):
      if let task = apps[app].tasks.removeValue(forKey: id) {
        witness(in: app) { _ in Payload.TaskEnd(id: ofHost(id)) }
        apps[app].hear(task.name)
        settle(app)
      } else if !apps[app].hasMoreTasks {
        // One that is not open: the rules judge that.
        witness(in: app) { _ in Payload.TaskEnd(id: ofHost(id)) }
      }
    case .completed(let wake, let result):
      complete(wake, result, in: app)
    case .callReported(let wake): reportCall(wake, in: app)
    case .service(let mode, let runs): change(service: mode, runs: runs, of: app)
    case .said(let text): apps[app].hear(text)
    }
  }

  /// Something that kept the app running is over: it will be suspended soon.
  func settle(_ app: Int) {
    guard apps[app].state == .background else { return }
    suspendSoon(app)
  }

  // MARK: Recording

  func record(_ event: RecordedEvent, about app: Int?) {
    var event = event
    event.file = scenario.file
    event.line = UInt32(clamping: place.line)
    world.record(event, about: app)
  }

  func note(_ text: String, about app: Int?) {
    record(RecordedEvent { Payload.Log(text: $0.name(text), level: .notice) }, about: app)
  }

  /// Something happens to the device: it stands in the device's stream and in each living app's.
  func recordDevice(_ what: String, _ value: String = "", number: Int64 = 0) {
    let event = RecordedEvent {
      Payload.Device(what: $0.name(what), value: $0.name(value), number: number)
    }
    record(event, about: nil)
    for app in apps.indices where apps[app].isAlive { record(event, about: app) }
  }

  /// The device is so already when the app comes: that stands in the app's stream alone.
  func recordDevice(_ what: String, _ value: String, number: Int64, about app: Int) {
    let event = RecordedEvent {
      Payload.Device(what: $0.name(what), value: $0.name(value), number: number)
    }
    record(event, about: app)
  }
}

/// What became of a scenario.
public struct ScenarioReport: Sendable {
  /// Expectations that did not hold and steps that made no sense, in order.
  public package(set) var failures: [ScenarioProblem] = []
  /// Expectations about violations, for the check of the recording.
  package internal(set) var judgedLater: [(Expectation, ScenarioPlace)] = []
  /// How many steps were played.
  public internal(set) var steps = 0
  /// Whether it ended before its last step was over, at its limit.
  package internal(set) var isCut = false
  /// When each step began that was played, on the clock of the world, and its number in a flat life.
  package internal(set) var begins: [(time: Int64, place: ScenarioPlace, number: Int?)] = []
  /// The starts of processes, in order: of which app, and by which step.
  package internal(set) var starts: [Start] = []

  /// A process of an app that was started.
  package struct Start: Sendable {
    /// The app's place in the scenario.
    package var app: Int
    /// The number of the step that started it, in a flat life; nil elsewhere.
    package var step: Int?
    /// How it ended right behind an event that a launch step had named; nil if it did not.
    package var fell: ScriptedEnd?
    /// Since when it had been handling an event when it ended so, on the clock of the world; nil where
    /// it had answered all, and for an app that records its own callbacks.
    package var toldSince: Int64?
    /// The files of data that the app had before its next launch, or at the end of all; nil where nobody
    /// has looked.
    package var left: LeftFiles?
  }

  /// Nothing was played, nothing went wrong.
  public init() {}
}
