// SPDX-License-Identifier: Apache-2.0

import LifetraceLifecycle
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile

/// What the trace of a dead recorder says of each stream: where to go on so that nothing is lost or doubled.
struct Adoption: Sendable {
  struct Stream: Sendable {
    var attributes: WriterAttributes
    /// The number of its next event.
    var sequence: UInt64
    var lastTime: HostTime
    /// Records of each block that are in the trace, by the block's serial.
    var positions: [UInt64: UInt32] = [:]
    var losses: [LossCount] = []
    /// Those of these that the process itself has dropped and counted.
    var dropped: [LossCount] = []
    /// Those that were counted because the file had its size.
    var refused: [LossCount] = []
    /// The folded state, with strings of the new recorder.
    var state: LifeState
    var hasExited: Bool
    /// What was lost with its process.
    var unsavedObjects = 0
    var survivingObjects = 0
    var unsavedBytes: UInt64 = 0
    /// Whether it had more data objects than are followed.
    var hasMoreObjects = false
    /// What was unsaved when the recording ended its process.
    var openObjects = 0
    var openBytes: UInt64 = 0
    /// The trace does not hold the last that was written.
    var isCut = false
  }

  private(set) var streams: [WriterID: Stream] = [:]
  /// What the trace holds.
  private(set) var events: UInt64 = 0
  private(set) var losses: UInt64 = 0
  /// The next numbers of streams of which the trace holds nothing.
  private(set) var unknown: [WriterID: UInt64]
  /// Events that were written and that the trace does not hold.
  private(set) var elsewhere: UInt64 = 0
  /// What the dead recorder had done with is not in the trace on purpose: it was too old to be kept.
  let trustsConsumed: Bool

  /// Reads the trace up to its torn tail, which the writer has cut off.
  ///
  /// `written` is how far each stream was numbered: behind that it goes on, whatever the trace holds.
  init(
    trace path: String,
    written: [WriterID: UInt64],
    keepsPart: Bool,
    names: inout Names
  ) throws(RecorderError) {
    trustsConsumed = keepsPart
    unknown = written.filter { $0.value > 0 }
    do throws(TraceFileError) {
      let reader = try TraceReader(path: path)
      for stream in reader.streams {
        var read = try Self.read(stream, reader, &names)
        let next = unknown.removeValue(forKey: stream.writer) ?? 0
        if next > read.sequence {
          read.sequence = next
          read.isCut = true
          read.state.lose(.all, since: read.lastTime)
        }
        streams[stream.writer] = read
        let held = stream.chunks.reduce(0) { $0 &+ UInt64($1.eventCount) }
        events &+= held
        if read.sequence > held { elsewhere &+= read.sequence - held }
        losses = read.losses.reduce(losses) { $0 &+ $1.count }
      }
    } catch {
      throw .file(path: path, causes: [error])
    }
    elsewhere = unknown.values.reduce(elsewhere, &+)
    // It has let go what was too old, or is kept by others.
    if keepsPart { elsewhere = 0 }
  }

  /// The number of the writer's next event.
  func sequence(of writer: WriterID) -> UInt64 {
    streams[writer]?.sequence ?? unknown[writer] ?? 0
  }

  private static func read(_ stream: TraceStream, _ reader: TraceReader, _ names: inout Names)
    throws(TraceFileError) -> Stream
  {
    var result = Stream(
      attributes: stream.attributes,
      sequence: stream.chunks.last?.endSequence ?? 0,
      lastTime: stream.lastTime,
      state: LifeState(),
      hasExited: false
    )
    // The state is folded from the last keyframe that stands alone.
    let from = stream.chunks.lastIndex { $0.keyframe == .full } ?? 0
    var state = LifeState()
    for (index, info) in stream.chunks.enumerated() {
      guard let header = try readable({ () throws(TraceFileError) in try reader.header(of: info) })
      else { continue }
      for position in header.consumed {
        result.positions[position.serial] = max(
          result.positions[position.serial] ?? 0,
          position.records
        )
      }
      result.losses += header.losses
      // The events report what the process has dropped, and so they do the state.
      guard index >= from || info.kinds.contains(.loss) else { continue }
      guard let chunk = try readable({ () throws(TraceFileError) in try reader.decode(info) })
      else {
        // Damaged: nothing is known of it but when.
        if index >= from { state.lose(.all, since: info.firstTime) }
        continue
      }
      for event in chunk.events where event.kind == .loss {
        let said = Payload.Loss(event)
        let loss = LossCount(family: said.family.value ?? .unknown, count: said.count)
        switch reader.names[said.why ?? .empty] {
        case RecorderCore.poolFull: result.dropped.append(loss)
        case RecorderCore.maxSize: result.refused.append(loss)
        default: break
        }
      }
      guard index >= from else { continue }
      if index == from, !chunk.keyframe.isEmpty,
        let kept = try? LifeState(decoding: chunk.keyframe, names: &reader.names)
      {
        state = kept
      }
      for event in chunk.events {
        if event.kind == .processExit {
          let cause = reader.names[Payload.ProcessExit(event).cause]
          let level = DurabilityLevel.surviving(cause)
          let unsaved = state.unsaved(at: level)
          result.hasMoreObjects = state.isFull(.data)
          if HarnessEnd.isOne(cause) {
            (result.openObjects, result.openBytes) = (unsaved.count, state.unsavedBytes(at: level))
          } else {
            result.unsavedObjects = unsaved.count
            result.survivingObjects = unsaved.count { $0.survival(at: level) != nil }
            result.unsavedBytes = state.unsavedBytes(at: level)
          }
        }
        state.apply(event, names: reader.names)
      }
    }
    result.hasExited = stream.chunks.last?.kinds.contains(.processExit) ?? false
    result.state = state.renamed(from: reader.names, to: &names)
    return result
  }

  /// Nil for what is damaged; a disk that cannot be read is an error.
  private static func readable<T>(_ read: () throws(TraceFileError) -> T) throws(TraceFileError)
    -> T?
  {
    do throws(TraceFileError) {
      return try read()
    } catch {
      if error.isIO { throw error }
      return nil
    }
  }
}

extension Recorder {
  /// Takes over the session of a recorder that died.
  ///
  /// The torn tail of the trace is cut, and what the apps have committed since is appended. Apps
  /// that still live go on being recorded.
  ///
  /// `output` names a new file: for the whole recording, or for what is left of it where the
  /// session's own trace is gone.
  package convenience init(adopting session: String, output: String? = nil) throws(RecorderError) {
    let directory = try SessionDirectory(adopting: session)
    guard let kept = directory.keptFit() else {
      throw .notASession(path: session, why: "its clock file holds nothing")
    }
    var options: RecorderOptions
    do throws(RedactionError) {
      options = try directory.about.options()
    } catch {
      throw .notASession(path: directory.path, why: error.description)
    }
    guard output != nil || !Leftovers.isKept(options.output, in: directory.path) else {
      throw .traceKept(session: session, trace: "the trace of \(session)", cause: nil)
    }
    let written = WrittenLedger.numbers(in: directory.path)
    let device = WriterID(high: directory.about.deviceHigh, low: directory.about.deviceLow)
    var hasTrace = access(options.output, F_OK) == 0
    guard output != nil || hasTrace else {
      throw .traceGone(session: session, trace: options.output)
    }
    if hasTrace, try !Recorder.holds(options.output, eventsOf: Set(written.keys).union([device])) {
      guard output != nil else { throw .traceOther(session: session, trace: options.output) }
      hasTrace = false
    }
    if let output {
      // The events there already come along: two files that number other events alike could never
      // be put together.
      let output = try resolvedOutput(output)
      if hasTrace { try copyFile(options.output, to: output) }
      options.output = output
    }
    let store = try ChunkStore(options, mode: hasTrace ? .append : .create)
    // Events from now on are in the new file alone: the next successor continues with that one.
    if output != nil { try directory.redirect(to: options.output) }
    try store.takeIn(pastOf: session)
    var names = Names()
    let adoption = try Adoption(
      trace: options.output,
      written: written,
      keepsPart: directory.about.keepsPart,
      names: &names
    )
    store.count(events: adoption.events, losses: adoption.losses)
    try self.init(
      options: options,
      session: directory,
      clock: HostClock(adopting: kept.fit, usesCounter: kept.usesCounter),
      store: store,
      device: device,
      adoption: (adoption, names)
    )
  }

  /// Whether the trace is one of these writers, or has none yet; else another stands there by now.
  private static func holds(_ trace: String, eventsOf writers: Set<WriterID>) throws(RecorderError)
    -> Bool
  {
    do throws(TraceFileError) {
      let streams = try TraceReader(path: trace).streams
      return streams.isEmpty || streams.contains { writers.contains($0.writer) }
    } catch {
      if case .notAFile = error.reason { return false }
      if error.isIO { throw .file(path: trace, causes: [error]) }
      return false
    }
  }

  /// Where the trace is.
  package var output: String { options.output }

  /// The ids of the processes that have joined and live.
  package var livingProcesses: [Int32] {
    exchange.state.withLock { Array($0.registry.writers.keys) }.filter { pid in
      ProcFS.status(of: pid).map { $0.state != UInt8(ascii: "Z") } ?? false
    }
  }
}
