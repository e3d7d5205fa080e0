// SPDX-License-Identifier: Apache-2.0

import DequeModule
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile

/// The newest chunks of a flight recorder, in files of the session's directory.
///
///     last-1  last-2  last-3 …     each a trace; the oldest is removed when the newest fill up
///
/// Files, because a recorder that is killed must not take the past with it. The newest chunk of a
/// process that still lives is kept whatever its age: without it its state is unknown.
final class ChunkRing: ChunkSink {
  private struct Segment {
    var path: String
    var bytes: UInt64 = 0
    /// The last time of a chunk that is there for its own sake.
    var newest = Int64.min
    var oldest = Int64.max
    var chunks: [Chunk] = []
    /// How many of them stand in the trace already.
    var poured = 0
  }

  /// What must be known of a chunk before it goes.
  private struct Chunk {
    var writer: WriterID
    var sequence: UInt64
    var events: UInt64
    var losses: UInt64
  }

  private let directory: String
  private let retention: RecorderOptions.Retention
  private var segments: Deque<Segment> = []
  private var number = 1
  /// Of the last segment.
  private var writer: TraceWriter?
  /// The newest chunk of each process that lives.
  private var newest: [WriterID: UInt64] = [:]
  private var latest: Int64 = 0
  /// Chunks that were kept in a file, whatever became of them since.
  private(set) var durableThrough: UInt64 = 0
  private(set) var events: UInt64 = 0
  private(set) var losses: UInt64 = 0
  /// Events that are kept no more.
  private(set) var letGo: UInt64 = 0
  /// Those of them that were still wanted, and went because there was no room.
  private(set) var crowdedOut: UInt64 = 0

  private static let prefix = "last-"
  /// How many steps the ring turns in.
  private static var steps: Int { 8 }
  private static var segmentBytesMax: UInt64 { 4 << 20 }

  init(in directory: String, _ retention: RecorderOptions.Retention) {
    self.directory = directory
    self.retention = retention
  }

  /// The files that a dead recorder has left, oldest first.
  static func files(in directory: String) -> [String] {
    namesInDirectory(directory).filter { $0.hasPrefix(prefix) }
      .compactMap { name in Int(name.dropFirst(prefix.count)).map { ($0, name) } }
      .sorted { $0.0 < $1.0 }
      .map { directory + "/" + $0.1 }
  }

  private var segmentBytes: UInt64 {
    switch retention {
    case .all, .duration: Self.segmentBytesMax
    case .bytes(let most): max(1, min(UInt64(most / Self.steps), Self.segmentBytesMax))
    }
  }

  private func isOver(_ segment: Segment) -> Bool {
    if segment.bytes >= segmentBytes { return true }
    guard case .duration(let past) = retention, segment.oldest < .max else { return false }
    return segment.newest - segment.oldest > past / Int64(Self.steps)
  }

  /// Keeps the chunk; where there is no room the oldest ones go.
  func append(_ chunk: EncodedChunk) throws(TraceFileError) {
    if segments.last.map(isOver) ?? true { try begin() }
    while true {
      do throws(TraceFileError) {
        try write(chunk)
        break
      } catch {
        // The new counts more than the old, even where that is all there is; but what is broken
        // otherwise would not be mended by less.
        guard case .full = error.reason, segments.contains(where: { !$0.chunks.isEmpty }) else {
          throw error
        }
        let before = letGo
        removeOldest()
        crowdedOut &+= letGo &- before
        if segments.isEmpty { try begin() }
      }
    }
    try trim()
  }

  private func begin() throws(TraceFileError) {
    let path = directory + "/" + Self.prefix + String(number)
    writer = try TraceWriter(path: path, options: .init(.create, compacts: false))
    number += 1
    segments.append(Segment(path: path))
  }

  private func write(_ chunk: EncodedChunk) throws(TraceFileError) {
    guard let writer else { return }
    try writer.append(chunk)
    durableThrough += 1
    let header = chunk.header
    let kept = Chunk(
      writer: header.writer,
      sequence: header.firstSequence,
      events: UInt64(header.eventCount),
      losses: header.losses.reduce(0) { $0 + $1.count }
    )
    let last = segments.count - 1
    segments[last].bytes = writer.bytes
    latest = max(latest, header.lastTime.rawValue)
    segments[last].newest = max(segments[last].newest, header.lastTime.rawValue)
    segments[last].oldest = min(segments[last].oldest, header.lastTime.rawValue)
    count(kept)
    let hasExited = header.kinds.contains(.processExit)
    newest[header.writer] = hasExited ? nil : header.firstSequence
  }

  private func count(_ chunk: Chunk) {
    segments[segments.count - 1].chunks.append(chunk)
    events += chunk.events
    losses += chunk.losses
  }

  /// Removes what is out of the window.
  private func trim() throws(TraceFileError) {
    while segments.count > 1, isGone(segments[0]) {
      try carryLiving()
      removeOldest()
    }
  }

  /// The window ends where the recording is, not at the present: a recorder may be behind.
  private func isGone(_ segment: Segment) -> Bool {
    switch retention {
    case .all: false
    case .duration(let past): segment.newest < latest - past
    case .bytes(let most): segments.reduce(0) { $0 + $1.bytes } > UInt64(most)
    }
  }

  /// Takes the newest chunks of processes that live from the oldest segment to the newest one.
  private func carryLiving() throws(TraceFileError) {
    let living = segments[0].chunks.filter { newest[$0.writer] == $0.sequence }
    guard !living.isEmpty, let writer else { return }
    let reader = try TraceReader(path: segments[0].path)
    for stream in reader.streams {
      guard let sequence = newest[stream.writer],
        let info = stream.chunks.last(where: { $0.firstSequence == sequence }),
        let chunk = living.first(where: { $0.writer == stream.writer })
      else { continue }
      try writer.append(copying: info, of: reader)
      segments[segments.count - 1].bytes = writer.bytes
      count(chunk)
      // It goes with the old segment, and stays with the new one.
      letGo &-= chunk.events
    }
  }

  private func removeOldest() {
    let segment = segments.removeFirst()
    for chunk in segment.chunks.dropFirst(segment.poured) {
      events -= chunk.events
      losses -= chunk.losses
      letGo &+= chunk.events
    }
    unlink(segment.path)
  }

  /// Appends everything to `trace` and is empty after it.
  func pour(into trace: TraceWriter) throws(TraceFileError) {
    while let segment = segments.first {
      try Self.copy(segment.path, from: segment.poured, to: trace) {
        events -= segments[0].chunks[segments[0].poured].events
        losses -= segments[0].chunks[segments[0].poured].losses
        segments[0].poured += 1
      }
      unlink(segment.path)
      segments.removeFirst()
    }
    writer = nil
    newest = [:]
  }

  /// Appends the chunks of `path` to `trace`, in the order in which they were kept.
  private static func copy(
    _ path: String,
    from first: Int,
    to trace: TraceWriter,
    each: () -> Void
  ) throws(TraceFileError) {
    let reader = try TraceReader(path: path)
    let chunks = reader.streams.flatMap(\.chunks).sorted { $0.offset < $1.offset }
    for chunk in chunks.dropFirst(first) {
      try trace.append(copying: chunk, of: reader)
      each()
    }
  }

  /// Appends the chunks of `path` to `trace`, but for those that an earlier attempt has put there.
  static func copy(
    _ path: String,
    to trace: TraceWriter,
    unless isThere: inout Set<Identity>
  ) throws(TraceFileError) {
    let reader = try TraceReader(path: path)
    for (identity, chunk) in identified(reader) where isThere.insert(identity).inserted {
      try trace.append(copying: chunk, of: reader)
    }
  }

  /// Which chunk of which writer it is.
  struct Identity: Hashable {
    var writer: WriterID
    var sequence: UInt64
    var events: Int
  }

  /// The chunks of a trace in the order of the file.
  static func identified(_ reader: TraceReader) -> [(identity: Identity, chunk: ChunkInfo)] {
    reader.streams.flatMap(\.chunks).sorted { $0.offset < $1.offset }.map { chunk in
      let writer = reader.streams[Int(chunk.stream.rawValue)].writer
      let sequence = chunk.firstSequence
      return (Identity(writer: writer, sequence: sequence, events: chunk.eventCount), chunk)
    }
  }
}
