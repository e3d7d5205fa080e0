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
/// One round: hear what is new (kernel events, pools, samples), take the time T
/// together with the events of the host, drain every pool up to T, put down who
/// ended, seal what is due, sleep.
final class RecorderCore {
  let options: RecorderOptions
  let session: SessionDirectory
  let shared: Shared
  let store: ChunkStore
  let redact: Redactor
  let words = KindWords()
  var names = Names()
  var fit: ClockFit
  var clockReading: ClockReading
  /// Added to a time it is the time since 1970.
  var realOffset: Int64

  var streams: [WriterID: WriterStream] = [:]
  /// Streams that may have something to drain or to seal.
  var live: [WriterStream] = []
  var processes: [Int32: TrackedProcess] = [:]
  /// Ended, but their last words are not yet in the file.
  var leaving: [TrackedProcess] = []
  /// Names of pools in the session's directory that have been looked at.
  var knownPools: Set<String> = []
  /// The last ended incarnation of each app, for the next one to continue from.
  var lastLives: [String: (writer: WriterID, state: LifeState)] = [:]
  /// The keys of ``lastLives``, the oldest first.
  var lastLivesOrder: [String] = []
  /// Streams that have ended and are still in ``streams``, the oldest first.
  var endedStreams: [WriterID] = []
  /// Every writer that has ended: a pool that comes again under its name is a false one.
  var endedWriters: Set<WriterID> = []
  /// Exit statuses told by the kernel for processes that were not followed yet.
  var recentExits: [Int32: (status: ExitStatus, time: HostTime)] = [:]
  /// Events of the kernel that may be about a launch which is under way.
  var unclaimed: [cplatform_proc_event] = []
  /// How many the kernel had no room for, as far as that is told.
  var eventsDropped: UInt64 = 0
  /// Processes whose end nobody will tell; see ``lookAfterUnwatched(_:)``.
  var unwatched: [TrackedProcess] = []
  var lastLookAfter = HostTime(rawValue: .min)
  /// Streams of a dead recorder's trace whose pools have not been met yet.
  var adopted: [WriterID: Adoption.Stream] = [:]
  /// The next numbers of streams of which the trace of a dead recorder holds nothing any more.
  var numbered: [WriterID: UInt64] = [:]
  /// While they are taken over.
  var isAdopting = false
  /// The session and its trace are of a recorder before this one.
  var isAdopted = false
  var trustsConsumed = false
  let device: WriterStream
  var deviceBoot: UInt32 = 0
  var summary = RecordingSummary()

  let poll = cplatform_poll_make()
  let directoryWatch: Int32
  var kernelEvents: Int32 = -1
  /// Where those tell it that cannot join.
  let absences: Int32
  var guardianPID: Int32 = 0
  /// The stream whose chunk the file has refused so far.
  var stuckStream: WriterStream?
  var retryAt: Int64 = 0
  /// Since when the file takes no more.
  var stuckSince: Int64?
  let frozenGroups = FrozenGroups()
  var sampleAt: Int64 = 0
  var sampleInterval: Int64 = RecorderCore.sampleIntervalMin
  var interval: Int64 = RecorderCore.intervalMin
  var quietSince: Int64 = 0
  var poolsMayBeNew = true
  /// Some were left for when there is room.
  var poolsWait = false
  /// Who waits for the end; there is one as soon as somebody does.
  var stopRequests: [Shared.Answer] = []
  var watch: Shared.Watch?
  /// What hosts have seen of processes that have not joined yet.
  var parked: [Int32: [WriterStream.Waiting]] = [:]
  /// See ``forgetNames()``.
  var namesBytesLimit: Int
  /// What stood at the trace's path at the last look, and when the next one is.
  var outputPlace = TracePlace.here
  var lookAtOutputAt: Int64 = 0
  /// Nothing was started: no file is to be left.
  var isDiscarded = false

  static var intervalMin: Int64 { 1_000_000 }
  static var intervalBusy: Int64 { 10_000_000 }
  static var intervalIdle: Int64 { 100_000_000 }
  /// Without events for so long, all is quiet: an app that emits once a second keeps nobody awake.
  static var quietMin: Int64 { 100_000_000 }
  static var sampleIntervalMin: Int64 { 20_000_000 }
  /// Processes followed at once; more are recorded through their pools only.
  static var processesMax: Int { 4096 }
  static var recentExitsMax: Int { 8192 }
  /// So many ended streams are kept for last words about them, and for who continues them.
  static var endedStreamsMax: Int { 256 }
  /// Of so many apps the last life is kept.
  static var lastLivesMax: Int { 1024 }
  /// More events of a process that has not joined are dropped.
  static var parkedMax: Int { 1000 }
  /// So many refused pools are told of one by one; all are counted.
  static var refusalsTold: Int { 100 }
  private enum Tag {
    static let wakeUp: UInt64 = 1
    static let directory: UInt64 = 2
    static let kernel: UInt64 = 3
    static let process: UInt64 = 4
    static let absence: UInt64 = 5
  }

  init(
    options: RecorderOptions,
    session: SessionDirectory,
    shared: Shared,
    store: ChunkStore,
    device: WriterID
  ) throws(RecorderError) {
    self.options = options
    namesBytesLimit = options.namesBytesMax
    self.session = session
    self.shared = shared
    self.store = store
    if options.redactions.isEmpty {
      redact = Redactor([])
    } else {
      let secrets = try SecretsFile(in: session.path)
      redact = Redactor(options.redactions, known: secrets.known, keep: secrets.keep)
    }
    (fit, clockReading, realOffset) = shared.state.withLock {
      ($0.clock.fit, $0.clock.last, $0.clock.realOffset)
    }
    var attributes = WriterAttributes(app: "device", process: "device", role: .harness)
    attributes.started = shared.now()
    self.device = WriterStream(id: device, attributes: attributes, pool: nil)
    self.device.hasStarted = true
    directoryWatch = cplatform_watch_directory(session.path)
    absences = cplatform_absence_listen(session.name)
    guard directoryWatch >= 0, poll >= 0 else { throw systemError("watch", session.path) }
    _ = cplatform_poll_add(poll, shared.wakeUp, Tag.wakeUp)
    _ = cplatform_poll_add(poll, directoryWatch, Tag.directory)
    if absences >= 0 { _ = cplatform_poll_add(poll, absences, Tag.absence) }
    describe(&self.device.attributes)
    streams[device] = self.device
    if options.seesBystanders {
      kernelEvents = cplatform_proc_events_open(options.kernelEventsBytes)
      if kernelEvents >= 0 { _ = cplatform_poll_add(poll, kernelEvents, Tag.kernel) }
    }
  }

  deinit {
    close(directoryWatch)
    close(poll)
    if kernelEvents >= 0 { close(kernelEvents) }
    if absences >= 0 { close(absences) }
  }

  /// The attributes that all writers of this recording share.
  func describe(_ attributes: inout WriterAttributes) {
    attributes.host = redact(ProcFS.hostName)
    attributes.boot = ProcFS.bootID
    attributes.deviceBoot = deviceBoot
    attributes.profile = options.profile
    attributes.timeScale = options.timeScale
    attributes.realOffset = realOffset
  }

  /// Rounds until somebody asks for the end.
  func run() {
    // Apps emit faster than a starved recorder drains; who may, asks for precedence.
    _ = cplatform_raise_thread()
    while stopRequests.isEmpty {
      let events = round()
      adapt(events)
      wait()
    }
    let result = Result { () throws(RecorderError) in try end() }
    shared.end(result, for: stopRequests)
  }

  /// One round; how many events it brought.
  @discardableResult
  func round() -> Int {
    let (tick, begin) = steer()
    lt_drain_beat(session.session, tick)
    hearProcesses()
    if poolsMayBeNew { discoverPools() }
    reapDescendants()
    sampleWhenDue(begin)
    let (now, commands) = takePosts()
    var events = 0
    if makesWay(now) {
      for stream in live where !stream.hasEnded || !stream.waiting.isEmpty {
        events += drain(stream, upTo: now)
        if store.isStuck { break }
      }
      settleExits(now)
      writeDownBystanders(now, all: false)
      sealWhenDue(now)
      forgetNames()
    } else {
      settleExits(now)
    }
    for command in commands { perform(command, now) }
    lookAtOutput(now)
    return events
  }

  /// More names than this are not kept in memory: what apps log and print has no end.
  static var namesMax: Int { 1 << 19 }

  /// Begins a new table of names when the one there is has grown large; chunks hold their own.
  private func forgetNames() {
    guard names.textBytes > namesBytesLimit || names.strings.count > Self.namesMax,
      parked.isEmpty, streams.values.allSatisfy(\.waiting.isEmpty)
    else { return }
    for stream in Array(streams.values) where !seal(stream) { return }
    var new = Names()
    for stream in streams.values { stream.intake.rename(from: names, to: &new) }
    for (key, life) in lastLives {
      lastLives[key] = (life.writer, life.state.renamed(from: names, to: &new))
    }
    names = new
    // What is in use may itself be large: then the next time is farther away.
    namesBytesLimit = max(options.namesBytesMax, 2 * names.textBytes)
  }

  /// Takes T and the events of other threads that lie before it.
  func takePosts() -> (now: HostTime, commands: [Shared.Command]) {
    let (now, posts, commands, watch) = shared.state.withLock { state in
      let now = state.clock.now()
      let posts = state.posts
      state.posts.removeAll(keepingCapacity: true)
      let commands = state.commands
      state.commands.removeAll()
      return (now, posts, commands, state.watch)
    }
    takeSteering()
    self.watch = watch
    for post in posts { enqueue(post) }
    // A launch is known before anything about its process is looked at, and which app it is.
    learnLaunches()
    for command in commands {
      guard case .identified(let pid, let app, let previous) = command else { continue }
      identify(pid, as: app, after: previous)
    }
    return (now, commands)
  }

  func enqueue(_ post: Shared.Post) {
    let event = post.event.event(at: post.time, names: &names) {
      $2.intern(redact($0, isCut: $1))
    }
    let waiting = WriterStream.Waiting(event: event, place: post.place)
    switch post.subject {
    case .writer(let id): put(waiting, into: streams[id])
    case .printer(let pid): put(waiting, into: joined(pid) ?? device)
    case .process(let pid):
      if let stream = joined(pid) {
        put(waiting, into: stream)
      } else if parked[pid, default: []].count < Self.parkedMax {
        parked[pid, default: []].append(waiting)
      } else {
        put(waiting, into: nil)
      }
    }
  }

  private func joined(_ pid: Int32) -> WriterStream? {
    processes[pid].flatMap { $0.isBystander ? nil : $0.stream }
  }

  /// Into no stream: nobody will ever ask for it.
  private func put(_ waiting: WriterStream.Waiting, into stream: WriterStream?) {
    guard let stream else {
      if let place = waiting.place { shared.journal.release(place) }
      return
    }
    stream.enqueue(waiting.event, keptAt: waiting.place)
    keepLive(stream)
  }

  /// What was said about a process that has joined, or never will.
  func unpark(_ pid: Int32, into stream: WriterStream?) {
    for waiting in parked.removeValue(forKey: pid) ?? [] { put(waiting, into: stream) }
  }

  func keepLive(_ stream: WriterStream) {
    if !live.contains(where: { $0 === stream }) { live.append(stream) }
  }

  func intern(_ string: String) -> NameID { names.intern(redact(string)) }

  private func perform(_ command: Shared.Command, _ now: HostTime) {
    switch command {
    case .launched: store.wantReplacement()
    case .identified: break
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
    .file(path: options.output, message: store.problem?.description ?? "it takes no more")
  }

  /// Bends the clock when it is time to; the time now.
  private func steer() -> (tick: UInt64, now: HostTime) {
    let (tick, now) = shared.state.withLock { state in
      let now = state.clock.now()
      state.clock.steerWhenDue(at: now)
      return (state.clock.tick, now)
    }
    takeSteering()
    return (tick, now)
  }

  /// Goes by what came of steering, whichever thread had to.
  private func takeSteering() {
    let (steering, clock) = shared.state.withLock { ($0.clock.takeSteering(), $0.clock) }
    fit.seen = clock.fit.seen
    guard let steering else { return }
    (fit, clockReading, realOffset) = (clock.fit, clock.last, clock.realOffset)
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
      var event = Event(.clock, at: fit.time(of: clockReading.tick), observer: .recorder)
      event.arguments = (
        clockReading.tick, UInt64(bitPattern: clockReading.monotonic),
        UInt64(bitPattern: clockReading.boottime), UInt64(bitPattern: clockReading.real)
      )
      event.argumentCount = 4
      stream.enqueue(event)
    }
  }

  /// Often while events come, seldom when not, but never so seldom that a burst overruns a pool.
  private func adapt(_ events: Int) {
    let now = cplatform_monotonic()
    if events > 0 { quietSince = now }
    if events > 2_000 {
      interval = max(Self.intervalMin, interval / 4)
    } else if events > 0 {
      interval = min(Self.intervalBusy, max(Self.intervalMin, interval * 3 / 2))
    } else {
      interval = min(
        now - quietSince > Self.quietMin ? Self.intervalIdle : Self.sampleIntervalMin,
        max(Self.intervalMin, interval * 3 / 2)
      )
    }
    if !leaving.isEmpty { interval = Self.intervalMin }
  }

  private func wait() {
    var tags = [UInt64](repeating: 0, count: 64)
    let count = cplatform_poll_wait(poll, &tags, Int32(tags.count), interval)
    guard count > 0 else { return }
    for tag in tags[0..<Int(count)] {
      switch tag & 7 {
      case Tag.wakeUp: cplatform_drain(shared.wakeUp)
      case Tag.directory:
        cplatform_drain(directoryWatch)
        poolsMayBeNew = true
      case Tag.process:
        // Of one whose number is another's by now the end is seen already.
        if let process = processes[Int32(truncatingIfNeeded: tag >> 3)], !process.lives {
          seeExit(process)
        }
      case Tag.absence: hearAbsences()
      default: break
      }
    }
  }

  /// Watches for the end of a process.
  func watch(_ process: TrackedProcess) {
    if process.pidfd >= 0,
      cplatform_poll_add(poll, process.pidfd, UInt64(UInt32(process.pid)) << 3 | Tag.process) == 0
    {
      return
    }
    // Without a descriptor it may live all the same: there may be none left, or none allowed.
    guard process.lives else { return seeExit(process) }
    unwatched.append(process)
  }
}
