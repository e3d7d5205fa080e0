// SPDX-License-Identifier: Apache-2.0

import LifetraceLifecycle
import CLifetrace
import CLifetracePlatform
import LifetracePlatform
import LifetraceTrace

// The end of the recording: remaining events are drained, the file is closed, the session goes.
extension RecorderCore {
  func end() throws(RecorderError) -> RecordingSummary {
    do throws(RecorderError) {
      return try endAll()
    } catch {
      throw try failure(after: error)
    }
  }

  private func endAll() throws(RecorderError) -> RecordingSummary {
    if options.launchedDieWithRecorder { killLaunched() }
    lt_drain_close_session(session.session)
    if !isDiscarded { try bringBackOutput() }
    discoverPools()
    hearAbsences()
    runOnce()
    settleAll()
    giveUpPools()
    writeDownBystanders(exchange.now(), all: true)
    for process in processes.values { lookForMark(process) }
    exchange.state.withLock { state in
      state.put(state.registry.takeAllEarly(), into: device.id)
    }
    let (now, late) = takeSubmissions()
    stopRequests += late.compactMap(\.answer)
    _ = makesWay(now, atOnce: true)
    for stream in streams.values { noteCut(stream) }
    for stream in Array(streams.values) where !store.isStuck {
      if stream.pool != nil || !stream.waiting.isEmpty { drain(stream, upTo: now) }
      noteRefused(stream, now)
      // A stream that goes on without us says so; one that ended has its exit. The device goes on,
      // unless nothing was ever reported of it.
      if !stream.hasEnded, stream !== device || stream.intake.sequence > 0, hasRoom(stream) {
        countOpen(stream)
        append(
          Event(Payload.End(), at: max(now, stream.intake.lastTime), observer: .recorder),
          to: stream
        )
      }
      _ = seal(stream)
    }
    if !store.isStuck, !store.pour() { throw stuckError }
    guard !store.isStuck else { throw stuckError }
    if isDiscarded { store.discard() } else { try finishOutput() }
    for stream in streams.values { stream.pool?.unlinkFile() }
    if !isDiscarded, let hint = options.observation?.unmatched(in: session.path) {
      summary.remarks.append(hint)
    }
    if summary.poolsLeft == 0 { session.remove() }
    summary.isObserved = options.observation != nil
    summary.isSampled = options.seesBystanders && !kernelEvents.isOpen
    summary.events = store.events - min(store.events, summary.gone)
    summary.losses = store.losses
    summary.letGo = store.letGo
    summary.crowdedOut = store.crowdedOut
    summary.released = store.eventsReleased
    summary.bytes = store.bytes
    // A daemon of the command, say, which may even have had no time to join.
    var living = Set(processes.values.filter { !$0.hasEnded && $0.lives }.map(\.pid))
    if options.reapsDescendants {
      living.formUnion(
        ProcFS.children(of: getpid()).filter {
          ProcFS.status(of: $0).map { $0.state != UInt8(ascii: "Z") } ?? false
        }
      )
    }
    summary.stillRunning = living.subtracting([guardianPID]).count
    summary.streamsKept = streams.count
    summary.namesBytes = names.textBytes
    return summary
  }

  /// It cannot run: the earlier file is back, and the leftovers of a dead recorder stay.
  func giveUp() {
    guard recovery.phase == .none else { return }
    store.discard()
    session.remove()
  }

  private func hasRoom(_ stream: WriterStream) -> Bool { !stream.intake.isFull || seal(stream) }

  /// Processes that have ended already get their exits, even those whose status was not reported.
  private func settleAll() {
    let limit = cplatform_monotonic() + 1_000_000_000
    for process in processes.values where !process.hasEnded {
      var facts = ProcFS.status(of: process.pid)
      if facts?.start != process.start { facts = nil }
      if facts == nil || facts?.state == UInt8(ascii: "Z") { seeExit(process) }
    }
    while !exiting.isEmpty, cplatform_monotonic() < limit, !store.isStuck {
      runOnce()
      usleep(1_000)
    }
  }

  /// The last attempts; files that cannot be read now either are reported, and kept in the session.
  private func giveUpPools() {
    for _ in 0..<Self.lastAttempts where !pools.unread.isEmpty {
      usleep(100_000)
      pools.mayHaveNew = true
      runOnce()
      settleAll()
    }
    guard !pools.unread.isEmpty, !isDiscarded else { return }
    summary.poolsLeft = pools.unread.count
    summary.isAsAsked = false
    for (name, why) in pools.unread.sorted(by: { $0.key < $1.key }).prefix(Self.refusalsNamedMax) {
      note(
        "a process (\(name)) is not recorded: \(why)",
        name: RecorderNote.notJoined,
        identity: UInt64(name.suffix(16), radix: 16) ?? 0
      )
    }
    let why = pools.unread.values.min() ?? ""
    summary.remarks.append(
      "\(Quantity.count(summary.poolsLeft, "process")) could not be read: \(why)\n"
        + "  What it has recorded is kept; to bring it in: lifetrace record --recover "
        + session.path
    )
  }

  private static var lastAttempts: Int { 3 }

  /// Everything that was launched, and everything below it, ends here.
  private func killLaunched() {
    // A launched process takes those that it has started with it.
    for process in processes.values where !process.hasEnded {
      exchange.state.withLock { $0.registry.endWithRecording(process.pid) }
    }
    for process in processes.values where process.isLaunched && !process.hasEnded {
      kill(-process.pid, SIGKILL)
      kill(process.pid, SIGKILL)
    }
    cplatform_kill_marked("LIFETRACE_SESSION=\(session.path)")
    let limit = cplatform_monotonic() + 5_000_000_000
    while processes.values.contains(where: \.isLaunched), cplatform_monotonic() < limit,
      !store.isStuck
    {
      for process in processes.values where process.isLaunched && !process.hasEnded {
        if ProcFS.status(of: process.pid).map({ $0.state == UInt8(ascii: "Z") }) ?? true {
          seeExit(process)
        }
      }
      runOnce()
      usleep(500)
    }
  }
}
