// SPDX-License-Identifier: Apache-2.0

import CLifetrace
import CLifetracePlatform
import Dispatch
import LifetracePlatform
import LifetraceLifecycle
import Synchronization
import LifetraceTrace
import LifetraceTraceFile

/// What the recorder's thread owns: pools, streams, processes and the file.
///
/// One pass: hear what is new (kernel events, pools, samples), take the time T together with the
/// events of the host, drain every pool up to T, write down the processes that ended, seal the
/// chunks that are due, sleep.
final class RecorderCore {
  let options: RecorderOptions
  let session: SessionDirectory
  let exchange: Exchange
  let store: ChunkStore
  let redact: Redactor
  let words = KindWords()
  var names = Names()
  var fit: ClockFit
  var clockReading: ClockReading
  var clockHistory = ClockHistory()
  let usesCounter: Bool
  /// Added to a time it is the time since 1970.
  var realOffset: Int64

  var streams: [WriterID: WriterStream] = [:]
  /// Streams that may have something to drain or to seal.
  var live: [WriterStream] = []
  var processes: [Int32: TrackedProcess] = [:]
  /// Ended, but their last words are not yet in the file.
  var exiting: [TrackedProcess] = []
  var pools = PoolDirectory()
  var lastLives = LastLives()
  var endedStreams = EndedStreams()
  var recentExits = RecentExits()
  /// Processes whose end will not be reported; see ``lookAtPolled(_:)``.
  var polled: [TrackedProcess] = []
  var lastLookAtPolled = HostTime(rawValue: .min)
  var recovery = Recovery()
  let device: WriterStream
  /// Of all that is recorded here.
  let origin: RecordingOrigin
  var deviceBoot: UInt32 = 0
  var summary = RecordingSummary()

  let kernelEvents: KernelEvents
  let wakeSources: WakeSources
  var guardianPID: Int32 = 0
  /// There is one while a chunk is not durable.
  var stall: Stall?
  let frozenGroups = FrozenGroups()
  var samples = SampleSchedule()
  var interval = PollInterval()
  /// Up to where the order is settled; nil where nobody is to follow.
  var settlement: Settlement?
  /// The callers that wait for the end; made when the first one does.
  var stopRequests: [RecorderCommand.Answer] = []
  var observer: EventObserver?
  /// What hosts have seen of processes that have not joined yet.
  var heldUntilJoin: [Int32: [WaitingEvents.Element]] = [:]
  /// See ``forgetNames()``.
  var namesBytesLimit: Int
  /// What stood at the trace's path at the last look, and when the next one is.
  var outputPlace = TracePlace.here
  var lookAtOutputAt: Int64 = 0
  var releaseAt: Int64 = 0
  /// Nothing was started: no file is to be left.
  var isDiscarded = false

  /// Processes followed at once; more are recorded through their pools only.
  static var processesMax: Int { 4096 }
  /// More events of a process that has not joined are dropped.
  static var heldMax: Int { 1000 }
  /// At most this many refused pools are reported one by one; all are counted.
  static var refusalsNamedMax: Int { 100 }

  init(
    options: RecorderOptions,
    session: SessionDirectory,
    exchange: Exchange,
    store: ChunkStore,
    device: WriterID
  ) throws(RecorderError) {
    self.options = options
    namesBytesLimit = options.namesBytesMax
    self.session = session
    self.exchange = exchange
    self.store = store
    if options.redactions.isEmpty {
      redact = Redactor([])
    } else {
      let secrets = try SecretsFile(in: session.path)
      redact = Redactor(options.redactions, known: secrets.known, keep: secrets.keep)
    }
    (fit, clockReading, realOffset, usesCounter) = exchange.state.withLock {
      ($0.clock.fit, $0.clock.last, $0.clock.realOffset, $0.clock.usesCounter)
    }
    clockHistory.note(clockReading, at: fit.time(of: clockReading.tick))
    var attributes = WriterAttributes(app: "device", process: "device", role: .harness)
    attributes.started = exchange.now()
    self.device = WriterStream(
      id: device,
      attributes: attributes,
      pool: nil,
      chunkBytesMax: options.chunkBytesMax
    )
    self.device.hasStarted = true
    // The stream of the device lives as long as its recording, whoever records it.
    origin = .here(
      session: WideID(high: device.high, low: device.low),
      run: redact(options.run)
    )
    settlement = options.settles ? Settlement() : nil
    kernelEvents = KernelEvents(bytes: options.seesBystanders ? options.kernelEventsBytes : nil)
    wakeSources = try WakeSources(session, mail: exchange.wakeUp, kernel: kernelEvents)
    describe(&self.device.attributes)
    streams[device] = self.device
  }

  /// The attributes that all writers of this recording share.
  func describe(_ attributes: inout WriterAttributes) {
    attributes.host = redact(ProcFS.hostName)
    attributes.boot = ProcFS.bootID
    attributes.deviceBoot = deviceBoot
    attributes.profile = options.profile
    attributes.timeScale = options.timeScale
    attributes.realOffset = realOffset
    attributes.origin = origin
  }

  /// Makes passes until the end is asked for.
  func run() {
    // Apps emit faster than a starved recorder drains; a recorder that may ask for precedence does
    // so.
    _ = cplatform_raise_thread()
    if let path = store.displaced {
      reportProblem(
        "\(options.output): another file was put there in the moment in which the recording "
          + "replaced the old one; that file is kept: \(path)"
      )
    }
    while stopRequests.isEmpty {
      let events = runOnce()
      interval.adapt(to: events, now: cplatform_monotonic(), awaitsEnd: !exiting.isEmpty)
      wait()
    }
    let result = Result { () throws(RecorderError) in try end() }
    exchange.end(result, for: stopRequests)
  }

  /// One pass; how many events it brought.
  @discardableResult
  func runOnce() -> Int {
    let (tick, begin) = adjustClock()
    lt_drain_beat(session.session, tick)
    hearProcesses()
    if pools.isTimeToLook(begin) { discoverPools() }
    reapDescendants()
    sampleWhenDue(begin)
    let (now, commands) = takeSubmissions()
    var events = 0
    if makesWay(now) {
      for stream in live where !stream.hasEnded || !stream.waiting.isEmpty {
        events += drain(stream, upTo: now)
        if store.isStuck { break }
      }
      settleExits(now)
      writeDownBystanders(now, all: false)
      sealWhenDue(now)
      releaseKept(now)
      forgetNames()
    } else {
      settleExits(now)
    }
    for command in commands { perform(command, now) }
    lookAtOutput(now)
    assert(checkInvariants())
    return events
  }

  /// What holds between the values of the loop whenever a pass is over; asked in debug builds only.
  func checkInvariants() -> Bool {
    exiting.allSatisfy(\.hasEnded)
      && processes.allSatisfy { $0.value.pid == $0.key }
      && streams.allSatisfy { $0.value.id == $0.key && $0.value.intake.checkInvariants() }
      && live.allSatisfy { $0 === device || streams[$0.id] === $0 }
      && heldUntilJoin.allSatisfy { $0.value.count <= Self.heldMax }
      && pools.checkInvariants() && lastLives.checkInvariants()
  }

  /// More names than this are not kept in memory: apps log and print without end.
  static var namesMax: Int { 1 << 19 }

  /// Begins a new table of names when the one there is has grown large; chunks hold their own.
  private func forgetNames() {
    guard names.textBytes > namesBytesLimit || names.strings.count > Self.namesMax,
      heldUntilJoin.isEmpty, streams.values.allSatisfy(\.waiting.isEmpty)
    else { return }
    for stream in Array(streams.values) where !seal(stream) { return }
    var new = Names()
    for stream in streams.values { stream.intake.rename(from: names, to: &new) }
    lastLives.rename(from: names, to: &new)
    names = new
    // The names in use may be large themselves: then the next time is farther away.
    namesBytesLimit = max(options.namesBytesMax, 2 * names.textBytes)
  }

  /// Takes T and the events of other threads that lie before it.
  func takeSubmissions() -> (now: HostTime, commands: [RecorderCommand]) {
    let (now, submissions, commands, observer) = exchange.state.withLock { state in
      let now = state.clock.now()
      let submissions = state.mailbox.takeSubmissions()
      return (now, submissions, state.mailbox.takeCommands(), state.listeners.observer)
    }
    takeClockChanges()
    self.observer = observer
    for submission in submissions { enqueue(submission) }
    // A launch is known before anything about its process is looked at, and which app it is.
    learnLaunches()
    for command in commands {
      guard case .identified(let pid, let app, let previous) = command else { continue }
      identify(pid, as: app, after: previous)
    }
    return (now, commands)
  }

  func enqueue(_ submission: Submission) {
    let event = submission.event.event(at: submission.time, names: &names) {
      $2.intern(redact($0, isCut: $1))
    }
    let waiting = WaitingEvents.Element(event: event, place: submission.place)
    switch submission.subject {
    case .writer(let id): put(waiting, into: streams[id])
    case .printer(let pid): put(waiting, into: joined(pid) ?? device)
    case .process(let pid):
      if let stream = joined(pid) {
        put(waiting, into: stream)
      } else if heldUntilJoin[pid, default: []].count < Self.heldMax {
        heldUntilJoin[pid, default: []].append(waiting)
      } else {
        put(waiting, into: nil)
      }
    }
  }

  private func joined(_ pid: Int32) -> WriterStream? {
    processes[pid].flatMap { $0.isBystander ? nil : $0.stream }
  }

  /// Into no stream: it will never be asked for.
  private func put(_ waiting: WaitingEvents.Element, into stream: WriterStream?) {
    guard let stream else {
      if let place = waiting.place { exchange.journal.release(place) }
      return
    }
    stream.waiting.insert(waiting)
    keepLive(stream)
  }

  /// Events about a process that has joined, or never will.
  func releaseHeld(_ pid: Int32, into stream: WriterStream?) {
    for waiting in heldUntilJoin.removeValue(forKey: pid) ?? [] { put(waiting, into: stream) }
  }

  func keepLive(_ stream: WriterStream) {
    if !live.contains(where: { $0 === stream }) { live.append(stream) }
  }

  func intern(_ string: String) -> NameID { names.intern(redact(string)) }

  private func perform(_ command: RecorderCommand, _ now: HostTime) {
    switch command {
    case .launched: store.wantReplacement()
    case .identified: break
    // The lines before it have been taken with it, or earlier.
    case .printed(let pid): exchange.state.withLock { $0.registry.endPrinting(pid) }
    case .discard: isDiscarded = true
    case .deviceReboot: deviceBoot += 1
    case .flush(let answer): answer.give(sealAll() ? nil : stuckError)
    // All streams have been drained by the time that commands are done.
    case .drained(let answer): answer.give()
    case .snapshot(let answer): answer.give(sealAll() && store.pour() ? nil : stuckError)
    case .stop(let answer): stopRequests.append(answer)
    }
  }

  /// False when the file takes no more.
  private func sealAll() -> Bool { live.allSatisfy { seal($0) } && !store.isStuck }

  var stuckError: RecorderError {
    .file(path: options.output, causes: store.problem.map { [$0] } ?? [])
  }

  /// Bends the clock when it is time to; the time now.
  private func adjustClock() -> (tick: UInt64, now: HostTime) {
    let (tick, now) = exchange.state.withLock { state in
      let now = state.clock.now()
      state.clock.steerWhenDue(at: now)
      return (state.clock.tick, now)
    }
    takeClockChanges()
    return (tick, now)
  }

  /// Goes by what came of steering, whichever thread had to.
  private func takeClockChanges() {
    let (steering, clock) = exchange.state.withLock { ($0.clock.takeSteering(), $0.clock) }
    fit.seen = clock.fit.seen
    guard let steering else { return }
    (fit, clockReading, realOffset) = (clock.fit, clock.last, clock.realOffset)
    clockHistory.note(clockReading, at: fit.time(of: clockReading.tick))
    for piece in steering.pieces { session.keep(piece) }
    if steering.isRestart {
      for stream in live {
        if let pool = stream.pool { stream.intake.reader.beginRun(pool, fit) }
      }
    }
    if steering.isEpoch { noteEpoch() }
  }

  private func noteEpoch() {
    for stream in live where stream.pool != nil {
      let clock = Payload.Clock(
        tick: clockReading.tick,
        monotonic: clockReading.monotonic,
        boottime: clockReading.boottime,
        real: clockReading.real
      )
      let event = Event(clock, at: fit.time(of: clockReading.tick), observer: .recorder)
      stream.waiting.insert(WaitingEvents.Element(event: event))
    }
  }

  private func wait() {
    for wake in wakeSources.wait(nanoseconds: interval.nanoseconds) {
      switch wake {
      case .directory: pools.mayHaveNew = true
      case .process(let pid):
        // Where its number is another's by now, its end was seen already.
        if let process = processes[pid], !process.lives { seeExit(process) }
      case .absence: hearAbsences()
      case .mail, .kernel: break
      }
    }
  }

  /// Watches for the end of a process.
  func watch(_ process: TrackedProcess) {
    if wakeSources.add(process) { return }
    // Without a descriptor it may live all the same: there may be none left, or none allowed.
    guard process.lives else { return seeExit(process) }
    polled.append(process)
  }
}
