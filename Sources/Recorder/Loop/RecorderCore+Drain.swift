// SPDX-License-Identifier: Apache-2.0

import CLifetrace
import LifetraceLifecycle
import LifetraceTrace

// From the pool into the chunk, and from the chunk into the file.
extension RecorderCore {
  /// Whether chunks can be written; a chunk that the file refused is tried again each second.
  func makesWay(_ now: HostTime, atOnce: Bool = false) -> Bool {
    guard store.isStuck else { return true }
    let isDue = stall?.isDue(now) ?? true
    guard isDue || atOnce, store.retry() else { return false }
    if let stream = stall?.stream { release(stream) }
    stall = nil
    return true
  }

  /// Everything before `limit`, merged with what the host saw; how many events.
  ///
  /// `last` takes all that was committed, whatever its time: the process is gone.
  @discardableResult
  func drain(_ stream: WriterStream, upTo limit: HostTime, last: Bool = false) -> Int {
    if let pool = stream.pool {
      stream.intake.reader.look(pool, fit)
      // The strings after the indices: they were committed before the records that use them.
      if stream.intake.reader.hasMore || !stream.hasStarted {
        stream.intake.tables.refresh(pool, names: &names, redact: redact)
      }
      begin(stream, pool, limit)
      if stream.mayLackBefore {
        stream.mayLackBefore = false
        noteLosses(stream, stream.intake.lastTime)
      }
      noteResume(stream)
      if let first = stream.intake.reader.firstTime {
        guard keepSettled(stream, before: HostTime(rawValue: first)) else { return 0 }
      }
    }
    let end = last ? Int64.max : limit.rawValue
    var count = 0
    while true {
      let post = stream.waiting.first.flatMap { $0.event.time <= limit ? $0 : nil }
      let until = post.map { min($0.event.time.rawValue, end) } ?? end
      if stream.pool != nil {
        if store.isFull {
          // A position says how far a block is done with, whether written or counted. Events that
          // were read to be written come into the file before any are counted.
          guard !stream.intake.refused.isKept || stream.intake.isEmpty || seal(stream) else {
            return count
          }
          count += stream.intake.refuse(upTo: until, fit)
        } else {
          if !stream.intake.refused.isKept { consume(stream) }
          guard reportRefused(stream) else { return count }
          let wasEmpty = stream.intake.isEmpty
          let possible = earliest(stream, limit)...limit.rawValue
          let before = stream.intake.count
          count += stream.intake.take(upTo: until, clamp: possible, fit, words, names)
          report(stream, from: before)
          if wasEmpty { stream.openSince = limit.rawValue }
        }
      }
      if stream.intake.isFull {
        guard seal(stream) else { return count }
        continue
      }
      guard let post else { break }
      stream.waiting.removeFirst()
      append(post.event, to: stream)
      if let place = post.place { stream.unwritten.append((place, stream.intake.sequence - 1)) }
      count += 1
      if post.event.kind == .suspend, settlement == nil, !seal(stream) { return count }
    }
    noteLosses(stream, limit)
    return count
  }

  /// There is room again: the trace says what was counted meanwhile; false where it takes no chunk.
  ///
  /// In a chunk of its own: a file that is freed keeps chunks with losses while their process lives.
  private func reportRefused(_ stream: WriterStream) -> Bool {
    guard stream.intake.refused.next != nil else { return true }
    guard seal(stream) else { return false }
    noteRefused(stream, stream.intake.refused.last)
    return seal(stream)
  }

  func append(_ event: Event, to stream: WriterStream) {
    var event = event
    if !keepSettled(stream, before: event.time) { event.time = max(event.time, settledEnd) }
    if stream.intake.isEmpty { stream.openSince = event.time.rawValue }
    stream.intake.append(event, names)
    report(stream, from: stream.intake.count - 1)
  }

  /// Reports the newest events of a stream to the observer.
  private func report(_ stream: WriterStream, from index: Int) {
    guard let observer, index < stream.intake.count else { return }
    let events = stream.intake.events(from: index)
    observer.report(
      Sighting.all(of: events, by: stream.id, kinds: observer.kinds, names: names)
    )
  }

  /// The start of the process, before its first event.
  private func begin(_ stream: WriterStream, _ pool: PoolFile, _ now: HostTime) {
    guard !stream.hasStarted else { return }
    stream.hasStarted = true
    var time = fit.time(of: pool.facts.attach_tick)
    if let first = stream.intake.reader.firstTime { time = min(time, HostTime(rawValue: first)) }
    if let first = stream.waiting.first { time = min(time, first.event.time) }
    time = min(max(time, HostTime(rawValue: fit.start), settledEnd), now)
    stream.attributes.started = time
    let start = Payload.ProcessStart(
      previous: stream.attributes.previous?.low ?? 0,
      reason: names.intern(redact(pool.reason)),
      app: intern(stream.attributes.app),
      version: names.intern(redact(pool.version))
    )
    append(Event(start, at: time, observer: .recorder), to: stream)
    nameTest(pool, stream, time)
  }

  /// For which test the process was started, where a harness says so.
  private func nameTest(_ pool: PoolFile, _ stream: WriterStream, _ time: HostTime) {
    guard !stream.test.isEmpty else { return }
    let name = redact(PoolText(string: stream.test, isCut: pool.test.isCut))
    let config = Payload.ProcessConfig(key: intern("test"), value: names.intern(name))
    append(Event(config, at: time, observer: .recorder), to: stream)
  }

  /// An app that another process stopped has events again: it runs since it was last seen stopped.
  private func noteResume(_ stream: WriterStream) {
    guard stream.intake.reader.hasMore,
      let process = processes[Int32(bitPattern: stream.attributes.pid)],
      process.stream === stream
    else { return }
    recordResume(process)
  }

  /// Losses that the process has counted since the last look.
  private func noteLosses(_ stream: WriterStream, _ now: HostTime) {
    guard let pool = stream.pool else { return }
    let from = stream.intake.lastTime
    while let loss = stream.intake.reader.nextDropped(pool),
      addLoss(loss, to: stream, from: from, at: now, why: Self.poolFull)
    {
      stream.intake.reader.noteDropped(loss)
    }
    while let loss = stream.intake.nextNamesLost {
      // The events are there: that they are known only in part taints their ledger, and no more.
      let nameless = LossCount(family: loss.family, count: 0)
      guard addLoss(nameless, to: stream, from: from, at: now, why: "no room for names") else {
        return
      }
      summary.namesLost &+= loss.count
      stream.intake.noteNamesLost(loss)
    }
  }

  /// Why the process itself dropped events and counted them in its pool.
  static var poolFull: String { "pool full" }
  /// Why the recorder counted events instead of writing them.
  static var maxSize: String { "max size" }

  /// Counts a loss in the head of the open chunk and reports it in an event of the same chunk;
  /// false where the file takes no more, and then nothing is counted.
  func addLoss(
    _ loss: LossCount,
    to stream: WriterStream,
    from: HostTime,
    at now: HostTime,
    why: String
  ) -> Bool {
    guard !stream.intake.isFull || seal(stream) else { return false }
    stream.intake.count(loss)
    let lost = Payload.Loss(
      family: loss.family,
      count: loss.count,
      from: max(0, from.rawValue),
      why: intern(why)
    )
    append(Event(lost, at: now, observer: .recorder), to: stream)
    return true
  }

  /// Writes the open chunk; false when the file refused it.
  func seal(_ stream: WriterStream, isLast: Bool = false) -> Bool {
    guard !store.isStuck else { return false }
    guard !stream.intake.isEmpty else { return true }
    // The chunk's positions cover what was counted.
    keepRefusals(stream)
    // The trace's owner must be known as soon as it holds a chunk.
    if stream.writtenPlace == nil { keepWritten(stream) }
    var chunk = stream.intake.seal(
      writer: stream.id,
      attributes: stream.attributes,
      keepsLast: !store.keepsAll,
      settling: settlement?.seal(upTo: stream.intake.lastTime, isLast: isLast) ?? .none,
      names: names
    )
    let (first, last) = (chunk.header.firstTime, chunk.header.lastTime)
    let now = ClockReading(usingCounter: usesCounter)
    chunk.header.clocks = clockHistory.brackets(from: first, to: last, now: now)
    chunk.header.fit = Array(fit.pieces(from: first, to: last))
    for (place, sequence) in stream.unwritten {
      exchange.journal.send(place, to: .init(writer: stream.id, sequence: sequence))
    }
    guard store.append(chunk) else {
      stall = Stall(of: stream, since: exchange.now())
      reportStall()
      return false
    }
    release(stream)
    return true
  }

  /// The chunk is written, and only now: a recorder that dies before it leaves the records where they are.
  private func release(_ stream: WriterStream) {
    if stream.pool != nil {
      let (next, positions) = (stream.intake.sequenceSealed, stream.intake.reader.positions())
      session.written.keep(.init(writer: stream.id, next: next, positions: positions))
    }
    keepWritten(stream)
    consume(stream)
    for (place, _) in stream.unwritten { exchange.journal.release(place) }
    stream.unwritten.removeAll(keepingCapacity: true)
  }

  private func keepWritten(_ stream: WriterStream) {
    session.written.keep(stream.intake.sequenceSealed, of: stream.id, at: &stream.writtenPlace)
  }

  /// The process gets its blocks back once their events are written or counted.
  private func consume(_ stream: WriterStream) {
    guard let pool = stream.pool else { return }
    keepRefusals(stream)
    stream.intake.consume(pool)
  }

  private func keepRefusals(_ stream: WriterStream) {
    guard !stream.intake.refused.isKept, let pool = stream.pool else { return }
    if stream.ledger == nil {
      stream.ledger = RefusalLedger(
        in: session.path,
        of: pool.writer,
        blocksMax: pool.blocksMax
      )
    }
    _ = stream.ledger?.keep(stream.intake.refusals)
  }

  /// Says once that the file takes no more; events that it does not take stay in the pools.
  private func reportStall() {
    let problem = store.problem?.description ?? "\(stuckError)"
    reportProblem("\(problem)\n  Recording goes on in the apps' buffers until there is room.")
  }

  func reportProblem(_ problem: String) {
    for body in exchange.state.withLock({ $0.listeners.problems }) { body(problem) }
  }

  /// Chunks that are old, or that hold too much of a small pool.
  func sealWhenDue(_ now: HostTime) {
    settleWhenDue(now)
    var idle = false
    for stream in live {
      if let pool = stream.pool {
        let limit = pool.blocksReady * Int(PoolReader.blockRecords)
        let taken = max(stream.intake.reader.unconsumed, stream.intake.reader.closedRecords(pool))
        if taken * 4 > limit {
          if !stream.intake.isEmpty {
            guard seal(stream) else { return }
          } else {
            consume(stream)
          }
        }
      }
      if !stream.intake.isEmpty, now.rawValue - stream.openSince >= options.sealAfterNanoseconds {
        guard seal(stream) else { return }
      }
      idle = idle || (stream.hasEnded && stream.intake.isEmpty && stream.waiting.isEmpty)
    }
    if idle { live.removeAll { $0.hasEnded && $0.intake.isEmpty && $0.waiting.isEmpty } }
  }
}
