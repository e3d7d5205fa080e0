// SPDX-License-Identifier: Apache-2.0
internal import LifetraceLifecycle
internal import LifetraceTrace

/// What daemons, the kernel and launchd say of the end of a process, and of what led to it.
extension LogLife {
  mutating func tellLockedFile(_ fact: LogFact, _ names: inout Names) {
    note("suspended with locked system files: \(names[fact.text])", fact, &names)
    guard state != .suspended else { return }
    lockedFiles.removeAll { $0.line <= fact.line }
    acquire(fact.text, fact, &names)
    move(.suspended, fact, &names, cause: fact.pattern.words, inferred: true)
  }

  /// The system ends an app that held a task for longer than permitted.
  ///
  /// The line names the time, and no code. How long the task was held above that is not told: by a
  /// little more than the clock of the coarsest log shows.
  mutating func tellBeyondPermitted(_ fact: LogFact, _ names: inout Names) {
    let permitted = min(max(0, fact.a), 86_400_000_000_000)
    if tasks.isEmpty, permitted > 0 {
      var begin = fact
      begin.time = fact.time - permitted - Self.permittedBlur
      if state == .unknown {
        move(.background, begin, &names, cause: "a background task was held", inferred: true)
      }
      let task = Payload.TaskBegin(id: 0, name: fact.text, granted: permitted)
      emit(task, begin, &names, inferred: true)
      tasks[0] = events.count - 1
    }
    note("has active assertions beyond permitted time: \(names[fact.text])", fact, &names)
    exit(
      fact,
      &names,
      cause: "background-task-timeout",
      code: 0,
      evidence: fact.pattern.words,
      inferred: true
    )
  }

  mutating func tellTerminating(_ fact: LogFact, _ names: inout Names) {
    let ending = Self.ending(
      domain: fact.a,
      word: names[fact.text],
      code: fact.b,
      other: names[fact.other]
    )
    // The requester says more about it than the daemon that then does it.
    let isNew = fact.text != .empty || fact.b != 0 || knownContext(at: fact.time) == nil
    if isNew { context = (ending.cause, ending.code, fact.time) }
    let reason = names[fact.other]
    let more = reason.isEmpty || reason == ending.cause ? "" : ", \(reason)"
    note("is being terminated: \(ending.cause)\(more)", fact, &names)
  }

  /// The watchdog spares no app, except under a debugger.
  mutating func tellViolated(_ fact: LogFact, _ names: inout Names) {
    context = ("watchdog", TerminationCode.watchdog, fact.time)
    let allowance = Quantity.duration(fact.a)
    note("watchdog \(names[fact.text]): its allowance of \(allowance) is used up", fact, &names)
  }

  mutating func tellMemoryLimit(_ fact: LogFact, _ names: inout Names) {
    if fact.a == 1 {
      context = ("jetsam", JetsamReason.code(of: "per-process-limit"), fact.time)
    }
    note("exceeded its memory limit: \(names[fact.text])", fact, &names)
  }

  /// Why it is being terminated at `time`, where that has been said.
  private func knownContext(at time: Int64) -> (cause: String, code: UInt64)? {
    guard let context, time - context.time <= Self.terminationMax else { return nil }
    return (context.cause, context.code)
  }

  mutating func tellExit(_ fact: LogFact, _ names: inout Names) {
    var ending: (cause: String, code: UInt64)?
    switch fact.pattern {
    case .exited where fact.text != .empty:
      ending = Self.ending(
        domain: fact.a,
        word: names[fact.text],
        code: fact.b,
        other: names[fact.other]
      )
    case .memoryKill: ending = ("jetsam", JetsamReason.code(of: names[fact.text]))
    default: break
    }
    // By which signal is less than why.
    let known = knownContext(at: fact.time)
    if let told = ending, told.cause == "signal", told.code == 9, let known { ending = known }
    exit(
      fact,
      &names,
      cause: ending?.cause ?? known?.cause ?? "unknown",
      code: ending?.code ?? known?.code ?? 0,
      evidence: fact.pattern.words,
      inferred: false
    )
  }

  /// The end of the process; a second line about it completes the first.
  mutating func exit(
    _ fact: LogFact,
    _ names: inout Names,
    cause: String,
    code: UInt64,
    evidence: String,
    inferred: Bool = true
  ) {
    if let exitIndex {
      var exit = Payload.ProcessExit(events[exitIndex])
      // That it was killed is less than by whom.
      let isVague =
        exit.cause == names.intern("unknown")
        || exit.cause == names.intern("signal") && exit.code == 9
      guard cause != "unknown", isVague else { return }
      exit.cause = names.intern(cause)
      exit.code = code
      events[exitIndex].put(exit)
      return
    }
    closeInterval(fact, &names)
    if cause == "jetsam" {
      let reason = JetsamReason.name(code) ?? "jetsam"
      let purge = Payload.Purge(
        cause: names.intern(reason),
        evidence: names.intern(fact.pattern.words)
      )
      emit(purge, fact, &names)
    }
    let exit = Payload.ProcessExit(
      cause: names.intern(cause),
      code: code,
      evidence: names.intern(evidence)
    )
    emit(exit, fact, &names, inferred: inferred)
    exitIndex = events.count - 1
    exitTime = fact.time
    state = .notRunning
    stateTime = fact.time
    tasks.removeAll()
    wakes.removeAll()
  }

  private mutating func closeInterval(_ fact: LogFact, _ names: inout Names) {
    let before = state
    state = .notRunning
    updatePossible(fact, &names)
    state = before
  }
}
