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
    /// The first line that it sent in this launch, with what is wrong with it as a hello.
    var opening: (line: String, fault: String)?
    /// What it prints, on its way to where it would go without us.
    var output: OutputPipes?
    /// Lines of this launch that were no message.
    var garbage = 0
  }

  private let recorder: Recorder
  private let scenario: Scenario
  private let profile: Profile
  /// Stdout is recorded too; stderr always is, as a crash is told there.
  private let capturesOutput: Bool
  private var slots: [Slot]
  let directory: String
  private let wakeUp: Int32
  /// The disk that the scenario gives the device.
  private let deviceDisk: DeviceDisk?
  /// Where each app keeps its data; none where they find what earlier runs have left.
  private let folders: [String]
  /// Filled on the recorder's thread, emptied here.
  private let exits = ExitBox()

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

  private final class ExitBox: Sendable {
    let pids = Mutex<[Int32]>([])
  }

  private let sightings = SightingBox()
  /// The app of each writer there was.
  private var appOfWriter: [WriterID: Int] = [:]
  var isListening = false

  func watch(_ kinds: Set<EventKind>) {
    recorder.watch(kinds) { [sightings, wakeUp] found in
      if sightings.add(found, kinds) { cplatform_event_post(wakeUp) }
    }
  }

  /// What was recorded of apps since the last look.
  private func takeSightings() -> [WorldEvent] {
    // In slices, because a recorder at rest looks but ten times a second.
    if isListening { recorder.catchUp() }
    let found = sightings.take()
    guard !found.isEmpty else { return [] }
    for app in slots.indices {
      meetWriter(of: app)
      if let writer = slots[app].writer { appOfWriter[writer] = app }
    }
    return found.compactMap { sighting in
      appOfWriter[sighting.writer].map { .seen(app: $0, sighting) }
    }
  }

  var now: Int64 { recorder.now().rawValue }

  /// Learns which stream an app has got that was slow to join.
  private func meetWriter(of app: Int) {
    guard slots[app].writer == nil, let pid = slots[app].process?.pid else { return }
    slots[app].writer = recorder.writer(forPID: pid)
    slots[app].previous = slots[app].writer ?? slots[app].previous
  }

  // MARK: Launch

  func start(_ app: Int, _ plan: LaunchPlan, limit: Int64) throws(HostError) -> AppConfiguration? {
    if slots[app].greeting == nil {
      guard try prewarm(app, plan, limit: limit) else { return nil }
    }
    guard let greeting = slots[app].greeting else { return nil }
    slots[app].greeting = nil
    return welcome(app, greeting)
  }

  func prewarm(_ app: Int, _ plan: LaunchPlan, limit: Int64) throws(HostError) -> Bool {
    let deadline = now + limit
    slots[app].launches += 1
    slots[app].hungUp = false
    slots[app].lastStatus = nil
    slots[app].writer = nil
    slots[app].opening = nil
    slots[app].garbage = 0
    let socket = try AppSocket(path: "\(directory)/app\(app)-\(slots[app].launches).sock")
    slots[app].socket = socket
    var options = LaunchOptions()
    options.environment = [
      (name: "LIFETRACE_HOST", value: socket.path),
      (name: "LIFETRACE_REASON", value: plan.reason),
      (name: "LIFETRACE_PREVIOUS", value: slots[app].previous.map(\.text) ?? ""),
    ]
    // The trace has the name that the app gives itself, unless two of them would have the same.
    if slots.indices.contains(where: { $0 != app && slots[$0].command == slots[app].command }) {
      options.environment.append(("LIFETRACE_APP", scenario.apps[app].name))
    }
    if !folders.isEmpty { options.environment.append(("LIFETRACE_DATA", folders[app])) }
    if let deviceDisk { options.environment.append(("LIFETRACE_DISK", deviceDisk.directory)) }
    // A crash must not ask a user what to do with it.
    if environment("SWIFT_BACKTRACE") == nil {
      options.environment.append(("SWIFT_BACKTRACE", "interactive=no,color=no"))
    }
    let output = makeOutput()
    output?.join(&options)
    defer { output?.closeWriters() }
    do {
      let process = try recorder.launch(slots[app].command, options)
      slots[app].process = process
      output?.startPassing(process.pid, to: recorder)
      slots[app].output = output
    } catch {
      throw HostError("cannot launch \(slots[app].command.joined(separator: " ")): \(error)")
    }
    var meanwhile: [WorldEvent] = []
    defer { held += meanwhile }
    while now < deadline {
      if slots[app].process?.status != nil { return false }
      for event in pump(until: deadline) {
        switch event {
        case .said(app, .hello(let hello)): slots[app].greeting = hello
        case .ended(app): return false
        default: meanwhile.append(event)
        }
      }
      guard let greeting = slots[app].greeting, let pid = slots[app].process?.pid else { continue }
      // An app that does not record its own life gets its stream from the host.
      guard greeting.configuration.records else { return true }
      slots[app].writer = recorder.waitForWriter(
        ofPID: pid,
        nanoseconds: min(deadline - now, 200_000_000)
      )
      slots[app].previous = slots[app].writer ?? slots[app].previous
      return true
    }
    return false
  }

  /// Pipes for what an app prints; where the system gives none, it is printed and not recorded.
  private func makeOutput() -> OutputPipes? {
    let targets = (capturesOutput ? [STDOUT_FILENO] : []) + [STDERR_FILENO]
    let (recorder, device) = (recorder, recorder.deviceWriter)
    let output = OutputPipes(to: targets) { problem in
      recorder.record(
        RecordedEvent { Payload.Log(text: $0.name(problem), level: .notice) },
        about: device
      )
    }
    return output
  }

  /// What happened to other apps while one was being launched.
  private var held: [WorldEvent] = []

  func nameSaid(by app: Int) -> String? { slots[app].nameSaid }

  private func welcome(_ app: Int, _ hello: AppMessage.Hello) -> AppConfiguration {
    slots[app].nameSaid = hello.app
    var welcome = HostLine.Welcome()
    welcome.profile = profile.name
    welcome.timeScale = scenario.timeScalePermille
    welcome.grantTasks(profile.backgroundTask.kill, to: hello.configuration)
    welcome.scenes = profile.hasScenes
    if !hello.configuration.records, let pid = slots[app].process?.pid {
      recorder.identify(pid: pid, as: scenario.apps[app].name, after: slots[app].previous)
    }
    slots[app].socket?.send(.welcome(welcome))
    return hello.configuration
  }

  /// The processes whose peers are not to be listened to any more.
  private var overlong: [AppSocket] = []

  // MARK: Talk

  func send(_ event: SystemEvent, number: UInt64, to app: Int, due: Int64) {
    slots[app].socket?.send(.event(number: number, event))
  }

  func pump(until time: Int64) -> [WorldEvent] {
    if !held.isEmpty {
      defer { held = [] }
      return held
    }
    for socket in overlong { socket.hangUp() }
    overlong = []
    let seen = takeSightings()
    if !seen.isEmpty { return seen }
    var descriptors = [pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)]
    var owners: [Int] = []
    for app in slots.indices {
      guard let socket = slots[app].socket, !slots[app].hungUp else { continue }
      let events = Int16(POLLIN) | (socket.hasUnsent ? Int16(POLLOUT) : 0)
      descriptors.append(pollfd(fd: socket.descriptor, events: events, revents: 0))
      owners.append(app)
    }
    let isBehind = owners.contains { slots[$0].socket?.hasLines == true }
    let left = max(0, min(time, now + (isListening ? 5_000_000 : 1_000_000_000)) - now)
    let milliseconds = Int32((left + 999_999) / 1_000_000)
    let ready = poll(&descriptors, nfds_t(descriptors.count), isBehind ? 0 : milliseconds)
    guard ready > 0 || isBehind else { return [] }
    var out: [WorldEvent] = []
    for (index, app) in owners.enumerated()
    where descriptors[index + 1].revents != 0 || slots[app].socket?.hasLines == true {
      out += serve(app)
    }
    if descriptors[0].revents != 0 {
      cplatform_drain(wakeUp)
      out += takeExits()
    }
    return out
  }

  private func serve(_ app: Int) -> [WorldEvent] {
    guard let socket = slots[app].socket else { return [] }
    if socket.peer < 0 {
      socket.accept()
      return []
    }
    socket.flush()
    switch socket.read() {
    case .closed:
      slots[app].hungUp = true
      return []
    case .overlong:
      // The signal is sent when its deed has been noted: many apps end by it.
      slots[app].hungUp = true
      overlong.append(socket)
      return [.garbage(app: app, "a line without end")]
    case .lines(let lines): return lines.compactMap { understand($0, from: app) }
    }
  }

  private func understand(_ line: ArraySlice<UInt8>, from app: Int) -> WorldEvent? {
    let json = try? JSON(parsing: line)
    if slots[app].opening == nil {
      let fault = json.map { AppMessage.faultOfHello($0) } ?? "it is no JSON object"
      slots[app].opening = (String(decoding: line.prefix(120), as: UTF8.self), fault ?? "")
    }
    if let message = json.flatMap({ AppMessage(line: $0) }) { return .said(app: app, message) }
    slots[app].garbage += 1
    if slots[app].garbage < Self.garbageMax {
      return .garbage(app: app, String(decoding: line.prefix(60), as: UTF8.self))
    }
    // An app that says nothing else must not fill the recording.
    guard slots[app].garbage == Self.garbageMax else { return nil }
    return .garbage(app: app, "and more, which is not noted")
  }

  /// Lines of a launch that are no message and are noted.
  private static let garbageMax = 100

  private func takeExits() -> [WorldEvent] {
    let gone = exits.pids.withLock { pids in
      defer { pids = [] }
      return pids
    }
    return gone.compactMap { pid in
      guard let app = slots.firstIndex(where: { $0.process?.pid == pid }) else { return nil }
      slots[app].lastStatus = slots[app].process?.status
      slots[app].output?.leave()
      slots[app].process = nil
      slots[app].socket = nil
      slots[app].greeting = nil
      return .ended(app: app)
    }
  }

  // MARK: Power

  func suspend(_ app: Int) -> Bool {
    guard let pid = slots[app].process?.pid else { return false }
    return (try? recorder.suspend(pid: pid)) != nil
  }

  func resume(_ app: Int, reason: String) {
    guard let pid = slots[app].process?.pid else { return }
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

  func whyNoGreeting(from app: Int, within limit: Int64) -> String {
    let program = slots[app].command.first ?? ""
    switch slots[app].lastStatus ?? slots[app].process?.status {
    case .code(let code): return "`\(program)` exited with \(code) before it connected"
    case .signal(let number): return "`\(program)` died of signal \(number) before it connected"
    case .unknown, nil: break
    }
    let unscaled = scenario.timeScale == 1 ? "" : ", which `time-scale` does not change"
    let within =
      "within \(Quantity.duration(limit)) (the limit of a launch in \(profile.name)\(unscaled))"
    if let (line, fault) = slots[app].opening {
      if fault.isEmpty { return "`\(program)` said hello, and was not ready \(within)" }
      return "`\(program)` connected, but its first line is no hello, as \(fault): "
        + Printable.line(line)
    }
    let connected = slots[app].socket.map { $0.peer >= 0 } ?? false
    return connected
      ? "`\(program)` connected, but said no hello \(within)"
      : "`\(program)` did not connect \(within)"
  }

  func isFollowed(_ app: Int) -> Bool { true }

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

  func footprint(of app: Int) -> UInt64 {
    guard let pid = slots[app].process?.pid else { return 0 }
    return ProcFiles.footprintBytes(of: pid)
  }

  func processorTime(of app: Int) -> Int64 {
    guard let pid = slots[app].process?.pid else { return 0 }
    return ProcFiles.processorTime(of: pid)
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
