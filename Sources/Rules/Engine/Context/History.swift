// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// The few earlier things that rules ask and stories use, and that are no facts of a keyframe.
struct History: Sendable {
  /// Only this many state changes are remembered.
  static let statesMax = 32

  /// The last run of a callback that has ended.
  struct Run: Sendable {
    var callback: Callback
    var begin: HostTime
    var end: HostTime
    var beginSequence: UInt64
    var endSequence: UInt64
    var site: SiteID

    /// Whether `event`, which is delivered behind it, happened before it had returned.
    ///
    /// In virtual time what comes behind it may have its very time: there the order decides.
    func isAround(_ event: borrowing Event) -> Bool {
      guard event.time == end else { return event.time < end }
      return event.flags.contains(.late)
    }
  }

  /// The end of the last background task, or the completion of the last wake, that was open.
  struct Release: Opened {
    var time: HostTime
    var sequence: UInt64
    var site: SiteID
    var thread: ThreadID
    /// Whether a background task was ended, or a wake completed.
    var isTask: Bool
    /// The task, where its begin was seen.
    var task: OpenTask?
  }

  /// The end of a background task, and what was open on the thread that ended it.
  struct TaskEnd: Sendable {
    let release: Release
    let task: OpenTask
    let item: OpenSpan?
  }

  /// How the process has ended, in words too, and in which state of the app.
  struct Ending: Sendable {
    let kind: EndKind
    let cause: String
    let state: AppState
    /// Why it may have been in another one.
    let doubt: Sentence?
    let clause: Sentence
    let time: HostTime
    let sequence: UInt64
  }

  /// Only this many ends of tasks are remembered.
  static let taskEndsMax = 32

  /// The last runs, one a callback, oldest end first.
  private(set) var runs: [Run] = []
  /// The last state changes.
  private(set) var states: [(state: AppState, time: HostTime, sequence: UInt64)] = []

  /// The launch that is under way.
  private(set) var launch: Launch?
  /// The process was started ahead of the user, and waits for him: its launch begins with its first state.
  private var isAhead = false
  /// Whether the process has said a state: one that never did may be no app.
  private(set) var hasStated = false
  /// Whether didBecomeActive has returned.
  private(set) var hasBecomeActive = false
  /// The events in which the host saw a lock.
  private var sightings: Set<UInt64> = []
  /// The events in which the observing library saw a lock being taken.
  private var observed: Set<UInt64> = []
  /// The work that was open when the process ended: a sentence each, and its begin.
  var atEnd: [(words: Sentence, witness: Witness)] = []
  /// How it has ended; nil for a process that runs.
  var end: Ending?
  /// What the process printed.
  var lastWords = LastWords()
  /// The end of what kept the app running in the background, where nothing else did.
  private(set) var release: Release?
  /// The last ends of background tasks, whatever else was open.
  private(set) var taskEnds: [TaskEnd] = []
  /// The last background task that was refused.
  private(set) var refusal: Release?
  /// When a service with a background mode ended last.
  private(set) var served = HostTime(rawValue: .min)
  /// The lock of the device, while it lasts.
  private(set) var deviceLock: DeviceLock?
  /// Where the app's own deadlines were set that are open.
  private var deadlineSites: [UInt64: SiteID] = [:]

  /// By site: the callback plus one, 0 for unknown yet, 255 for none of the system's.
  private var callbackOfSite: [UInt8] = []
  /// Every callback; its place here stands for it.
  static let callbacks = Callback.allCases

  /// The callback that a site names, if it is one of the system's: its place among ``callbacks``.
  mutating func code(of site: SiteID, _ names: borrowing Names) -> Int? {
    let index = Int(site.rawValue)
    guard index < names.sites.count else { return nil }
    if index >= callbackOfSite.count {
      callbackOfSite += [UInt8](repeating: 0, count: names.sites.count - callbackOfSite.count)
    }
    if callbackOfSite[index] == 0 {
      let callback = Callback(named: names[names[site].name])
      let code = callback.flatMap { Self.callbacks.firstIndex(of: $0) }
      callbackOfSite[index] = code.map { UInt8($0 + 1) } ?? 255
    }
    let code = callbackOfSite[index]
    return code == 255 ? nil : Int(code) - 1
  }

  /// The callback that a site names, if it is one of the system's.
  mutating func callback(of site: SiteID, _ names: borrowing Names) -> Callback? {
    code(of: site, names).map { Self.callbacks[$0] }
  }

  /// The same without taking note: quick where the site was asked about before.
  func callbackSeen(at site: SiteID, _ names: borrowing Names) -> Callback? {
    let index = Int(site.rawValue)
    guard callbackOfSite.indices.contains(index), callbackOfSite[index] != 0 else {
      return Callback(named: names[names[site].name])
    }
    return callbackOfSite[index] == 255 ? nil : Self.callbacks[Int(callbackOfSite[index]) - 1]
  }

  /// The last run of a callback that has ended, if any has.
  func run(of callback: Callback) -> Run? { runs.last { $0.callback == callback } }

  /// A callback has ended; `span` is its run, if that was seen to begin.
  mutating func returned(from callback: Callback, _ span: OpenSpan?, _ event: borrowing Event) {
    if callback == .didBecomeActive { hasBecomeActive = true }
    guard let span else { return }
    runs.removeAll { $0.callback == callback }
    runs.append(
      Run(
        callback: callback,
        begin: span.time,
        end: event.time,
        beginSequence: span.sequence,
        endSequence: event.sequence,
        site: span.site
      )
    )
  }

  mutating func entered(_ state: AppState, _ time: HostTime, _ sequence: UInt64) {
    if states.count == Self.statesMax { states.removeFirst() }
    states.append((state, time, sequence))
  }
}

extension History.Release {
  fileprivate init(_ event: borrowing Event, _ task: OpenTask?) {
    self.init(
      time: event.time,
      sequence: event.sequence,
      site: event.site,
      thread: event.thread,
      isTask: event.kind == .taskEnd,
      task: task
    )
  }
}

/// A process on its way to the screen, or to its work in the background.
struct Launch: Opened {
  let time: HostTime
  let sequence: UInt64
  var isIntoBackground = false
  var site: SiteID { .none }
}

// MARK: - Launch, locks and deadlines

extension History {
  /// The process starts, for a reason.
  mutating func started(_ event: borrowing Event, isAhead: Bool) {
    self.isAhead = isAhead
    launch = isAhead ? nil : Launch(time: event.time, sequence: event.sequence)
  }

  /// A transition to another state, before it is judged: it launches a process started ahead.
  mutating func enters(_ state: AppState, _ event: borrowing Event) {
    hasStated = true
    guard isAhead else { return }
    isAhead = false
    guard state == .inactive || state == .background else { return }
    launch = Launch(time: event.time, sequence: event.sequence)
  }

  /// The launch is over, one way or the other.
  mutating func launched() { launch = nil }

  /// The process changes its state while it is launched: the background is where some launches go.
  mutating func launches(_ from: AppState, _ to: AppState) {
    if from == .notRunning, to == .background {
      launch?.isIntoBackground = true
    } else if to != .inactive || launch?.isIntoBackground == true {
      launched()
    }
  }

  /// A resource is acquired: a lock or a socket that the host saw, perhaps.
  mutating func acquired(_ event: borrowing Event) {
    let observer = event.observer
    guard observer == .host || observer == .observe else { return }
    let resource = Payload.ResourceAcquire(event)
    guard resource.class.value == .lock || resource.class.value == .socket else { return }
    if observer == .host {
      if sightings.count < LifeState.openMax { sightings.insert(event.sequence) }
    } else if observed.count < LifeState.openMax {
      observed.insert(event.sequence)
    }
  }

  /// Nothing keeps the app running any more when the event has passed.
  mutating func released(_ event: borrowing Event, _ task: OpenTask?) {
    release = Release(event, task)
  }

  /// A task ends that was seen to begin, in the midst of `item`.
  mutating func ended(_ event: borrowing Event, _ task: OpenTask, in item: OpenSpan?) {
    if taskEnds.count == Self.taskEndsMax { taskEnds.removeFirst() }
    taskEnds.append(TaskEnd(release: Release(event, task), task: task, item: item))
  }

  /// A background task is refused: no time was left.
  mutating func refused(_ event: borrowing Event) {
    refusal = Release(
      time: event.time,
      sequence: event.sequence,
      site: event.site,
      thread: event.thread,
      isTask: true
    )
  }

  /// A resource is released: a service that kept the app running, perhaps.
  mutating func released(_ resource: HeldResource?, at time: HostTime, _ names: borrowing Names) {
    guard let resource else { return }
    sightings.remove(resource.sequence)
    observed.remove(resource.sequence)
    if resource.isService(names) { served = time }
  }

  /// Something happens to the device, perhaps to its lock.
  mutating func noticed(_ event: borrowing Event, _ names: borrowing Names) {
    if let lock = DeviceLock(event, names) {
      deviceLock = lock
    } else if DeviceLock.isUnlock(event, names) {
      deviceLock = nil
    }
  }

  /// Whether nobody but the host has reported the resource: it does not know where it was taken.
  func isOnlySeen(_ resource: HeldResource) -> Bool {
    sightings.contains(resource.sequence)
  }

  /// Whether the observing library has reported that it was taken, in the words of the system.
  func isObserved(_ resource: HeldResource) -> Bool { observed.contains(resource.sequence) }

  /// The app sets a deadline.
  mutating func opened(deadline id: UInt64, at site: SiteID) {
    if deadlineSites.count < LifeState.openMax { deadlineSites[id] = site }
  }

  /// A deadline is closed.
  mutating func closed(deadline id: UInt64) { deadlineSites[id] = nil }

  /// Where a deadline was set that is open.
  func deadlineSite(_ id: UInt64) -> SiteID { deadlineSites[id] ?? .none }
}
