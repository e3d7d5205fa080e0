// SPDX-License-Identifier: Apache-2.0
internal import LifetracePlatform
package import LifetraceTrace
package import LifetraceTraceFile

/// The chunks that a collector has: files by the hour in a folder, each of them a trace.
///
///     let collection = try Collection(in: "/srv/lifetrace") { "2026-11-23T17" }
///     try collection.take(chunk)             // in a file, unless it is there
///     try collection.synchronize()           // survives a power cut: now it may be told
///
/// What is there is known by what the files hold: opening reads their indexes, and all that stands
/// behind them, of which only chunks count whose checksums hold; see ``mend(_:)``.
package final class Collection {
  /// What became of a chunk.
  package enum Fate: Sendable, Hashable {
    /// It is in a file.
    case stored
    /// It was there.
    case known
    /// Other bytes are there under its numbers; it stands beside them, as evidence.
    case conflict
  }

  /// What is there of one writer.
  private struct Shelf {
    var held = Held()
    /// By first number.
    var chunks: [UInt64: (count: Int, checksum: UInt32)] = [:]

    mutating func add(_ identity: ChunkIdentity) {
      held.insert(identity.numbers)
      // Of two that begin together the longer one answers for both.
      if let known = chunks[identity.first], known.count >= identity.count { return }
      chunks[identity.first] = (identity.count, identity.checksum)
    }
  }

  /// More chunks of evidence are counted and not kept.
  package static let conflictsMax = 1_000
  /// Segments are named by the hour, in UTC, and this.
  package static let suffix = ".lifetrace"

  /// The folder.
  package let folder: String
  /// Bytes of all segments.
  package private(set) var bytes: UInt64 = 0
  /// How many chunks are there.
  package private(set) var chunkCount = 0
  /// How many chunks were not what is there under their numbers.
  package private(set) var conflicts = 0
  /// Places that held no whole chunk when the folder was opened, besides torn tails.
  package private(set) var damaged = 0
  /// Torn tails that were cut off when the folder was opened, in bytes.
  package private(set) var bytesCutOff: UInt64 = 0

  private let hour: () -> String
  private let lock: TraceLock
  private var shelves: [WriterID: Shelf] = [:]
  private var sessionBytes: [String: UInt64] = [:]
  private var segment: (name: String, writer: TraceWriter)?
  private var isDirty = false

  /// Opens a folder, which is made where it is missing; `hour` names the segment of now.
  package init(in folder: String, hour: @escaping () -> String) throws(TraceFileError) {
    self.folder = folder
    self.hour = hour
    for path in [folder, folder + "/conflicts"] where mkdir(path, 0o777) != 0 && errno != EEXIST {
      throw TraceFileError(path, .io(operation: "make the folder", code: errno))
    }
    let lockFile = folder + "/collect.lock"
    let code = WholeFile.write("", to: lockFile, replaces: false)
    guard code == 0 || code == EEXIST else {
      throw TraceFileError(lockFile, .io(operation: "create it", code: code))
    }
    lock = try TraceLock(lockFile)
    for path in Self.segments(in: folder) where try mend(path) { try takeIn(path) }
    conflicts = namesInDirectory(folder + "/conflicts").count
  }

  /// The segments of a folder, the oldest first.
  package static func segments(in folder: String) -> [String] {
    namesInDirectory(folder).filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }
      .map { "\(folder)/\($0)" }
  }

  /// Takes bytes that are no whole chunk out of a segment; whether the segment is still there.
  ///
  /// A power cut leaves anything of what was not synced: whole headers with other payloads, too. What
  /// an index covers was synced before that index was written, and is not read. The segment as it was
  /// stays beside the mended one, which takes its place in one step, with another name.
  private func mend(_ path: String) throws(TraceFileError) -> Bool {
    let aside = "\(path).damaged-\(getpid())"
    let reader: TraceReader
    do throws(TraceFileError) {
      reader = try TraceReader(path: path, comparesPayloads: false)
    } catch {
      guard error.reason == .notATrace, rename(path, aside) == 0 else { throw error }
      damaged += 1
      return false
    }
    var places = reader.problems.count { $0.kind == .damage }
    for chunk in reader.departing(from: reader.indexedBytes)
    where try whole(chunk, reader) == nil { places += 1 }
    guard places > 0 else { return true }
    damaged += places
    let side = SideFile.compact.path(beside: path)
    unlink(side)
    let copy = try TraceWriter(path: side, options: .init(.create, compacts: false))
    for chunk in reader.departing() {
      if let whole = try whole(chunk, reader) { try copy.append(whole) }
    }
    try copy.synchronize()
    if try copy.takePlace(of: path) { rename(side, aside) }
    try TracePath.synchronizeFolder(of: path)
    return true
  }

  /// A chunk of a segment; nil where its checksums do not hold.
  private func whole(
    _ chunk: TraceReader.Departing,
    _ reader: TraceReader
  ) throws(TraceFileError) -> TravellingChunk? {
    do throws(TraceFileError) { return try reader.travelling(chunk) } catch {
      if error.isIO { throw error }
      return nil
    }
  }

  private func takeIn(_ path: String) throws(TraceFileError) {
    // As a writer, which cuts off what a kill has left of a chunk.
    let writer = try TraceWriter(path: path, options: .init(.append, compacts: false))
    bytesCutOff += writer.bytesCutOff
    bytes += writer.bytes
    let reader = try TraceReader(path: path, comparesPayloads: false)
    for stream in reader.streams {
      let session = Session.name(of: stream.writer, stream.attributes)
      let size = stream.chunks.reduce(0) { $0 + UInt64($1.headerBytes + $1.payloadBytes) }
      sessionBytes[session, default: 0] += size
    }
    for chunk in reader.departing() {
      shelves[chunk.identity.writer, default: Shelf()].add(chunk.identity)
      chunkCount += 1
    }
    // What a kill has left may be in memory alone: it is told only once it is on the disk.
    try writer.synchronize()
  }

  /// Puts a chunk into the segment of the hour, unless it is there; it survives a power cut only
  /// behind ``synchronize()``.
  package func take(_ chunk: TravellingChunk) throws(TraceFileError) -> Fate {
    let identity = chunk.identity
    let shelf = shelves[identity.writer]
    if shelf?.held.contains(identity.numbers) == true {
      // The same events in other bounds are no news: a recording that was made compact, say.
      guard let known = shelf?.chunks[identity.first], known.count == identity.count,
        known.checksum != identity.checksum
      else { return .known }
      try keepAside(chunk)
      return .conflict
    }
    try openSegment()
    guard let writer = segment?.writer else { preconditionFailure("a segment is open") }
    let before = writer.bytes
    try writer.append(chunk)
    bytes += writer.bytes - before
    isDirty = true
    chunkCount += 1
    shelves[identity.writer, default: Shelf()].add(identity)
    sessionBytes[Session.name(of: chunk.header), default: 0] += UInt64(chunk.bytes.count)
    return .stored
  }

  /// Whether this chunk is new and its session would have more than so many bytes with it.
  package func isOver(_ bytesMax: UInt64, with chunk: TravellingChunk) -> Bool {
    let held = sessionBytes[Session.name(of: chunk.header)] ?? 0
    return held + UInt64(chunk.bytes.count) > bytesMax
      && shelves[chunk.identity.writer]?.held.contains(chunk.identity.numbers) != true
  }

  private func openSegment() throws(TraceFileError) {
    let name = hour()
    guard segment?.name != name else { return }
    try close()
    let path = "\(folder)/\(name)\(Self.suffix)"
    let mode: TraceWriter.Options.Mode = access(path, F_OK) == 0 ? .append : .create
    segment = (name, try TraceWriter(path: path, options: .init(mode, compacts: false)))
    if mode == .create { try TracePath.synchronizeFolder(of: path) }
  }

  /// Waits until everything that was taken survives a power cut.
  package func synchronize() throws(TraceFileError) {
    guard isDirty else { return }
    try segment?.writer.synchronize()
    isDirty = false
  }

  /// Gives the open segment its index.
  ///
  /// An index vouches for what it covers: that is safe on the disk before it is written.
  package func close() throws(TraceFileError) {
    try synchronize()
    try segment?.writer.finish(end: false)
    try segment?.writer.synchronize()
    segment = nil
  }

  /// What is there of a writer.
  package func held(of writer: WriterID) -> Held { shelves[writer]?.held ?? Held() }
  /// How many writers there are.
  package var writerCount: Int { shelves.count }

  /// Keeps a chunk that contradicts one that is there.
  private func keepAside(_ chunk: TravellingChunk) throws(TraceFileError) {
    let path = "\(folder)/conflicts/\(chunk.identity.text)\(Self.suffix)"
    guard access(path, F_OK) != 0 else { return }
    conflicts += 1
    guard conflicts <= Self.conflictsMax else { return }
    let writer = try TraceWriter(path: path, options: .init(.create, sync: true, compacts: false))
    try writer.append(chunk)
  }
}
