// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

// The rarer half of the fold: state, process, tasks, wakes, deadlines, resources, device.

extension LifeState {
  /// Goes to `state`, unless it is there already.
  mutating func enter(_ state: AppState, _ event: borrowing Event, cause: NameID) {
    guard state != appState else {
      if cause != .empty && stateCause == .empty { stateCause = cause }
      return
    }
    setState(state, at: event.time, sequence: event.sequence, cause: cause)
  }

  /// The state in which `event` leaves the app; nil for events that do not say.
  public func destination(of event: borrowing Event) -> AppState? {
    switch event.kind.rawValue {
    case EventKind.transition.rawValue:
      Payload.Transition(event).to.value ?? .unknown
    case EventKind.suspend.rawValue: .suspended
    case EventKind.resume.rawValue:
      appState == .suspended || appState == .unknown ? .background : nil
    case EventKind.purge.rawValue, EventKind.processExit.rawValue: .notRunning
    case EventKind.processStart.rawValue: appState == .unknown ? .notRunning : nil
    default: nil
    }
  }

  mutating func setState(_ state: AppState, at time: HostTime, sequence: UInt64, cause: NameID) {
    let wasForeground = isForeground
    if appState == .suspended {
      suspendedTotal = suspended(upTo: time)
      lastResumed = time
    }
    if state == .suspended { lastSuspended = time }
    stateBefore = appState
    appState = state
    stateSince = time
    stateSequence = sequence
    stateCause = cause
    if state != .background {
      process.renewed = nil
      process.processing = nil
    } else if stateBefore == .suspended {
      renewBackgroundTime(at: time)
    }
    if isForeground {
      leftForeground = nil
      setTaskBackground(nil)
    } else if wasForeground {
      leftForeground = time
      setTaskBackground(time)
    }
  }

  /// The system has woken the process: its time in the background begins anew, unless a task was
  /// already told that it is up.
  private mutating func renewBackgroundTime(at time: HostTime, isProcessing: Bool = false) {
    guard !isForeground, !tasks.values.contains(where: { $0.expired != nil }) else { return }
    let start = BackgroundStart(time: time, suspendedBefore: suspended(upTo: time))
    process.renewed = start
    if isProcessing { process.processing = start }
  }

  private mutating func setTaskBackground(_ time: HostTime?) {
    for place in 0..<tasks.count { tasks.update(at: place) { $0.backgroundSince = time } }
  }

  mutating func applyProcess(_ event: borrowing Event, names: borrowing Names) {
    switch event.kind.rawValue {
    case EventKind.processStart.rawValue:
      process.started = event.time
      let start = Payload.ProcessStart(event)
      process.reason = names.known(start.reason)
      process.app = names.known(start.app)
      process.version = names.known(start.version ?? .empty)
      process.ending = nil
      if let state = destination(of: event) { enter(state, event, cause: process.reason) }
    case EventKind.processConfig.rawValue:
      let config = Payload.ProcessConfig(event)
      let key = names.known(config.key)
      if process.config.count >= ProcessFacts.configMax && process.config[key] == nil {
        return overflow(.process)
      }
      process.config.insert(names.known(config.value), for: key)
    case EventKind.purge.rawValue:
      let purge = Payload.Purge(event)
      end(
        event,
        cause: names.known(purge.cause),
        code: 0,
        evidence: names.known(purge.evidence)
      )
    default:
      let exit = Payload.ProcessExit(event)
      end(
        event,
        cause: names.known(exit.cause),
        code: exit.code,
        evidence: names.known(exit.evidence)
      )
    }
  }

  /// A purge and the exit that follows it are one end; the first names its time, the exit its code.
  private mutating func end(
    _ event: borrowing Event,
    cause: NameID,
    code: UInt64,
    evidence: NameID
  ) {
    if process.ending != nil {
      if code != 0 { process.ending?.code = code }
      if process.ending?.cause == .empty { process.ending?.cause = cause }
    } else {
      process.ending = Ending(
        cause: cause,
        code: code,
        evidence: evidence,
        time: event.time,
        sequence: event.sequence,
        state: appState == .notRunning ? stateBefore : appState
      )
    }
    enter(.notRunning, event, cause: cause)
  }

  mutating func applyTask(_ event: borrowing Event, names: borrowing Names) {
    let place = tasks.place(of: event.identity)
    switch event.kind.rawValue {
    case EventKind.taskBegin.rawValue:
      let task = Payload.TaskBegin(event)
      if task.isRefused { return }
      if place == nil && tasks.count >= Self.openMax { return overflow(.task) }
      tasks.insert(
        OpenTask(
          name: names.known(task.name),
          time: event.time,
          sequence: event.sequence,
          site: event.site,
          thread: event.thread,
          granted: task.granted ?? 0,
          hasHandler: task.handler ?? true,
          expired: nil,
          backgroundSince: isForeground || appState == .unknown ? nil : event.time,
          suspendedBefore: suspendedTotal
        ),
        for: event.identity
      )
    case EventKind.taskExpire.rawValue:
      let time = event.time
      if let place { tasks.update(at: place) { $0.expired = time } }
    default:
      if let place { tasks.remove(at: place) }
    }
  }

  mutating func applyWake(_ event: borrowing Event, names: borrowing Names) {
    let place = wakes.place(of: event.identity)
    guard event.kind == .wakeBegin else {
      if let place { wakes.remove(at: place) }
      return
    }
    if place == nil && wakes.count >= Self.openMax { return overflow(.wake) }
    let wake = OpenWake(
      reason: names.known(Payload.WakeBegin(event).reason),
      time: event.time,
      sequence: event.sequence
    )
    wakes.insert(wake, for: event.identity)
    renewBackgroundTime(at: event.time, isProcessing: names[wake.reason] == "processing")
  }

  mutating func applyDeadline(_ event: borrowing Event, names: borrowing Names) {
    let place = deadlines.place(of: event.identity)
    guard event.kind == .deadlineOpen else {
      if let place { deadlines.remove(at: place) }
      return
    }
    if place == nil && deadlines.count >= Self.openMax { return overflow(.deadline) }
    let opened = Payload.DeadlineOpen(event)
    let deadline = OpenDeadline(
      what: names.known(opened.what),
      budget: opened.budget,
      countsCPU: opened.clock.value == .cpu,
      time: event.time,
      sequence: event.sequence
    )
    deadlines.insert(deadline, for: event.identity)
  }

  mutating func applyResource(_ event: borrowing Event, names: borrowing Names) {
    guard event.kind == .resourceAcquire else {
      let key = ResourceKey(releasedBy: event, names)
      if let place = resources.place(of: key) { giveBack(key, at: place, event.thread) }
      return
    }
    let key = ResourceKey(acquiredBy: event, names)
    let place = resources.place(of: key)
    // What the host sees at a suspension says less than who took it: since when, and where.
    let isHost = event.observer == .host
    if place != nil, isHost { return }
    if place == nil && resources.count >= Self.openMax { return overflow(.resource) }
    let resource = HeldResource(
      name: key.name,
      classCode: key.classCode,
      attribute: names.known(Payload.ResourceAcquire(event).attribute ?? .empty),
      time: event.time,
      sequence: event.sequence,
      site: event.site,
      thread: event.thread,
      holds: key.isLock && isHost ? 0 : 1
    )
    if key.isLock, let place, resources.entries[place].value.holds > 0 {
      return share(resource, key, at: place)
    }
    resources.insert(resource, for: key)
  }

  mutating func applyDevice(_ event: borrowing Event, names: borrowing Names) {
    switch names[Payload.Device(event).what] {
    case "lock": isDeviceLocked = true
    case "unlock": isDeviceLocked = false
    default: break
    }
  }
}
