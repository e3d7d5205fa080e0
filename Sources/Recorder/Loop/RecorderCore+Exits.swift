// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetracePlatform
import LifetraceLifecycle
import LifetraceTrace

// How processes end: how each end is seen, what its cause is, and the last words of its stream.
extension RecorderCore {
  /// So long an end waits for its status: the parent of a process reaps it when it likes.
  private static var statusPatience: Int64 { 250_000_000 }

  /// The process has ended, how is not known yet.
  func seeExit(_ process: TrackedProcess) {
    guard !process.hasEnded else { return }
    process.end.seen = exchange.now()
    wakeSources.remove(process)
    exiting.append(process)
    // Its pool may have appeared a moment before.
    if process.stream == nil { pools.mayHaveNew = true }
  }

  /// Takes the status of every child that has ended, the adopted ones too.
  func reapDescendants() {
    guard options.reapsDescendants else { return }
    var result = cplatform_wait_result()
    while cplatform_wait(0, 0, 1, 0, &result) == 0, result.pid > 0 {
      if processes[result.pid]?.stream == nil { discoverPools() }
      if let process = processes[result.pid] {
        process.end.status = ExitStatus(result)
        if !process.isBystander || process.evidence != .kernelEvents { process.evidence = .child }
        seeExit(process)
      } else {
        // A launch that was not reported yet: a short command ends before that.
        recentExits.keep(result.pid, ExitStatus(result), at: exchange.now())
      }
      var reaped = cplatform_wait_result()
      _ = cplatform_wait(result.pid, 0, 0, 0, &reaped)
    }
  }

  /// Looks after processes that cannot be waited for: no descriptor was left, or none is allowed.
  func lookAtPolled(_ now: HostTime) {
    guard !polled.isEmpty, now - lastLookAtPolled > Self.polledInterval else { return }
    lastLookAtPolled = now
    polled.removeAll { process in
      guard !process.lives else { return false }
      seeExit(process)
      return true
    }
  }

  /// So often: a process without a descriptor has to be looked for in /proc.
  private static var polledInterval: Int64 { 50_000_000 }

  /// Ends whose status is known, or will never be.
  func settleExits(_ now: HostTime) {
    lookAtPolled(now)
    guard !exiting.isEmpty else { return }
    // Its children and its own reports came before its end; whose they were is forgotten with it.
    hearProcesses()
    hearAbsences()
    if pools.mayHaveNew { discoverPools() }
    var staying: [TrackedProcess] = []
    for process in exiting {
      askStatus(process)
      let patient = now - (process.end.seen ?? now) < Self.statusPatience
      // A caller that waits for the end of a process must not wait for room on a disk.
      if let stall, stall.isLong(now), process.end.status != nil || !patient {
        announce(process, now)
      }
      let isUnread = patient && process.end.status?.isCrash == true && isPrinting(process)
      if store.isStuck || isUnread || (process.end.status == nil && patient)
        || !settle(process, now)
      {
        staying.append(process)
      }
    }
    exiting = staying
  }

  /// Whether more of what the process has printed may come: a crash is told in its last lines.
  private func isPrinting(_ process: TrackedProcess) -> Bool {
    exchange.state.withLock { $0.registry.printing[process.pid] != nil }
  }

  /// When the process began to print its stack, where it did and was listened to.
  private func crashTime(of process: TrackedProcess) -> HostTime? {
    exchange.state.withLock { $0.registry.crashes[process.pid] }
  }

  private func askStatus(_ process: TrackedProcess) {
    guard process.end.status == nil else { return }
    var result = cplatform_wait_result()
    if process.isLaunched || options.reapsDescendants,
      cplatform_wait(process.pid, 0, 0, 0, &result) == 0, result.pid == process.pid
    {
      process.end.status = ExitStatus(result)
      process.evidence = .child
      return
    }
    var status: Int32 = 0
    if process.pidfd >= 0, cplatform_pidfd_exit_status(process.pidfd, &status) == 0 {
      process.end.status = ExitStatus(cplatform_split_status(process.pid, status))
      return
    }
    if let told = recentExits.take(process.pid) {
      process.end.status = told.status
      process.end.time = told.time
      process.evidence = .kernelEvents
    }
  }

  /// The last events and the exit; false when the file is full and it must be done again.
  private func settle(_ process: TrackedProcess, _ now: HostTime) -> Bool {
    if process.isLaunched, process.end.status != nil, processes[process.pid] === process {
      reapAgain(process)
    }
    let now = exchange.now()
    let status = process.end.status ?? .unknown
    if process.stream == nil, isWrittenDown(process) {
      if process.identity != nil { writeDown(process) } else { summary.bystanders += 1 }
    }
    if process.stream == nil || process.isBystander, isWrittenDown(process) {
      noteSeen(process, status)
    }
    let isHolder = processes[process.pid] == nil || processes[process.pid] === process
    let isKill = status == .signal(SIGKILL)
    let (death, killed, asked) = exchange.state.withLock {
      isHolder ? $0.registry.end(of: process.pid, isKill: isKill) : (nil, nil, nil)
    }
    // While the runtime printed the stack nothing of the app ran: it ended when it crashed.
    let crashed = status.isCrash && death == nil ? crashTime(of: process) : nil
    if let stream = process.stream {
      drain(stream, upTo: now, last: true)
      guard !store.isStuck else { return false }
      if let death, death.isPurge { recordPurge(death, stream, killed ?? now, now) }
      let (cause, code) = causeAndCode(status, death, asked: asked)
      if !stream.hasEnded, !process.isBystander { noteCrash(stream, process.pid, cause, code) }
      let time = crashed.map { max($0, stream.intake.lastTime) } ?? exitTime(process, stream, now)
      conclude(stream, cause: cause, code: code, main: death?.main ?? "", process, time)
      guard !store.isStuck else { return false }
      if !process.isBystander { remember(stream) }
    }
    if isHolder {
      processes[process.pid] = nil
      releaseHeld(process.pid, into: nil)
    }
    announce(process, now)
    return true
  }

  /// The whole life of a process without the SDK, as an event of the device: a stream of its own, as
  /// it has where it lives for longer, would take more than all that there is to say of it.
  private func noteSeen(_ process: TrackedProcess, _ status: ExitStatus) {
    let end = process.end.time ?? process.end.seen ?? exchange.now()
    let code: UInt64 =
      switch status {
      case .code(let code): UInt64(UInt8(truncatingIfNeeded: code))
      case .signal(let signal): UInt64(128 + signal)
      case .unknown: 256
      }
    record(
      RecordedEvent(at: end, observer: .recorder) {
        Payload.ProcessSeen(
          pid: UInt64(process.pid),
          parent: UInt64(max(0, process.parent)),
          command: $0.name(process.command),
          lasted: max(0, end - process.seen),
          status: code
        )
      },
      in: device
    )
  }

  /// Reports a crash while its stream still has the things that were open then.
  private func noteCrash(_ stream: WriterStream, _ pid: Int32, _ cause: String, _ code: UInt64) {
    guard let how = stream.intake.state.crash(cause: cause, code: code, names: names) else {
      return
    }
    for body in exchange.state.withLock({ $0.listeners.crashes }) {
      body("\(stream.attributes.app) (\(pid)) \(how)")
    }
  }

  /// Answers all that wait for the end of the process.
  private func announce(_ process: TrackedProcess, _ now: HostTime) {
    // Its number may be another one's by now, whose end this is not.
    let isHolder = processes[process.pid] == nil || processes[process.pid] === process
    guard !process.end.isAnnounced, isHolder || process.exit != nil else { return }
    process.end.isAnnounced = true
    let status = process.end.status ?? .unknown
    let writer = process.isBystander ? nil : process.stream?.id
    let bodies = exchange.state.withLock { state in
      guard isHolder else { return state.listeners.exits }
      let (printed, waits) = state.registry.end(
        process.pid,
        stream: process.stream?.id,
        isLaunched: process.isLaunched,
        lastWords: writer
      )
      state.put(printed, into: device.id)
      for wait in waits { wait.signal() }
      return state.listeners.exits
    }
    exchange.exits.end(process.pid, status, of: process.exit)
    let exit = ProcessExit(
      pid: process.pid,
      writer: writer,
      status: status,
      evidence: process.evidence,
      time: now
    )
    for body in bodies { body(exit) }
  }

  /// The status may have come from the kernel's events: the child is still to be waited for.
  private func reapAgain(_ process: TrackedProcess) {
    var result = cplatform_wait_result()
    if cplatform_wait(process.pid, 0, 0, 0, &result) == 0, result.pid == process.pid {
      process.end.status = ExitStatus(result)
    }
    process.evidence = .child
  }

  /// The kernel's own time where it reported one, but never before the last event.
  ///
  /// Where no recorder looked it is the time of the last event, so that no time is counted in which
  /// the process may have been gone.
  private func exitTime(_ process: TrackedProcess, _ stream: WriterStream, _ now: HostTime)
    -> HostTime
  {
    if process.end.isFound, process.end.time == nil { return stream.intake.lastTime }
    return max(process.end.time ?? process.end.seen ?? now, stream.intake.lastTime)
  }

  private func causeAndCode(_ status: ExitStatus, _ death: Death?, asked: String?)
    -> (String, UInt64)
  {
    switch status {
    case .code(let code):
      let cause = death?.cause ?? asked ?? "exit"
      return (cause, death?.code ?? UInt64(UInt32(bitPattern: code)))
    case .signal(let signal): return (death?.cause ?? "signal", death?.code ?? UInt64(signal))
    case .unknown: return (death?.cause ?? "unknown", death?.code ?? 0)
    }
  }

  /// What a purge brings about, such as the end of a process that talked to the app, comes behind it:
  /// its time is that of the signal, and not that at which the end was seen.
  private func recordPurge(
    _ death: Death,
    _ stream: WriterStream,
    _ killed: HostTime,
    _ now: HostTime
  ) {
    guard !stream.intake.isFull || seal(stream) else { return }
    let time = keepSettled(stream, before: killed) ? killed : now
    let purge = Payload.Purge(cause: intern(death.cause), evidence: intern("host"))
    append(Event(purge, at: max(time, stream.intake.lastTime), observer: .host), to: stream)
  }

  /// Ends a stream: its exit, its last chunk, its pool's file.
  ///
  /// `main` is what its main thread did when the system killed it; empty where nobody looked.
  func conclude(
    _ stream: WriterStream,
    cause: String,
    code: UInt64,
    main: String = "",
    _ process: TrackedProcess,
    _ time: HostTime
  ) {
    if !stream.hasEnded {
      guard !stream.intake.isFull || seal(stream) else { return }
      noteRefused(stream, time)
      let isFound = process.end.isFound && process.end.time == nil
      let evidence = isFound ? ExitEvidence.goneAtRecovery : process.evidence.word
      let exit = Payload.ProcessExit(
        cause: intern(cause),
        code: code,
        evidence: intern(evidence),
        main: main.isEmpty ? nil : intern(main)
      )
      var event = Event(exit, at: time, observer: .recorder)
      if process.evidence == .sampled { event.flags.insert(.sampled) }
      if isFound { event.flags.insert(.inferred) }
      if HarnessEnd.isOne(cause) { countOpen(stream) } else { countUnsaved(stream, cause) }
      if !stream.intake.state.data.isEmpty { summary.hasData = true }
      append(event, to: stream)
      stream.attributes.evidence = process.evidence
      stream.hasEnded = true
    }
    guard seal(stream) else { return }
    noteCut(stream)
    stream.pool?.unlinkFile()
    stream.ledger?.remove()
    stream.pool = nil
    stream.ledger = nil
    stream.intake.rest()
    for id in endedStreams.add(stream.id) { streams[id] = nil }
    pools.makeRoom()
  }

  /// Says that part of the process's memory was not there to be read.
  func noteCut(_ stream: WriterStream) {
    guard let pool = stream.pool, pool.wasCut else { return }
    note("\(pool.name) was cut short: what stood behind the cut is not in the recording")
    summary.poolsRefused += 1
  }

  /// What the end lost, for the summary.
  private func countUnsaved(_ stream: WriterStream, _ cause: String) {
    let level = DurabilityLevel.surviving(cause)
    let unsaved = stream.intake.state.unsaved(at: level)
    summary.unsavedObjects += unsaved.count
    summary.survivingObjects += unsaved.count { $0.survival(at: level) != nil }
    summary.unsavedBytes &+= stream.intake.state.unsavedBytes(at: level)
    if stream.intake.state.isFull(.data) { summary.hasMoreObjects = true }
  }

  /// What was unsaved when the recording ended, or ended the process.
  func countOpen(_ stream: WriterStream) {
    summary.openObjects += stream.intake.state.unsaved().count
    summary.openBytes &+= stream.intake.state.unsavedBytes()
    if stream.intake.state.isFull(.data) { summary.hasMoreObjects = true }
  }

  /// Events that were counted instead of written because the file had its size.
  func noteRefused(_ stream: WriterStream, _ time: HostTime) {
    while let since = stream.intake.refused.since, let loss = stream.intake.refused.next {
      let now = max(time, stream.intake.lastTime)
      guard addLoss(loss, to: stream, from: since, at: now, why: Self.maxSize) else { return }
      stream.intake.refused.note(loss)
    }
  }

  /// Keeps the state of the ended stream for the next launch of its app.
  private func remember(_ stream: WriterStream) {
    lastLives.remember((stream.id, stream.intake.state), of: stream.attributes, in: stream.test)
  }
}

extension EvidenceTier {
  /// The word in process events.
  var word: String {
    switch self {
    case .child: "wait status"
    case .joined: "pidfd"
    case .kernelEvents: "kernel"
    case .sampled: "sampled"
    case .log: "log"
    case .simulated: "simulated"
    }
  }
}
