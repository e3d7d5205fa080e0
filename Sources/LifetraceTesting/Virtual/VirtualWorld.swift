// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
import LifetraceScenario
import LifetraceAppProtocol
import LifetraceApp
import LifetraceLifecycle
import Synchronization
import LifetraceTrace

/// Simulated apps in virtual time: the world that unit tests play scenarios in.
///
/// The director drives it from the main actor, where the apps' delegates live;
/// that is asserted at each entry into app code.
final class VirtualWorld: World {
  /// What makes an app.
  struct Maker: Sendable {
    var configuration: Application.Configuration
    var delegate: @MainActor @Sendable () -> any ApplicationDelegate
  }

  private let scenario: Scenario
  /// Distinguishes the writers of tests that run side by side; the seed decides their lives.
  private let identity = UInt64.random(in: 1 ... .max)
  private let makers: [Maker]
  private let system: HostLine.Welcome
  private let taskLimit: Int64
  private let clock = VirtualClock()
  private var processes: [VirtualProcess?]
  /// Which of them were started ahead, and have not begun.
  private var waiting: Set<Int> = []
  private(set) var history: [VirtualProcess] = []
  private var previous: [WriterID?]
  let deviceLog: EventLog
  private var footprints: [UInt64]
  private let folders: SimulatedFolders?

  init(scenario: Scenario, makers: [Maker], profile: Profile) {
    self.scenario = scenario
    self.makers = makers
    var system = HostLine.Welcome()
    system.profile = profile.name
    system.timeScale = scenario.timeScalePermille
    system.scenes = profile.hasScenes
    self.system = system
    taskLimit = profile.backgroundTask.kill
    processes = makers.map { _ in nil }
    previous = makers.map { _ in nil }
    footprints = makers.map { _ in 0 }
    folders = scenario.data == .keep ? nil : SimulatedFolders()
    deviceLog = EventLog(clock: clock)
  }

  deinit {
    for process in history { process.letGo() }
    folders?.remove()
  }

  var now: Int64 { clock.now }

  /// The device's own stream: lock, orientation, marks of the harness.
  var deviceWriter: WriterID { WriterID(high: identity, low: 1) }
  var device: WriterAttributes {
    var attributes = WriterAttributes(app: "device", role: .harness)
    attributes.evidence = .simulated
    attributes.clock = .virtual
    attributes.profile = system.profile
    attributes.timeScale = system.timeScale
    return attributes
  }

  func start(_ app: Int, _ plan: LaunchPlan, limit: Int64) throws(HostError) -> AppConfiguration? {
    if !waiting.contains(app) { make(app, plan) }
    waiting.remove(app)
    // It may have ended already, as was planned.
    settleFalls()
    guard let process = processes[app] else { return nil }
    let maker = makers[app]
    MainActor.assumeIsolated { process.start(maker.delegate) }
    settleFalls()
    return processes[app] == nil ? nil : maker.configuration.wire
  }

  func prewarm(_ app: Int, _ plan: LaunchPlan, limit: Int64) throws(HostError) -> Bool {
    make(app, plan)
    waiting.insert(app)
    return true
  }

  private func make(_ app: Int, _ plan: LaunchPlan) {
    let maker = makers[app]
    // The trace has the name that the app gives itself, unless two of them would have the same.
    let own = maker.configuration.bundleIdentifier
    let isAlone = makers.filter { $0.configuration.bundleIdentifier == own }.count == 1
    var attributes = WriterAttributes(app: isAlone ? own : scenario.apps[app].name)
    attributes.deviceBoot = plan.deviceBoot
    attributes.started = HostTime(rawValue: now)
    attributes.previous = previous[app]
    attributes.evidence = .simulated
    attributes.clock = .virtual
    attributes.profile = system.profile
    attributes.timeScale = system.timeScale
    let writer = WriterID(high: identity, low: UInt64(history.count) + 2)
    var welcome = self.system
    welcome.grantTasks(taskLimit, to: maker.configuration.wire)
    let (system, clock, boot) = (welcome, self.clock, attributes)
    let folders = self.folders
    let process = MainActor.assumeIsolated {
      VirtualProcess(
        writer: writer,
        attributes: boot,
        configuration: maker.configuration,
        system: system,
        clock: clock,
        folder: { folders?.folder(ofApp: app) }
      )
    }
    process.log.append(
      RecordedEvent(observer: .own) {
        Payload.ProcessStart(
          previous: previous[app]?.low ?? 0,
          reason: $0.name(plan.reason),
          app: $0.name(attributes.app),
          version: .empty
        )
      }
    )
    processes[app] = process
    previous[app] = writer
    history.append(process)
    planned[app] = nil
    endedAsPlanned.remove(app)
    heard.removeAll { if case .ended(app) = $0 { true } else { false } }
    if let end = plan.end, !end.isSeenFromOutside {
      planned[app] = end
      let surroundings = process.surroundings
      process.log.end(behind: end) {
        surroundings.hasFallen.store(true, ordering: .relaxed)
        folders?.keep(ofApp: app)
      }
    }
    MainActor.assumeIsolated { process.enterMain() }
  }

  func send(_ event: SystemEvent, number: UInt64, to app: Int, due: Int64) {
    guard let process = processes[app] else { return }
    let clock = self.clock
    MainActor.assumeIsolated {
      let isWaitedFor = event.endsTheLate
      // It hangs in what came before, and is through with that too late for this one.
      guard process.busyUntil <= due else {
        if !isWaitedFor { process.putOff(event) }
        return
      }
      process.catchUp()
      let reply = process.handle(event, end: isWaitedFor ? due : .max)
      if clock.now <= due {
        process.surroundings.send(.done(number: number, reply: reply))
      } else if isWaitedFor {
        // The answer is late: the system acted when the time was up.
        clock.set(due)
      } else if process.log.fallen == nil {
        process.hang(from: due)
      }
    }
    settleFalls()
  }

  // MARK: Planned ends

  /// The ends that the launches of those processes have planned; of one that has ended so too.
  private var planned: [Int: ScriptedEnd] = [:]
  private var endedAsPlanned: Set<Int> = []
  /// What those have said that have ended so, and that they have.
  private var heard: [WorldEvent] = []

  func hasEndedAsPlanned(_ app: Int) -> Bool { endedAsPlanned.contains(app) }

  /// Processes that have ended behind an event of their own are gone, from that moment on.
  private func settleFalls() {
    for app in processes.indices {
      guard let process = processes[app], let time = process.log.fallen, let end = planned[app]
      else { continue }
      clock.set(time)
      planned[app] = nil
      endedAsPlanned.insert(app)
      look(at: app)
      heard += process.surroundings.takeMessages().map { .said(app: app, $0) }
      heard.append(.ended(app: app))
      recordEnd(of: process, end.death)
      folders?.bringBack(ofApp: app)
      processes[app] = nil
    }
  }

  func pump(until time: Int64) -> [WorldEvent] {
    let heard = messages()
    if !heard.isEmpty { return heard }
    var earliest: (process: VirtualProcess, due: Int64)?
    for process in processes {
      guard let process, !process.surroundings.isSuspended.load(ordering: .relaxed) else {
        continue
      }
      guard let due = MainActor.assumeIsolated({ process.nextDue }) else { continue }
      if due <= time, earliest.map({ due < $0.due }) ?? true { earliest = (process, due) }
    }
    guard let (process, due) = earliest else {
      clock.set(max(clock.now, time))
      return []
    }
    let limit = max(due, clock.now)
    MainActor.assumeIsolated { process.runNext(by: limit, horizon: time) }
    settleFalls()
    return messages()
  }

  // MARK: Watching

  var isListening = false
  private var watched: Set<EventKind> = []
  private var sightings: [WorldEvent] = []

  func watch(_ kinds: Set<EventKind>) { watched = kinds }

  /// Takes note of what stands in the app's stream since the last look.
  private func look(at app: Int) {
    guard !watched.isEmpty, let process = processes[app] else { return }
    process.log.arrive()
    guard process.log.told < process.log.count else { return }
    var names = Names()
    let events = process.log.events(
      from: process.log.told,
      byNow: true,
      stream: StreamID(rawValue: 0),
      names: &names
    )
    process.log.told = process.log.count
    sightings += Sighting.all(of: events, by: process.writer, kinds: watched, names: names).map {
      .seen(app: app, $0)
    }
  }

  private func messages() -> [WorldEvent] {
    for app in processes.indices { look(at: app) }
    var out = sightings + heard
    (sightings, heard) = ([], [])
    for app in processes.indices {
      for message in processes[app]?.surroundings.takeMessages() ?? [] {
        out.append(.said(app: app, message))
      }
    }
    return out
  }

  func suspend(_ app: Int) -> Bool {
    guard let process = processes[app] else { return false }
    // A call cannot be stopped in its middle.
    MainActor.assumeIsolated { process.catchUp() }
    process.surroundings.isSuspended.store(true, ordering: .relaxed)
    process.log.append(RecordedEvent { Payload.Suspend(evidence: $0.name("simulated")) })
    return true
  }

  func resume(_ app: Int, reason: String, finding news: SystemEvent?) {
    guard let process = processes[app] else { return }
    process.log.append(
      RecordedEvent {
        Payload.Resume(reason: $0.name(reason), evidence: $0.name("simulated"))
      }
    )
    process.surroundings.isSuspended.store(false, ordering: .relaxed)
    if let news { MainActor.assumeIsolated { _ = process.handle(news) } }
  }

  /// A simulated app does not exit by itself: only `kill` ends it.
  func expectExit(_ app: Int, cause: String) {}

  func kill(_ app: Int, _ death: Death) {
    guard let process = processes[app] else { return }
    if !HarnessEnd.isOne(death.cause) { MainActor.assumeIsolated { process.noteEnd() } }
    recordEnd(of: process, death)
    look(at: app)
    process.log.close()
    processes[app] = nil
    waiting.remove(app)
  }

  private func recordEnd(of process: VirtualProcess, _ death: Death) {
    if death.isPurge {
      process.log.append(
        RecordedEvent {
          Payload.Purge(cause: $0.name(death.cause), evidence: $0.name("simulated"))
        },
        isEnd: true
      )
    }
    let code = death.code ?? UInt64(death.signal)
    process.log.append(
      RecordedEvent {
        Payload.ProcessExit(
          cause: $0.name(death.cause),
          code: code,
          evidence: $0.name("simulated")
        )
      },
      isEnd: true
    )
  }

  func record(_ event: RecordedEvent, about app: Int?) {
    guard let app else { return deviceLog.append(event) }
    processes[app]?.log.append(event)
  }

  /// Simulated apps write to the test's files; no reboot touches them, the ledger reports the loss.
  var disk: String? {
    scenario.diskBytes.map { _ in "simulated; unsynced writes survive a reboot" }
  }

  func cutPower() {}

  /// A simulated app is the one that the test has handed over.
  func nameSaid(by app: Int) -> String? { nil }

  /// The plan of each launch carries the number of the boot.
  func rebooted() {}

  func whyNoGreeting(from app: Int, within limit: Int64) -> String {
    "`\(scenario.apps[app].name)` could not be made"
  }

  /// Work that it has begun outside the simulation goes on in real time.
  func isFollowed(_ app: Int) -> Bool {
    guard let process = processes[app] else { return true }
    return MainActor.assumeIsolated { process.unseenText == nil }
  }

  func filesLeft(by app: Int) -> LeftFiles? { folders?.left(byApp: app) }

  /// A crash of a simulated app is the test's.
  func isCrashing(_ app: Int) -> Bool { false }

  /// The app's locks are this process's.
  func sharedLock(of app: Int) -> SharedLock? {
    scenario.appGroup.flatMap { SharedLocks.held(by: getpid(), below: $0) }
  }

  /// Of this process's sockets those on which code of the app has begun to listen.
  func listeningSockets(of app: Int) -> [ListeningSocket] {
    guard let process = processes[app] else { return [] }
    let own = MainActor.assumeIsolated { process.listening }
    return own.isEmpty ? [] : ListeningSockets.open(in: getpid()).filter { own.contains($0.inode) }
  }

  /// Simulated apps are as large as the test says.
  func setFootprint(_ bytes: UInt64, of app: Int) { footprints[app] = bytes }
  func footprint(of app: Int) -> UInt64 { footprints[app] }
  /// Virtual time costs no processor.
  func waitsForProcessor(_ app: Int) -> Bool { false }
  func processorTime(of app: Int) -> Int64 { 0 }
}

extension SystemEvent {
  /// Whether an app that is late with it is ended: a transition, or the expiry of a task or a wake.
  fileprivate var endsTheLate: Bool {
    switch self {
    case .expire, .expireWake: true
    default: isTransition
    }
  }
}
