// SPDX-License-Identifier: Apache-2.0

import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile

/// Where chunks go: straight to the file, or into a ring until the end (flight recorder).
///
/// As long as the last chunk is not durable, because its sink could not take it or has not said so
/// yet, ``isStuck`` is true: the recorder then reads no further, so that events that are not
/// written stay in the pools, and asks again each second.
final class ChunkStore {
  private let writer: TraceWriter
  private let retention: RecorderOptions.Retention
  private let sizeMax: UInt64?
  private let custody: Custody?
  private var freed = FreedChunks()
  /// The place of the trace that this one has replaced, until it is given up; locked, so that it is
  /// not taken for the leftover of a dead recorder.
  private var replaced: (path: String, lock: TraceLock)?
  /// What another program has put at the trace's path in the moment in which the old one was
  /// replaced: it is kept here.
  private(set) var displaced: String?
  private var isReplacementWanted = false
  private var ring: ChunkRing?
  private var sink: any ChunkSink { ring ?? writer }
  /// How many chunks the sink has taken.
  private var taken: UInt64 = 0
  /// The chunk that it could not take.
  private var refused: EncodedChunk?
  private(set) var problem: TraceFileError?
  /// Of the chunks in the file.
  private var eventsInFile: UInt64 = 0
  private var lossesInFile: UInt64 = 0
  /// Events that others keep and that are not in the file any more.
  private(set) var eventsReleased: UInt64 = 0

  init(_ options: RecorderOptions, mode: TraceWriter.Options.Mode) throws(RecorderError) {
    retention = options.retention
    sizeMax = options.sizeMax.map(UInt64.init)
    custody = options.custody
    let replaces = mode == .create && options.overwrite && access(options.output, F_OK) == 0
    let path = replaces ? SideFile.before.path(beside: options.output) : options.output
    do throws(TraceFileError) {
      // The lock of a living recorder is asked for before its trace is replaced.
      let old = replaces ? try TraceLock(options.output) : nil
      writer = try TraceWriter(
        path: path,
        options: .init(mode, sync: options.sync, compacts: options.compacts)
      )
      // Now there is a new one, and only now the old one goes; for good when it is known that
      // there is something to record.
      if let old, try writer.takePlace(of: options.output) {
        replaced = (path, old)
        if !old.stands(at: path) { displaced = path }
      }
    } catch {
      throw .file(path: options.output, causes: [error])
    }
  }

  /// Keeps new chunks in files of the session's directory, where a flight recorder is asked for.
  func keepPast(in directory: String) {
    if retention != .all { ring = ChunkRing(in: directory, retention) }
  }

  /// Appends what the flight recorder of a dead recorder has kept.
  func takeIn(pastOf directory: String) throws(RecorderError) {
    let files = ChunkRing.files(in: directory)
    guard !files.isEmpty else { return }
    // A recorder that was killed at this has left both: what it appended, and the file that kept
    // it.
    var isThere: Set<ChunkRing.Identity> = []
    do throws(TraceFileError) {
      isThere = Set(ChunkRing.identified(try TraceReader(path: writer.path)).map(\.identity))
    } catch {
      if error.isIO { throw .file(path: writer.path, causes: [error]) }
    }
    for path in files {
      do throws(TraceFileError) {
        try ChunkRing.copy(path, to: writer, unless: &isThere)
        unlink(path)
      } catch {
        // One that is no trace is no reason to leave the others.
        guard !error.isIO else { throw .file(path: writer.path, causes: [error]) }
      }
    }
  }

  /// There is something to record: as soon as an event of it is in the file, the trace that was
  /// replaced is not asked for any more.
  func wantReplacement() {
    isReplacementWanted = true
    if eventsInFile > 0 { giveUpReplaced() }
  }

  /// The trace that was replaced is not asked for any more.
  func giveUpReplaced() {
    if let replaced, replaced.lock.stands(at: replaced.path) { unlink(replaced.path) }
    replaced = nil
  }

  /// Removes the file, and puts back the one that it has replaced; files of others stay.
  func discard() {
    let isHere = (try? writer.place()) == .here
    if let replaced {
      if isHere || access(writer.path, F_OK) != 0 { rename(replaced.path, writer.path) }
    } else if isHere {
      unlink(writer.path)
    }
    replaced = nil
  }

  /// The contents of the file that is continued.
  func count(events: UInt64, losses: UInt64) {
    eventsInFile &+= events
    lossesInFile &+= losses
  }

  /// Events of the chunks that count as written.
  var events: UInt64 { eventsInFile &+ (ring?.events ?? 0) }
  /// Losses in their headers.
  var losses: UInt64 { lossesInFile &+ (ring?.losses ?? 0) }
  /// Events that were too old for what is kept.
  var letGo: UInt64 { ring?.letGo ?? 0 }
  /// Those of them that a full disk took.
  var crowdedOut: UInt64 { ring?.crowdedOut ?? 0 }
  var bytes: UInt64 { writer.bytes }
  var isStuck: Bool { refused != nil || sink.durableThrough < taken }
  /// In a flight recorder any chunk may become the first one.
  var keepsAll: Bool { retention == .all }

  /// The file may not grow much further.
  var isFull: Bool {
    guard let sizeMax, retention == .all else { return false }
    // Room for the open chunks, the ends of the processes and the footer.
    let room = Swift.min(Swift.max(sizeMax / 8, 16 << 10), sizeMax / 2, 1 << 20)
    return writer.bytes + room >= sizeMax
  }

  /// More than this is not copied at once to free the rest, or a quarter of the size that is allowed:
  /// the recorder does nothing else meanwhile.
  private static let copiedBytesMax: UInt64 = 16 << 20
  /// Less is not worth a copy.
  private static let releasedBytesMin: UInt64 = 16 << 10

  /// Frees the file of what others keep, where that is worth a copy of the rest.
  ///
  /// Where it throws, or there is nothing to free, the file is as it was.
  func releaseKept() throws(TraceFileError) {
    guard let custody, custody.hasNews() || isFull else { return }
    let release = freed.release(by: custody)
    guard release.bytes > 0, writer.bytes >= release.bytes else { return }
    let rest = writer.bytes - release.bytes
    guard rest <= max(Self.copiedBytesMax, (sizeMax ?? 0) / 4) else { return }
    let isDue = isFull && release.bytes * 8 >= writer.bytes
    let isWorthIt = custody.isEager && release.bytes >= max(Self.releasedBytesMin, rest)
    guard isDue || isWorthIt else { return }
    guard try writer.release({ release.holds($0, $1.firstSequence) }) else { return }
    freed.remove(release)
    eventsInFile -= min(eventsInFile, release.events)
    eventsReleased += release.events
  }

  /// Writes or keeps the chunk; true once it is durable, false where ``retry()`` has to be asked.
  func append(_ chunk: EncodedChunk) -> Bool {
    let before = writer.bytes
    do throws(TraceFileError) {
      try sink.append(chunk)
      taken += 1
      if ring == nil {
        if custody != nil { freed.add(chunk.header, bytes: writer.bytes - before) }
        eventsInFile += UInt64(chunk.header.eventCount)
        lossesInFile += chunk.header.losses.reduce(0) { $0 + $1.count }
        if isReplacementWanted, replaced != nil { giveUpReplaced() }
      }
      problem = nil
    } catch {
      problem = error
      refused = chunk
    }
    return !isStuck
  }

  /// Tries the chunk again that found no room; whether it is durable now.
  func retry() -> Bool {
    guard let chunk = refused else { return !isStuck }
    refused = nil
    return append(chunk)
  }

  /// Writes what a flight recorder keeps, to the file.
  func pour() -> Bool {
    guard let ring else { return true }
    let before = (events: events, losses: losses)
    defer {
      eventsInFile = before.events - ring.events
      lossesInFile = before.losses - ring.losses
    }
    do throws(TraceFileError) {
      try ring.pour(into: writer)
      return true
    } catch {
      problem = error
      return false
    }
  }

  /// Where the trace is.
  var path: String { writer.path }

  /// What stands at the trace's path.
  func place() -> TracePlace { (try? writer.place()) ?? .here }

  /// Where the trace can be read as long as this process lives, whatever became of its name.
  var openPath: String { writer.openPath }

  /// Sees to it that the trace has a name; where nothing of the kind can be done, in `directory`.
  func bringBack(orInto directory: String) throws(RecorderError) -> TraceWhereabouts? {
    do throws(TraceFileError) {
      return try writer.bringBack()
    } catch {
      let reason = error
      do throws(TraceFileError) {
        try writer.save(to: Leftovers.kept(in: directory))
        problem = reason
        return nil
      } catch {
        throw .file(path: writer.path, causes: [reason, error])
      }
    }
  }

  /// Ends the file and looks at what is there then.
  func finish(end: Bool) throws(RecorderError) -> WrittenCheck {
    do throws(TraceFileError) {
      try writer.finish(end: end)
      return try writer.check()
    } catch {
      throw .file(path: writer.path, causes: [error])
    }
  }
}
