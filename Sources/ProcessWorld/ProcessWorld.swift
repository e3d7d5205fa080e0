// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import CLifetracePlatform
import LifetracePlatform
import LifetraceScenario
import LifetraceAppProtocol
import LifetraceLifecycle
import LifetraceRecorder
import Synchronization
import LifetraceTrace

/// Real processes: they are launched by the recorder, really stopped, and really killed.
final class ProcessWorld: World {
  /// One app of the scenario and the process it has now.
  struct Slot {
    var command: [String]
    var socket: AppSocket?
    var process: ChildProcess?
    var writer: WriterID?
    /// The last incarnation, for the next one to name.
    var previous: WriterID?
    var launches = 0
    /// How its last process ended.
    var lastStatus: ExitStatus?
    /// A process that hangs up while it lives is alive, but will not answer.
    var hungUp = false
    /// Its first line, until that is answered: a process started ahead waits for the answer.
    var greeting: AppMessage.Hello?
    /// How it called itself in the last.
    var nameSaid: String?
    /// The process that said hello in this launch, where it is not the one that was launched.
    var stranger: Int32?
    /// The first line that it sent in this launch, with what is wrong with it as a hello.
    var opening: (line: String, fault: String)?
    /// What it prints, on its way to where it would go without us.
    var output: OutputPipes?
    /// What threads that were ready to run had run when that was asked last.
    var ready = ReadyThreads()
    /// Lines of this launch that were no message.
    var garbage = 0
  }

  let recorder: Recorder
  let scenario: Scenario
  let profile: Profile
  /// Stdout is recorded too; stderr always is, as a crash is told there.
  let capturesOutput: Bool
  /// Where the apps print to stdout; nil for where this process does.
  var appOutput: Int32?
  var slots: [Slot]
  let directory: String
  let wakeUp: Int32
  /// The disk that the scenario gives the device.
  let deviceDisk: DeviceDisk?
  /// Where each app keeps its data; none where they find what earlier runs have left.
  let folders: [String]
  /// Filled on the recorder's thread, emptied here.
  let exits = ExitBox()

  init(
    scenario: Scenario,
    commands: [[String]],
    recorder: Recorder,
    profile: Profile,
    capturesOutput: Bool
  ) throws(HostError) {
    self.capturesOutput = capturesOutput
    self.recorder = recorder
    self.scenario = scenario
    self.profile = profile
    slots = commands.map { Slot(command: $0) }
    directory = recorder.sessionDirectory
    if let bytes = scenario.diskBytes {
      deviceDisk = try DeviceDisk(bytes: bytes, of: recorder)
    } else {
      deviceDisk = nil
    }
    folders =
      scenario.data == .keep ? [] : try DataFolders.make(commands.count, deviceDisk, in: directory)
    wakeUp = cplatform_event_fd()
    recorder.onExit { [exits, wakeUp] exit in
      exits.pids.withLock { $0.append(exit.pid) }
      cplatform_event_post(wakeUp)
    }
  }

  /// Requests that are not permitted.
  var notices: [String] {
    var out: [String] = []
    if let why = deviceDisk?.whyPlain {
      out.append("disk: what is not synced will survive a reboot here: \(why)")
    }
    if let why = recorder.whyNoFreezer {
      out.append("suspend-by: apps are stopped by SIGSTOP here, not by the freezer: \(why)")
    }
    return out
  }

  final class ExitBox: Sendable {
    let pids = Mutex<[Int32]>([])
  }

  let sightings = SightingBox()
  /// The app of each writer there was.
  var appOfWriter: [WriterID: Int] = [:]
  var isListening = false

  func watch(_ kinds: Set<EventKind>) {
    recorder.watch(kinds) { [sightings, wakeUp] found in
      if sightings.add(found, kinds) { cplatform_event_post(wakeUp) }
    }
  }

  /// What happened to other apps while one was being launched.
  var held: [WorldEvent] = []

  /// The processes whose peers are not to be listened to any more.
  var overlong: [AppSocket] = []

  var now: Int64 { recorder.now().rawValue }

  /// Learns which stream an app has got that was slow to join.
  func meetWriter(of app: Int) {
    guard slots[app].writer == nil, let pid = slots[app].process?.pid else { return }
    slots[app].writer = recorder.writer(forPID: pid)
    slots[app].previous = slots[app].writer ?? slots[app].previous
  }

  // MARK: Power

  func suspend(_ app: Int) -> Bool {
    guard let pid = slots[app].process?.pid else { return false }
    return (try? recorder.suspend(pid: pid)) != nil
  }

  func resume(_ app: Int, reason: String, finding news: SystemEvent?) {
    guard let pid = slots[app].process?.pid else { return }
    // It lies in the socket when the app wakes up.
    if let news { send(news, number: 0, to: app, due: .max) }
    _ = try? recorder.resume(pid: pid, reason: reason)
  }

  func expectExit(_ app: Int, cause: String) {
    if let pid = slots[app].process?.pid { recorder.expectExit(pid: pid, cause: cause) }
  }

  func kill(_ app: Int, _ death: Death) {
    guard let process = slots[app].process else { return }
    meetWriter(of: app)
    var death = death
    if death.cause == TerminationCause.watchdog.rawValue {
      let words = MainThreadLook.words(of: process.pid) { try? recorder.halt(pid: process.pid) }
      death.main = words ?? ""
    }
    try? recorder.kill(pid: process.pid, death)
    _ = process.wait(nanoseconds: 10_000_000_000)
    slots[app].output?.leave()
    slots[app].process = nil
    slots[app].socket = nil
    slots[app].greeting = nil
    exits.pids.withLock { $0.removeAll { $0 == process.pid } }
  }

  func record(_ event: RecordedEvent, about app: Int?) {
    guard let app else { return recorder.record(event, about: recorder.deviceWriter) }
    if let pid = slots[app].process?.pid {
      recorder.record(event, aboutProcess: pid)
    } else if event.kind == .mark {
      recorder.record(event, about: recorder.deviceWriter)
    }
  }

  var disk: String? { deviceDisk?.text }

  func cutPower() {
    // No app may see the disk fail: with the power all would have stopped.
    for slot in slots {
      if let pid = slot.process?.pid { try? recorder.halt(pid: pid) }
    }
    deviceDisk?.cut()
  }

  func rebooted() throws(HostError) {
    // What apps have forked does not survive it either.
    cplatform_kill_marked("LIFETRACE_SESSION=\(directory)")
    try deviceDisk?.restart()
    recorder.deviceRebooted()
  }

  func isFollowed(_ app: Int) -> Bool { true }

  func hasEndedAsPlanned(_ app: Int) -> Bool {
    let status = slots[app].lastStatus ?? slots[app].process?.status
    return status == .signal(SIGKILL)
  }

  func isCrashing(_ app: Int) -> Bool {
    guard let pid = slots[app].process?.pid, let time = recorder.crashTime(ofPID: pid) else {
      return false
    }
    // It may only have printed what looks like a report.
    return now - time.rawValue < Self.crashPatience
  }

  /// So long the stack of a large program takes at most, on a busy machine.
  private static let crashPatience: Int64 = 60_000_000_000

  func sharedLock(of app: Int) -> SharedLock? {
    guard let group = scenario.appGroup, let pid = slots[app].process?.pid else { return nil }
    return SharedLocks.held(by: pid, below: group)
  }

  func listeningSockets(of app: Int) -> [ListeningSocket] {
    guard let pid = slots[app].process?.pid else { return [] }
    return ListeningSockets.open(in: pid)
  }

  func footprint(of app: Int) -> UInt64 {
    guard let pid = slots[app].process?.pid else { return 0 }
    return ProcFiles.footprintBytes(of: pid)
  }

  func waitsForProcessor(_ app: Int) -> Bool {
    guard let pid = slots[app].process?.pid else { return false }
    return slots[app].ready.waitForProcessor(of: pid, at: now)
  }

  func processorTime(of app: Int) -> Int64 {
    guard let pid = slots[app].process?.pid else { return 0 }
    return ProcFiles.processorTime(of: pid)
  }

  /// The files in the folder of each app that these globs name.
  func files(_ patterns: [String]) -> [[String: [UInt8]]] {
    guard !patterns.isEmpty else { return [] }
    return folders.map { folder in
      recorder.whereLaunched { DataFiles.read(below: folder, patterns) } ?? [:]
    }
  }

  func filesLeft(by app: Int) -> LeftFiles? {
    guard folders.indices.contains(app) else { return nil }
    let folder = folders[app]
    return recorder.whereLaunched { LeftFiles(below: folder) }
  }

  /// Ends everything that still lives.
  func close() {
    for app in slots.indices where slots[app].process != nil {
      kill(app, Death(cause: HarnessEnd.scenarioOver))
    }
    for slot in slots { slot.output?.finish() }
    deviceDisk?.close()
    LifetracePlatform.close(wakeUp)
  }
}
