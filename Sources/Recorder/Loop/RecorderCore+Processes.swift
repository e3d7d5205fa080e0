// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetraceLifecycle
import LifetracePlatform
import LifetraceTrace

// How processes join: with pools, and written down without one.
extension RecorderCore {
  /// Pools that appeared since the last look.
  func discoverPools() {
    var found: [PoolFile] = []
    let names = namesInDirectory(session.path).filter {
      $0.hasPrefix(PoolFile.prefix) && !$0.hasSuffix(".tmp")
    }
    for name in pools.takeNew(of: names) {
      do throws(PoolRefusal) {
        let pool = try PoolFile(name, in: session.path, bytesMax: session.poolBytesMax)
        if store.isStuck, processes[Int32(bitPattern: pool.facts.pid)]?.stream?.pool != nil {
          // The life before it must end first, and that cannot be written now.
          pools.putOff(name)
        } else {
          found.append(pool)
        }
      } catch {
        refuse(name, error)
      }
    }
    // A process that has called exec since the last look has two: the earlier one comes first.
    found.sort { $0.facts.attach_tick < $1.facts.attach_tick }
    for pool in found { join(pool) }
  }

  private func refuse(_ name: String, _ refusal: PoolRefusal) {
    switch refusal {
    case .unusable(let why):
      summary.poolsRefused += 1
      // A process that makes a million of them does not fill the file with them.
      if summary.poolsRefused <= Self.refusalsNamedMax { note("\(name) is not read: \(why)") }
    case .unreadable(let why):
      pools.tryAgain(name, why, now: exchange.now())
    case .tooMany:
      pools.tryAgain(name, "more processes than can be followed", now: exchange.now())
      if pools.keepWaiting(name) {
        note("more processes than can be followed: some wait until others end")
      }
    }
  }

  /// A line in the device stream about the recording itself.
  func note(_ text: String, name: String = "", identity: UInt64 = 0) {
    var event = RecordedEvent(at: exchange.now(), name: name, observer: .recorder) {
      Payload.Log(text: $0.name(text), level: .notice)
    }
    event.identity = .number(identity)
    record(event, in: device)
  }

  /// An event that the recorder itself has seen, as safe from a kill as those of a host.
  func record(_ event: RecordedEvent, in stream: WriterStream) {
    let time = event.time ?? exchange.now()
    let post = Submission(subject: .writer(stream.id), event: event, time: time)
    enqueue(post.kept(at: exchange.journal.keep(post)))
  }

  private func join(_ pool: PoolFile) {
    guard streams[pool.writer] == nil, !endedStreams.contains(pool.writer) else {
      return refuse(pool.name, .unusable("its writer is known already"))
    }
    let process = process(of: pool)
    let pid = process.pid
    if let before = process.stream?.pool, process.start == pool.facts.pid_start,
      ProcFS.maps(pid, fileNamed: before.name)
    {
      return refuse(pool.name, .unusable("process \(pid) writes to another one"))
    }
    if let stream = process.stream, stream.pool == nil, !stream.hasEnded, process.identity != nil {
      return join(pool, stream)
    }
    var attributes = WriterAttributes(
      app: redact(pool.app.string.isEmpty ? pool.process : pool.app)
    )
    attributes.process = redact(pool.process)
    attributes.role = ProcessRole(rawValue: UInt8(truncatingIfNeeded: pool.facts.role)) ?? .app
    attributes.pid = pid == 0 ? pool.facts.pid : UInt32(bitPattern: pid)
    attributes.started = fit.time(of: pool.facts.attach_tick)
    attributes.evidence = process.evidence
    describe(&attributes)
    let life = previousLife(of: pool, process, attributes)
    attributes.previous = life?.writer
    let id = writer(of: pool)
    let stream = WriterStream(
      id: id,
      attributes: attributes,
      pool: pool,
      chunkBytesMax: options.chunkBytesMax
    )
    stream.test = pool.testName
    if let life { stream.intake.beginIncarnation(after: life.state, names: names) }
    stream.intake.reader.trustsConsumed = recovery.trustsConsumed
    let known = recovery.take(id)
    if let known {
      goOn(stream, known)
    } else {
      goOnUnknown(stream)
    }
    if recovery.isUnderWay {
      for last in WrittenLedger.taken(in: session.path) where last.writer == id {
        for position in last.positions { stream.intake.reader.recover(position) }
      }
    }
    if recovery.isUnderWay, let record = RefusalLedger.record(in: session.path, of: pool.writer) {
      stream.intake.adoptRefused(record, told: known?.refused ?? [])
    }
    process.record = .life(stream)
    streams[id] = stream
    live.append(stream)
    if known == nil { summary.processes += 1 }
    // The number of a process that is gone may be another one's by now.
    guard processes[pid] === process else { return }
    releaseHeld(pid, into: stream)
    let waits = exchange.state.withLock { state in
      let (printed, waits) = state.registry.join(pid, id)
      state.put(printed, into: id)
      return waits
    }
    for wait in waits { wait.signal() }
  }

  /// An app that only the host reported so far has events of its own: they join the same stream.
  private func join(_ pool: PoolFile, _ stream: WriterStream) {
    stream.pool = pool
    stream.attributes.process = redact(pool.process)
    keepLive(stream)
  }

  /// The writer of the pool's stream: its own, or whom a dead recorder had given the app before it joined.
  private func writer(of pool: PoolFile) -> WriterID {
    guard recovery.isUnderWay, recovery.left[pool.writer] == nil else { return pool.writer }
    let told = recovery.left.first { id, known in
      known.attributes.pid == pool.facts.pid && known.attributes.role == .app && !known.hasExited
        && !pools.knows(PoolFile.name(of: id))
    }
    return told?.key ?? pool.writer
  }

  /// The process behind a pool: known already, found in /proc, or gone.
  private func process(of pool: PoolFile) -> TrackedProcess {
    let pid = Int32(bitPattern: pool.facts.pid)
    if let known = processes[pid], known.start == pool.facts.pid_start || known.start == 0 {
      return known
    }
    let process = TrackedProcess(
      pid: pid,
      isLaunched: false,
      evidence: .joined,
      seen: exchange.now()
    )
    let isGone = process.start == 0 || process.start != pool.facts.pid_start
    if isGone, pool.isHeld == true { return processElsewhere(pool) }
    if !isGone || processes[pid] == nil { put(process) }
    // Answers about its number are about another process.
    if isGone, process.start != 0 { process.end.status = .unknown }
    process.end.isFound = isGone && recovery.isUnderWay
    guard !isGone else {
      seeExit(process)
      return process
    }
    watch(process)
    followChildren(of: pid, at: process.seen)
    return process
  }

  /// The living process behind a pool that says a number of another pid namespace.
  private func processElsewhere(_ pool: PoolFile) -> TrackedProcess {
    guard let pid = ProcFS.process(numbered: pool.facts.pid, mapping: pool.name) else {
      let process = TrackedProcess(holding: pool, seen: exchange.now())
      polled.append(process)
      return process
    }
    if let known = processes[pid] { return known }
    let process = TrackedProcess(
      pid: pid,
      isLaunched: false,
      evidence: .joined,
      seen: exchange.now()
    )
    put(process)
    watch(process)
    followChildren(of: pid, at: process.seen)
    return process
  }

  /// The process has this number from now on: one that had it before has ended, however that was.
  func put(_ process: TrackedProcess) {
    if let before = processes[process.pid], before !== process {
      // What can be asked about its number is about the new one.
      if before.end.status == nil {
        var status: Int32 = 0
        let isTold = cplatform_pidfd_exit_status(before.pidfd, &status) == 0
        before.end.status =
          isTold ? ExitStatus(cplatform_split_status(before.pid, status)) : .unknown
      }
      seeExit(before)
    }
    processes[process.pid] = process
  }

  /// Whether the process of that number is not the one that is known.
  func isReused(_ known: TrackedProcess) -> Bool {
    guard known.hasEnded, let facts = ProcFS.status(of: known.pid) else { return false }
    return facts.start != known.start || facts.state != UInt8(ascii: "Z")
  }

  /// By exec if it is the same process, otherwise the last ended incarnation of the same app.
  private func previousLife(
    of pool: PoolFile,
    _ process: TrackedProcess,
    _ attributes: WriterAttributes
  ) -> (writer: WriterID, state: LifeState)? {
    if let before = process.stream {
      drain(before, upTo: exchange.now(), last: true)
      conclude(
        before,
        cause: process.isBystander ? "joined" : "exec",
        code: 0,
        process,
        exchange.now()
      )
      return (before.id, before.intake.state)
    }
    let named = WriterID(high: pool.facts.previous_high, low: pool.facts.previous_low)
    if let known = streams[named] { return (named, known.intake.state) }
    return lastLives.take(attributes, in: pool.testName)
  }

  /// Descendants that have not joined within two seconds become streams of their own.
  func writeDownBystanders(_ now: HostTime, all: Bool) {
    for process in Array(processes.values)
    where process.stream == nil && isWrittenDown(process)
      && (all || now - process.seen > 2_000_000_000)
    {
      lookForMark(process)
      writeDown(process)
      // It has no pool that would be evidence of it after a kill.
      if let stream = process.stream, !process.hasEnded {
        drain(stream, upTo: now)
        _ = seal(stream)
      }
    }
  }

  /// Whether the process has a stream without a pool of its own.
  func isWrittenDown(_ process: TrackedProcess) -> Bool {
    options.seesBystanders || process.identity != nil
  }

  /// The host knows which app the process is.
  func identify(_ pid: Int32, as app: String, after previous: WriterID?) {
    guard let process = processes[pid] else { return }
    process.identity = (app, previous)
    guard let stream = process.stream, process.isBystander else { return }
    summary.bystanders -= 1
    stream.attributes.app = redact(app)
    stream.attributes.role = .app
    present(process, stream)
  }

  /// The stream of a process without a pool is that of an app: the host's sightings go into it.
  private func present(_ process: TrackedProcess, _ stream: WriterStream) {
    process.record = .life(stream)
    summary.processes += 1
    let pid = process.pid
    guard processes[pid] === process else { return }
    releaseHeld(pid, into: stream)
    exchange.state.withLock { $0.put($0.registry.present(pid, stream.id), into: stream.id) }
  }

  /// Gives a process without a pool a stream with its start.
  func writeDown(_ process: TrackedProcess) {
    var random = SystemRandomNumberGenerator()
    let known = process.identity?.previous.flatMap { streams[$0] }
    let app = known?.attributes.app ?? redact(process.identity?.app ?? process.program)
    let role: ProcessRole = process.identity == nil ? .bystander : .app
    var attributes = WriterAttributes(app: app, role: role)
    attributes.pid = UInt32(bitPattern: process.pid)
    attributes.started = process.seen
    attributes.evidence = process.evidence
    describe(&attributes)
    let remembered = role == .app ? lastLives.take(attributes, in: "") : nil
    let life = known.map { (writer: $0.id, state: $0.intake.state) } ?? remembered
    attributes.previous = life?.writer
    let id = WriterID(high: random.next(), low: random.next())
    let stream = WriterStream(
      id: id,
      attributes: attributes,
      pool: nil,
      chunkBytesMax: options.chunkBytesMax
    )
    if let life { stream.intake.beginIncarnation(after: life.state, names: names) }
    stream.hasStarted = true
    process.record = role == .bystander ? .bystander(stream) : .life(stream)
    streams[id] = stream
    live.append(stream)
    if role == .app {
      startWithoutPool(process, stream)
      return present(process, stream)
    }
    summary.bystanders += 1
    let (pid, device) = (process.pid, device.id)
    if processes[pid] === process {
      exchange.state.withLock { state in
        state.put(state.registry.watchFromOutside(pid), into: device)
      }
    }
    startWithoutPool(process, stream)
  }

  private func startWithoutPool(_ process: TrackedProcess, _ stream: WriterStream) {
    let start = Payload.ProcessStart(
      previous: stream.attributes.previous?.low ?? 0,
      reason: .empty,
      app: intern(stream.attributes.app),
      version: .empty
    )
    var event = Event(start, at: process.seen, observer: .recorder)
    if process.evidence == .sampled { event.flags.insert(.sampled) }
    append(event, to: stream)
  }
}
