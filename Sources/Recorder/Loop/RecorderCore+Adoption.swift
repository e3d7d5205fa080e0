// SPDX-License-Identifier: Apache-2.0

import LifetracePlatform
import LifetraceLifecycle
import LifetraceTrace

// The streams of a recorder that died: those in its trace are continued.
extension RecorderCore {
  /// Continues the streams of a dead recorder's trace, and takes in what its pools still hold.
  func adopt(_ adoption: Adoption, _ names: Names, _ left: [SubmissionJournal.Left]) {
    self.names = names
    recovery = Recovery(adoption)
    summary.elsewhere = adoption.elsewhere
    if settlement != nil, let latest = adoption.streams.values.map(\.lastTime).max() {
      settlement = Settlement(latest: latest)
    }
    for (id, known) in recovery.left where id != device.id { summary.count(known) }
    if let known = recovery.take(device.id) {
      goOn(device, known)
    } else {
      goOnUnknown(device)
    }
    rememberEnded()
    discoverPools()
    for (id, known) in recovery.left where !known.hasExited { follow(id, known) }
    for told in left { goOn(told, adoption) }
    recovery.finish()
  }

  /// Events submitted to the dead recorder, unless they stand in the trace.
  private func goOn(_ told: SubmissionJournal.Left, _ adoption: Adoption) {
    guard let place = told.post.place else { return }
    if let destination = told.destination {
      if destination.sequence < adoption.sequence(of: destination.writer) {
        return exchange.journal.release(place)
      }
      exchange.journal.send(place, to: nil)
    }
    var post = told.post
    switch post.subject {
    case .writer(let id): _ = stream(id)
    case .process(let pid), .printer(let pid):
      if let id = writer(pid, at: post.time) {
        _ = stream(id)
        post.subject = .writer(id)
      } else if processes[pid] == nil, case .process = post.subject {
        return exchange.journal.release(place)
      }
    }
    enqueue(post)
  }

  /// The stream of a writer; one that has ended is there again.
  private func stream(_ id: WriterID) -> WriterStream? {
    if let known = streams[id] { return known }
    guard let known = recovery.take(id) else { return nil }
    let stream = WriterStream(
      id: id,
      attributes: known.attributes,
      pool: nil,
      chunkBytesMax: options.chunkBytesMax
    )
    goOn(stream, known)
    streams[id] = stream
    return stream
  }

  /// The process that had the number then; events about it from before it joined are earlier.
  private func writer(_ pid: Int32, at time: HostTime) -> WriterID? {
    var all = streams.mapValues(\.attributes)
    for (id, known) in recovery.left where all[id] == nil { all[id] = known.attributes }
    let holders = all.filter { $1.pid == UInt32(bitPattern: pid) && $1.role != .bystander }
      .sorted { $0.value.started < $1.value.started }
    return (holders.last { $0.value.started <= time } ?? holders.first)?.key
  }

  /// The last life of each app, for a launch after the recorder's death.
  private func rememberEnded() {
    let continued = Set(recovery.left.values.compactMap(\.attributes.previous))
    for (id, known) in recovery.left.sorted(by: { $0.value.lastTime < $1.value.lastTime })
    where known.hasExited && known.attributes.role != .bystander && !continued.contains(id) {
      lastLives.remember((id, known.state), of: known.attributes, in: "")
    }
  }

  func goOn(_ stream: WriterStream, _ known: Adoption.Stream) {
    let evidence = stream.attributes.evidence
    stream.attributes = known.attributes
    stream.attributes.evidence = evidence
    stream.attributes.origin = origin
    stream.hasStarted = known.sequence > 0
    stream.hasEnded = known.hasExited
    stream.intake.resume(at: known.sequence, state: known.state, lastTime: known.lastTime)
    stream.intake.reader.recovered = known.positions
    if known.isCut { stream.intake.reader.trustsConsumed = true }
    for loss in known.dropped { stream.intake.reader.noteDropped(loss) }
    stream.mayLackBefore = known.sequence > 0
  }

  /// Continues behind events that were written and are not in the trace: only their count is known.
  func goOnUnknown(_ stream: WriterStream) {
    guard let next = recovery.takeNumber(of: stream.id) else { return }
    var state = LifeState()
    state.lose(.all, since: stream.attributes.started)
    stream.hasStarted = true
    stream.intake.resume(at: next, state: state, lastTime: stream.attributes.started)
    stream.intake.reader.trustsConsumed = true
  }

  /// A process without a pool: it lives on, or it ended while no recorder looked.
  private func follow(_ id: WriterID, _ known: Adoption.Stream) {
    let pid = Int32(bitPattern: known.attributes.pid)
    let stream = WriterStream(
      id: id,
      attributes: known.attributes,
      pool: nil,
      chunkBytesMax: options.chunkBytesMax
    )
    goOn(stream, known)
    streams[id] = stream
    live.append(stream)
    let process = TrackedProcess(
      pid: pid,
      isLaunched: false,
      evidence: .sampled,
      seen: known.attributes.started
    )
    process.program = known.attributes.app
    if let joined = processes[pid], joined.start == process.start {
      return conclude(stream, cause: "joined", code: 0, process, exchange.now())
    }
    process.record =
      known.attributes.role == .bystander ? .bystander(stream) : .life(stream)
    guard processes[pid] == nil, isTheSame(process, known.attributes) else {
      process.end.status = .unknown
      process.end.isFound = true
      return seeExit(process)
    }
    processes[pid] = process
    watch(process)
  }

  /// Whether the process of that number began no later than the one in the trace was seen.
  private func isTheSame(_ process: TrackedProcess, _ attributes: WriterAttributes) -> Bool {
    guard process.start != 0, attributes.boot == ProcFS.bootID else { return false }
    let ticks = Int64(max(1, sysconf(Int32(_SC_CLK_TCK))))
    let sinceBoot = Int64(clamping: process.start).multipliedReportingOverflow(
      by: 1_000_000_000 / ticks
    )
    let asleep = clockReading.boottime - clockReading.monotonic
    let slop: Int64 = 20_000_000
    return !sinceBoot.overflow
      && sinceBoot.partialValue - asleep
        <= max(0, attributes.started.rawValue) + slop
  }
}

extension RecordingSummary {
  /// What the trace holds already.
  mutating func count(_ known: Adoption.Stream) {
    if known.attributes.role == .bystander {
      bystanders += 1
    } else {
      processes += 1
    }
    unsavedObjects += known.unsavedObjects
    survivingObjects += known.survivingObjects
    unsavedBytes &+= known.unsavedBytes
    if known.hasMoreObjects { hasMoreObjects = true }
    openObjects += known.openObjects
    openBytes &+= known.openBytes
  }
}
