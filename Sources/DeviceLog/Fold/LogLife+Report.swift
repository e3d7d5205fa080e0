// SPDX-License-Identifier: Apache-2.0
internal import LifetraceLifecycle
internal import LifetraceTrace

/// The facts of the system's reports: what a crash report or a report of low memory says of a process.
///
/// A log that has been joined knows better what came before: a report fills in only what is unknown.
extension LogLife {
  mutating func tellReport(_ fact: LogFact, _ names: inout Names) {
    switch fact.pattern {
    case .reportLaunch: tellLaunch(fact, &names)
    case .reportWatchdog: tellWatchdog(fact, &names)
    case .reportTask: tellHeldTask(fact, &names)
    case .reportState: tellReportedState(fact, &names)
    case .reportMemory:
      emit(Payload.MemorySample(footprint: UInt64(clamping: fact.a)), fact, &names)
    case .reportFact: note(names[fact.text], fact, &names)
    case .reportEnd: tellReportedEnd(fact, &names)
    default: break
    }
  }

  /// A process that was killed while it was launched: its whole life is known.
  private mutating func tellLaunch(_ fact: LogFact, _ names: inout Names) {
    guard events.isEmpty, state == .unknown else { return }
    let start = Payload.ProcessStart(
      previous: 0,
      reason: .empty,
      app: fact.bundle,
      version: fact.text == .empty ? nil : fact.text
    )
    emit(start, fact, &names)
    state = .notRunning
    isLaunching = true
    move(.inactive, fact, &names, cause: "launch", inferred: true)
  }

  /// The deadline that was missed began with its allowance, before the end.
  ///
  /// Which callback of a scene's update hung is known only on the way to the background, which is where
  /// that is the scene's new visibility.
  private mutating func tellWatchdog(_ fact: LogFact, _ names: inout Names) {
    let id = UInt64(events.count) | 1 << 62
    let cause = "watchdog \(names[fact.text])"
    switch names[fact.text] {
    case "scene-update" where names[fact.other] == "Background":
      move(.background, fact, &names, cause: cause, inferred: true)
      begin(.didEnterBackground, id, fact, &names)
    case "process-exit":
      begin(.willTerminate, id, fact, &names)
    default:
      if state == .unknown { move(.active, fact, &names, cause: cause, inferred: true) }
      emit(Payload.TurnBegin(id: id), fact, &names, inferred: true, name: fact.text)
    }
  }

  private mutating func begin(
    _ callback: Callback,
    _ id: UInt64,
    _ fact: LogFact,
    _ names: inout Names
  ) {
    let name = names.intern(callback.rawValue)
    emit(Payload.CallbackBegin(id: id), fact, &names, inferred: true, name: name)
  }

  /// A background task that the process was killed for.
  private mutating func tellHeldTask(_ fact: LogFact, _ names: inout Names) {
    guard tasks.isEmpty else { return }
    if state == .unknown {
      move(.background, fact, &names, cause: "a background task was held", inferred: true)
    }
    let task = Payload.TaskBegin(
      id: 0,
      name: fact.text,
      granted: min(max(0, fact.a), 86_400_000_000_000)
    )
    emit(task, fact, &names, inferred: true)
    tasks[0] = events.count - 1
  }

  private mutating func tellReportedState(_ fact: LogFact, _ names: inout Names) {
    guard state == .unknown else { return }
    let cause = "the report"
    switch names[fact.text] {
    case "Foreground": move(.active, fact, &names, cause: cause, inferred: true)
    case "Background": move(.background, fact, &names, cause: cause, inferred: true)
    case "Suspended": move(.suspended, fact, &names, cause: cause, inferred: true)
    default: break
    }
  }

  private mutating func tellReportedEnd(_ fact: LogFact, _ names: inout Names) {
    let ending = Self.ending(
      domain: fact.a,
      word: names[fact.text],
      code: fact.b,
      other: names[fact.other]
    )
    let isLock = ending.code == TerminationCode.deadLock
    if isLock, state != .suspended, !hasEnded, !hasLock {
      // It is killed for a lock when it is to be suspended; the report does not say on which file.
      if state == .unknown {
        move(.background, fact, &names, cause: "the report", inferred: true)
      }
      acquire(.empty, fact, &names)
    }
    exit(
      fact,
      &names,
      cause: ending.cause,
      code: ending.code,
      evidence: fact.pattern.words,
      inferred: false
    )
  }

  /// Whether a line of a log has named the file.
  private var hasLock: Bool {
    events.contains {
      $0.kind == .resourceAcquire && Payload.ResourceAcquire($0).class.value == .lock
    }
  }
}
