// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// One process of one app as a log reports it: takes facts in order, makes events.
///
///     life.tell(fact)          // "Suspending task." in the background
///     life.events              // … state.suspend
///
/// The state is unknown until the first evidence. Where the log skips a step (the
/// next thing seen of an active app is its suspension) the steps between are
/// filled in and marked as inferred.
struct LogLife {
  /// D2: by then didEnterBackground has returned, or the app is dead.
  static let enterBackgroundMax: Int64 = 5_000_000_000
  /// A line of an app this soon after its suspension was written before it.
  static let suspensionBlur: Int64 = 50_000_000
  /// A gap between two assertions that is shorter is none in which the system comes to suspend: it
  /// lies within didEnterBackground, whose end is not logged.
  static let suspensionMin: Int64 = 10_000_000
  /// Daemons report a background state up to so long before the app says so itself.
  static let backgroundAhead: Int64 = 3_000_000_000
  /// Reports of daemons are older than they look by up to this.
  static let reportDelay: Int64 = 1_000_000_000
  /// Daemons print a state update at most so long after the first of them did.
  static let updateDelayMax: Int64 = 5_000_000_000
  /// A process that is to be terminated is gone within this.
  static let terminationMax: Int64 = 60_000_000_000
  /// UIKit's reason to be inactive from the beginning of a launch on.
  static let launchReason: Int64 = 10
  /// A task that the system killed for was held so much longer than permitted, at least.
  static let permittedBlur: Int64 = 5_000_000
  /// The description of a task comes so soon behind its end.
  static let descriptionDelayMax: Int64 = 1_000_000_000
  /// What a device logs in place of a name.
  static let privateName = "<private>"
  /// Ids of ended tasks that are remembered.
  static let endedTasksMax = 4_096

  let app: Int
  /// The names of the files, by process of the log.
  let files: [NameID]
  /// The words of the patterns, which name the sites of events, by number.
  let words: [NameID]
  var pid: UInt32
  var started: Int64
  var events: [Event] = []

  var state = AppState.unknown
  var stateTime = Int64.min
  /// UIKit's reasons to be inactive, where its lines have been seen.
  var mask: Int64?
  /// Whether the log has lines of the app that say when it is active.
  var tellsActivity = false
  var backgroundTimes: [Int64] = []
  /// Whether runningboardd suspends it.
  var isManaged = true
  var enteredBackgroundItself = Int64.min

  /// Whether it was launched in this log, and nothing says yet that it is active.
  var isLaunching = false

  /// What SpringBoard last said of its visibility: others pass on older news.
  var springBoard: (isForeground: Bool, time: Int64)?

  var tasks: [Int64: Int] = [:]
  /// Those whose expiration handlers have been called.
  var expiredTasks: Set<Int64> = []
  /// Tasks whose ids the log keeps private.
  var privateTasks = LogPrivateTasks()
  /// Tasks of BackgroundTasks that run, by their identifiers.
  var wakes: [NameID: (id: UInt64, isRefresh: Bool)] = [:]
  var wakesBegun: UInt64 = 0
  var endedTasks: Set<Int64> = []
  /// The task that was ended last without a word of its begin, and the index of that event.
  var undescribed: (id: Int64, event: Int, time: Int64)?
  var handlers: [NameID: Bool] = [:]
  var assertion: Bool?
  /// Those of runningboardd that keep it awake, by their ids.
  var assertions: Set<NameID> = []
  /// Whether didEnterBackground is known to have returned.
  var hasSettled = false
  /// The intervals in which suspension is possible, as indices of their events; the last may be open.
  var possible: [(begin: Int, end: Int?)] = []
  /// Indices of events that later lines have shown to be wrong.
  var retracted: Set<Int> = []
  /// The suspension that a late line of the app may still move.
  var suspendIndex: Int?

  /// What lines of the app's own stand for.
  var map: LogMap?
  /// The latest version of each object of the map.
  var versions: [NameID: UInt64] = [:]
  /// Work of the map that goes on, by name, and how much has begun.
  var openWork: [NameID: [UInt64]] = [:]
  var workBegun: UInt64 = 0

  var updates: [LogUpdate] = []
  var seenUpdates: [UInt32: Int] = [:]
  var hints: [NameID: NameID] = [:]
  var exitIndex: Int?
  var exitTime = Int64.min
  var context: (cause: String, code: UInt64, time: Int64)?
  var lockedFiles: [(time: Int64, line: UInt32, path: NameID)] = []
  var lastTime = Int64.min
  /// The process whose line made the last event.
  var lastWriter: UInt32 = 0

  init(app: Int, files: [NameID], words: [NameID], pid: UInt32, started: Int64) {
    self.app = app
    self.files = files
    self.words = words
    self.pid = pid
    self.started = started
  }

  var hasEnded: Bool { exitIndex != nil }
}

// MARK: - Making events

extension LogLife {
  /// Appends an event that the line of `fact` reports.
  mutating func emit(
    _ payload: some EventPayload,
    _ fact: LogFact,
    _ names: inout Names,
    inferred: Bool = false,
    at time: Int64? = nil,
    name: NameID? = nil,
    thread: ThreadID = .main
  ) {
    let time = time ?? fact.time
    var flags: EventFlags = inferred ? .inferred : []
    if time < lastTime { flags.insert(.late) }
    lastTime = max(lastTime, time)
    lastWriter = fact.writer
    let site = Site(
      name: name ?? words[Int(fact.pattern.rawValue)],
      file: files[Int(fact.writer)],
      line: fact.line
    )
    events.append(
      Event(
        payload,
        at: HostTime(rawValue: time),
        thread: thread,
        site: names.intern(site),
        observer: inferred ? .inferred : .import,
        flags: flags
      )
    )
  }

  /// A line worth reading, without a meaning of its own.
  mutating func note(_ text: String, _ fact: LogFact, _ names: inout Names) {
    emit(Payload.Log(text: names.intern(text), level: .notice), fact, &names)
  }

  /// A fact about the process that the system has set, when it changed.
  mutating func hint(_ key: String, _ value: String, _ fact: LogFact, _ names: inout Names) {
    let key = names.intern(key)
    let value = names.intern(value)
    guard hints[key] != value else { return }
    hints[key] = value
    emit(Payload.ProcessConfig(key: key, value: value), fact, &names)
  }

  /// Drops what was retracted, and moves what was inferred from later lines to where it belongs.
  mutating func putInOrder(_ names: Names) {
    let interval = names.find(ResourceClass.suspensionPossible)
    func isMoved(_ event: Event) -> Bool {
      guard event.flags.isSuperset(of: [.inferred, .late]) else { return false }
      return event.kind == .taskBegin
        || event.kind == .resourceRelease && event.identityName == interval
    }
    let kept = events.indices.filter { !retracted.contains($0) }.map { events[$0] }
    let moved = kept.filter(isMoved).sorted { $0.time < $1.time }
    var ordered: [Event] = []
    var next = 0
    for event in kept where !isMoved(event) {
      while next < moved.count, moved[next].time < event.time {
        var early = moved[next]
        early.flags.remove(.late)
        ordered.append(early)
        next += 1
      }
      ordered.append(event)
    }
    events = ordered + moved[next...]
  }

  /// Gives all events the time that the clock of the device showed, which was set back.
  mutating func show(_ clock: LogClock) {
    started = clock.shown(started)
    var latest = Int64.min
    for index in events.indices {
      let time = clock.shown(events[index].time.rawValue)
      events[index].time = HostTime(rawValue: time)
      if time < latest { events[index].flags.insert(.late) }
      latest = max(latest, time)
    }
  }

  // MARK: States

  /// Goes to `next`, through the states that the log did not show.
  mutating func move(
    _ next: AppState,
    _ fact: LogFact,
    _ names: inout Names,
    cause: String,
    inferred: Bool = false
  ) {
    // No system moves a process that it does not manage.
    guard next != state, isManaged else { return }
    let steps = Self.steps(from: state, to: next)
    for (index, step) in steps.enumerated() {
      enter(step, fact, &names, cause: cause, inferred: inferred || index < steps.count - 1)
    }
    updatePossible(fact, &names)
  }

  private mutating func enter(
    _ next: AppState,
    _ fact: LogFact,
    _ names: inout Names,
    cause: String,
    inferred: Bool
  ) {
    if next != .background { closePossible(fact, &names) }
    if next == .suspended {
      acquireLockedFiles(fact, &names)
      emit(Payload.Suspend(evidence: names.intern(cause)), fact, &names, inferred: inferred)
      suspendIndex = events.count - 1
    } else if state == .suspended {
      let resume = Payload.Resume(
        reason: names.intern(cause),
        evidence: names.intern(fact.pattern.words)
      )
      emit(resume, fact, &names, inferred: inferred)
    } else {
      let transition = Payload.Transition(from: state, to: next, cause: names.intern(cause))
      emit(transition, fact, &names, inferred: inferred)
    }
    if next == .active || next == .background { isLaunching = false }
    if next == .background {
      hasSettled = false
      enteredBackgroundItself = .min
      // The process that woke it holds it awake, unseen.
      if state == .suspended { assertion = nil }
    }
    state = next
    stateTime = fact.time
  }

  /// The way from `state` to `next` that the system takes.
  static func steps(from state: AppState, to next: AppState) -> [AppState] {
    switch (state, next) {
    case (.active, .background): [.inactive, .background]
    case (.active, .suspended): [.inactive, .background, .suspended]
    case (.inactive, .suspended): [.background, .suspended]
    case (.background, .active): [.inactive, .active]
    case (.suspended, .inactive): [.background, .inactive]
    case (.suspended, .active): [.background, .inactive, .active]
    case (.notRunning, .active): [.inactive, .active]
    case (.notRunning, .suspended): [.background, .suspended]
    default: [next]
    }
  }

  /// Files that runningboardd is about to complain of are held while the app is being suspended.
  private mutating func acquireLockedFiles(_ fact: LogFact, _ names: inout Names) {
    while let file = lockedFiles.first, file.time <= fact.time + 2 * Self.reportDelay {
      lockedFiles.removeFirst()
      guard file.time >= fact.time - Self.reportDelay else { continue }
      acquire(file.path, fact, &names)
    }
  }

  mutating func acquire(_ path: NameID, _ fact: LogFact, _ names: inout Names) {
    let text = path == .empty ? "a file" : names[path]
    let lock = Payload.ResourceAcquire(
      name: names.intern(text),
      class: .lock,
      attribute: names.intern("shared")
    )
    emit(lock, fact, &names, inferred: true)
  }
}

/// A state of a process as a daemon reported it.
struct LogUpdate {
  var state: NameID
  /// Empty where the daemon does not say.
  var visibility: NameID
  /// Whether it came with a role, which says more.
  var hasRole: Bool
  var time: Int64
}
