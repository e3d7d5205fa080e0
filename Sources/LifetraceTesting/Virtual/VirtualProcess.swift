// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import CLifetraceUnseen
import LifetraceAppProtocol
import LifetraceApp
import LifetraceRules
import LifetraceTrace

/// One incarnation of a simulated app: the application object, its queues, its stream.
@MainActor
final class VirtualProcess {
  let writer: WriterID
  let attributes: WriterAttributes
  let log: EventLog
  let surroundings: VirtualSurroundings
  let application: Application
  private var threads: [String: UInt32] = [:]
  private let work: FollowedWork
  /// Whose timers go by real time.
  private static let runLoop = ThreadRunLoop()
  /// What of it stands in the stream.
  private(set) var unseenText: String?
  /// The queue whose work runs.
  private var queue = "main"
  /// Until then no other app has anything to do.
  private var horizon = Int64.max
  private var backgroundSince: Int64
  /// What of its work could not be interrupted, as it stands in the stream.
  private var uninterrupted: String?
  /// Such work that a background task covered: when it ended, and how long the director was held up.
  private var covered: (end: Int64, delay: Int64) = (0, 0)

  init(
    writer: WriterID,
    attributes: WriterAttributes,
    configuration: Application.Configuration,
    system: HostLine.Welcome,
    clock: VirtualClock,
    folder: @escaping @Sendable () -> String?
  ) {
    self.writer = writer
    self.attributes = attributes
    let log = EventLog(clock: clock)
    self.log = log
    backgroundSince = clock.now
    let passing = Passing()
    let work = FollowedWork(
      app: attributes.app,
      log: log,
      whileWaiting: { deadline in
        MainActor.assumeIsolated { passing.process?.runOther(until: deadline) ?? false }
      },
      whileMainSleeps: { limit in
        standingIn { passing.process?.beginOther(until: limit) ?? false }
      }
    )
    self.work = work
    surroundings = VirtualSurroundings(
      system: system,
      configuration: configuration.wire,
      clock: clock,
      folder: folder
    ) { time in
      // A thread of the app's that lets time pass is none of the simulator's.
      guard lt_followed_number() == 0 else { return work.sleep(nanoseconds: time - clock.now) }
      MainActor.assumeIsolated { passing.process?.pass(until: time) }
    }
    work.surroundings = surroundings
    application = Application(configuration: configuration, surroundings: surroundings)
    passing.process = self
  }

  /// Breaks the circle between a process and its surroundings.
  @MainActor
  private final class Passing {
    weak var process: VirtualProcess?
  }

  /// Runs app code: as this app, into this stream, on this simulated thread.
  func run<Result>(thread: UInt32, _ body: () throws -> Result) rethrows -> Result {
    let before = lt_sink_enter(log.sink)
    let previous = Application.current.withLock { current in
      defer { current = application }
      return current
    }
    let outer = log.thread
    log.thread = thread
    let timer = Self.runLoop?.nextFireDate
    let follower = work.enter()
    defer {
      work.leave(follower)
      if Self.runLoop?.nextFireDate != timer { work.noteTimer() }
      log.thread = outer
      Application.current.withLock { $0 = previous }
      lt_sink_leave(before)
      noteUnseen()
    }
    return try body()
  }

  /// The stream says from where on the app does what the simulation does not see.
  private func noteUnseen() {
    guard let text = work.unseenText, text != unseenText else { return }
    unseenText = text
    // A callback that takes too long ends with its process, and nothing stands behind that.
    let time = HostTime(rawValue: min(surroundings.clock.now, log.cutoff))
    log.append(
      RecordedEvent(at: time) {
        Payload.ProcessConfig(key: $0.name(UnseenWork.key), value: $0.name(text))
      }
    )
  }

  /// The sockets on which it has begun to listen, by the kernel's numbers; some may be closed.
  var listening: Set<UInt64> { work.state.withLock(\.listening) }

  /// What the clock of the simulation does not see of it, a line each.
  var unjudged: [String] {
    let begun = unseenText.map {
      "\(attributes.app) has begun \($0), which virtual time does not follow: what rests on it is "
        + "undecidable"
    }
    let limit = work.state.withLock(\.hasLimit) ? FollowedWork.limitText : nil
    let held = (uninterrupted ?? limit).map {
      "\(attributes.app): \($0) in one piece, in which virtual time could not suspend or end the "
        + "app: what rests on it is undecidable"
    }
    let slow = log.slowCallback.map {
      "\(attributes.app): \($0.name) took \(Quantity.duration($0.cpu)) of real time; virtual time "
        + "does not judge it"
    }
    return [begun, held, slow].compactMap { $0 }
  }

  func enterMain() { run(thread: 0) { Application.enterMain() } }

  func start(_ delegate: () -> any ApplicationDelegate) {
    run(thread: 0) { application.start(delegate()) }
  }

  /// The simulation is over: what waits for a time that never comes would hold the app for good, as
  /// its code mostly holds the app.
  nonisolated func letGo() {
    log.close()
    surroundings.letGo()
  }

  // MARK: Hangs

  /// Main is in a call, longer than the system waits for it, until then.
  private(set) var busyUntil = Int64.min
  /// Events that stand behind that call.
  private var backlog: [SystemEvent] = []

  /// Main goes on with its call, from `time` on, up to the present time of the clock.
  func hang(from time: Int64) {
    let clock = surroundings.clock
    busyUntil = clock.now
    log.rewind(to: time)
    clock.set(time)
  }

  /// The event stands behind the call in which main hangs.
  func putOff(_ event: SystemEvent) { backlog.append(event) }

  /// Time passes until main is through with its call and with what stood behind it.
  func catchUp() {
    let clock = surroundings.clock
    guard busyUntil > clock.now || !backlog.isEmpty else { return }
    clock.set(max(clock.now, busyUntil))
    let events = backlog
    backlog = []
    for event in events { _ = handle(event) }
    log.arrive()
  }

  /// When the next of its work is due: nothing of main before its call is over.
  var nextDue: Int64? {
    let isFree = busyUntil <= surroundings.clock.now
    if isFree, backlog.isEmpty { return surroundings.nextDue(mainIsFree: true) }
    let main = surroundings.nextDue(mainIsFree: true).map { max($0, busyUntil) }
    let other = surroundings.nextDue(mainIsFree: false)
    return [backlog.isEmpty ? main : busyUntil, other].compactMap { $0 }.min()
  }

  /// Runs the next of its work, which is due by `time`.
  func runNext(by time: Int64, horizon: Int64) {
    guard time >= busyUntil else {
      _ = runNext(by: time, mainIsFree: false, horizon: horizon)
      return
    }
    if backlog.isEmpty {
      _ = runNext(by: time, mainIsFree: true, horizon: horizon)
    } else {
      catchUp()
    }
  }

  /// Hands it an event; what comes later than `end` finds it dead.
  func handle(_ event: SystemEvent, end: Int64 = .max) -> EventReply {
    log.cutoff = end
    surroundings.cutoff.store(end, ordering: .relaxed)
    defer {
      log.cutoff = .max
      surroundings.cutoff.store(.max, ordering: .relaxed)
    }
    if case .enterBackground = event { backgroundSince = surroundings.clock.now }
    return run(thread: 0) { application.handle(event) }
  }

  /// Runs the next item that is due by `time`; false when there is none.
  ///
  /// From `horizon` on others have something to do.
  func runNext(by time: Int64, mainIsFree: Bool, horizon: Int64) -> Bool {
    guard let item = surroundings.take(by: time, mainIsFree: mainIsFree) else { return false }
    let clock = surroundings.clock
    clock.set(max(clock.now, item.due))
    let outer = (queue, self.horizon)
    (queue, self.horizon) = (item.queue, horizon)
    defer { (queue, self.horizon) = outer }
    if item.queue == "main" {
      run(thread: 0) { application.serveMainQueue(item.work) }
    } else {
      run(thread: thread(of: item.queue)) { begin(item, isAside: work.isAside(item.queue)) }
    }
    return true
  }

  private func begin(_ item: VirtualSurroundings.Item, isAside: Bool) {
    isAside ? work.runAside(item.queue, thread(of: item.queue), item.work) : item.work()
  }

  /// App code sleeps on the simulator's thread: the next of what else is due by `time` begins, on a
  /// thread of its own where it is app code.
  private func beginOther(until time: Int64) -> Bool {
    guard let due = surroundings.nextDue(mainIsFree: false), due <= time else { return false }
    noteUninterrupted(until: due)
    guard let item = surroundings.take(by: due, mainIsFree: false) else { return false }
    let clock = surroundings.clock
    clock.set(max(clock.now, item.due))
    begin(item, isAside: item.queue != FollowedWork.delayedQueue)
    return true
  }

  /// App code waits on the simulator's thread: the next of what else is due by `time` runs.
  ///
  /// Where nothing is, time passes until then, if it is a time; false.
  private func runOther(until time: Int64) -> Bool {
    let next = surroundings.nextDue(mainIsFree: false)
    let due = min(time, next ?? .max)
    guard due < .max else { return false }
    noteUninterrupted(until: due)
    let horizon = queue == "main" ? min(horizon, due) : horizon
    if let next, next <= time, runNext(by: next, mainIsFree: false, horizon: horizon) {
      return true
    }
    let clock = surroundings.clock
    clock.set(max(clock.now, due))
    return false
  }

  /// App code lets time pass on its thread; the other queues go on meanwhile.
  private func pass(until time: Int64) {
    let clock = surroundings.clock
    noteUninterrupted(until: time)
    let next = queue == "main" ? min(horizon, time) : horizon
    while runNext(by: min(time, log.cutoff), mainIsFree: false, horizon: next) {
      noteUninterrupted(until: time)
    }
    clock.set(max(clock.now, time))
  }

  // MARK: Work in one piece

  /// The stream says from where on work lets time pass in which the director would have acted.
  private func noteUninterrupted(until time: Int64) {
    guard queue != "main" else { return }
    let isInBackground = application.applicationState == .background
    if time > horizon {
      let timed = isInBackground ? backgroundSince : horizon
      // A sixth before the end at the earliest the task's handler is called.
      let granted = surroundings.nanoseconds(surroundings.system.taskSeconds * 5 / 6)
      guard surroundings.isHeldAwake, time - timed < granted else { return note(passing: time) }
      covered = (time, time - horizon)
    } else if isInBackground, surroundings.isDone {
      note(passing: time)
    }
  }

  private func note(passing time: Int64) {
    guard uninterrupted == nil else { return }
    let length =
      Double(time - surroundings.clock.now) * 1_000 / Double(max(1, attributes.timeScale))
    let words = Quantity.duration(Int64(min(length, 9e18)))
    noteUninterrupted("work on the queue \(queue) passed \(words)")
  }

  private func noteUninterrupted(_ text: String) {
    uninterrupted = text
    log.append(
      RecordedEvent {
        Payload.ProcessConfig(key: $0.name(UnseenWork.uninterruptedKey), value: $0.name(text))
      }
    )
  }

  /// It is about to be ended: no task would have kept it from that in the middle of its work.
  func noteEnd() {
    guard uninterrupted == nil, surroundings.clock.now < covered.end + covered.delay else { return }
    noteUninterrupted("work under a background task passed the time of the app's end")
  }

  private func thread(of queue: String) -> UInt32 {
    if queue == "main" { return 0 }
    if let known = threads[queue] { return known }
    let new = 1001 + UInt32(threads.count)
    threads[queue] = new
    return new
  }
}
