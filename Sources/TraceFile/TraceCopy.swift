// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// What ``TraceCopy`` did.
public struct CopySummary: Sendable {
  /// What the new file holds, and what is not in it.
  public var census = TraceCensus()
  /// Bytes of the new file.
  public var bytes: UInt64 = 0
  /// What was wrong with the old ones.
  public var problems: [(path: String, problem: TraceProblem)] = []

  /// Whether something could not be taken over.
  public var hasLoss: Bool { problems.contains { $0.problem.isDamage } }
}

/// Makes a new trace out of everything readable in others.
///
///     let summary = try TraceCopy.make("whole.lifetrace", from: ["cut.lifetrace"])
///
/// One input repairs it, several merge them. Chunks are copied byte for byte after all their
/// rows were decoded once; equal chunks are taken once. What is damaged stays behind, and a
/// *stand-in* takes its place: a chunk with one `loss` event, which counts what is gone. Where not
/// even the header could be read, nobody knows whose events are gone: each stream ends with one.
public enum TraceCopy {
  /// Copies what is readable in `inputs` into the new file `output`.
  public static func make(
    _ output: String,
    from inputs: [String]
  ) throws(TraceFileError) -> CopySummary {
    var readers: [TraceReader] = []
    for input in inputs { readers.append(try TraceReader(path: input)) }
    if let only = inputs.first, readers.allSatisfy(\.streams.isEmpty) {
      throw TraceFileError(only, .empty)
    }
    let writer = try TraceWriter(path: output, options: .init(.create, compacts: false))
    var summary = CopySummary()
    var taken: Set<Identity> = []
    var found: [(chunk: ChunkInfo, reader: TraceReader)] = []
    var placeOf: [Identity: Int] = [:]
    var standIns: [Identity: StandIn] = [:]
    for reader in readers {
      for chunk in reader.streams.flatMap(\.chunks).sorted(by: { $0.offset < $1.offset }) {
        let stream = reader.streams[Int(chunk.stream.rawValue)]
        let identity = Identity(writer: stream.writer, sequence: chunk.firstSequence)
        let events: [Event]
        do throws(TraceFileError) {
          events = try reader.decode(chunk).events
        } catch {
          if error.isIO { throw error }
          standIns[identity] = StandIn(of: chunk, stream, reader)
          continue
        }
        // It counts only where no other input has what is gone.
        if chunk.isStandIn {
          standIns[identity] = StandIn(of: chunk, stream, reader)
          continue
        }
        // Of two damaged copies either may be whole: only what can be read counts as taken.
        taken.insert(identity)
        guard let place = placeOf[identity] else {
          placeOf[identity] = found.count
          found.append((chunk, reader))
          continue
        }
        let other = found[place]
        if chunk.isCopy(of: other.chunk) { continue }
        let known = try other.reader.decode(other.chunk).events
        if !isSame(events, reader.names, known, other.reader.names) {
          let problem = TraceProblem(
            .conflict,
            at: chunk.offset,
            stream: chunk.stream,
            "chunk at byte \(chunk.offset) holds events \(chunk.firstSequence) to "
              + "\(chunk.endSequence - 1) of \(stream.title), but others than "
              + "\(other.reader.path) has under the same numbers: they are left out"
          )
          summary.problems.append((reader.path, problem))
        } else if chunk.eventCount > other.chunk.eventCount {
          found[place] = (chunk, reader)
        }
      }
      summary.problems += reader.problems.map { (reader.path, $0) }
    }
    for (chunk, reader) in found {
      try writer.append(copying: chunk, of: reader)
    }
    for (identity, standIn) in standIns.sorted(by: { $0.key < $1.key })
    where !taken.contains(identity) {
      try writer.append(standIn.chunk)
    }
    let inOrder = taken.sorted()
    for gap in readers.flatMap({ reader in reader.streams.flatMap { StandIn.gaps(in: $0, reader) } }
    ) {
      let identity = Identity(writer: gap.writer, sequence: gap.sequence)
      let end = Identity(writer: gap.writer, sequence: gap.sequence + gap.count)
      let isFilled = first(in: inOrder, from: identity).map { $0 < end } ?? false
      guard !isFilled, taken.insert(identity).inserted else { continue }
      try writer.append(gap.chunk)
    }
    for reader in readers where reader.hasLostHeaders {
      for stream in reader.streams where !stream.chunks.isEmpty {
        let end = (stream.chunks.last?.endSequence ?? 0)
        guard taken.insert(Identity(writer: stream.writer, sequence: end)).inserted else {
          continue
        }
        try writer.append(StandIn(behind: stream).chunk)
      }
    }
    try writer.finish(end: readers.allSatisfy(\.hasEnd))
    summary.bytes = writer.bytes
    summary.census = try TraceReader(path: output).census
    return summary
  }

  /// The first of `sorted` that is not before `identity`.
  private static func first(in sorted: [Identity], from identity: Identity) -> Identity? {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < identity { low = middle + 1 } else { high = middle }
    }
    return low < sorted.count ? sorted[low] : nil
  }

  /// Whether the events are the same as far as both go, each with the names of its reader.
  private static func isSame(
    _ some: [Event],
    _ names: borrowing Names,
    _ others: [Event],
    _ otherNames: borrowing Names
  ) -> Bool {
    for (event, other) in zip(some, others) {
      guard event.kind == other.kind, event.time == other.time, event.thread == other.thread,
        event.argumentCount == other.argumentCount, event.flags == other.flags,
        event.nameIDs(in: names).map({ names[$0] })
          == other.nameIDs(in: otherNames).map({ otherNames[$0] })
      else { return false }
      let info = names.info(of: event.kind)
      let labels = names[event.site].labels
      if info?.isNameIdentity != true, event.identity != other.identity { return false }
      for index in 0..<min(Int(event.argumentCount), Event.argumentsMax)
      where info?.type(ofArgument: index, labels: labels) != .name && event[index] != other[index] {
        return false
      }
    }
    return true
  }

  private struct Identity: Hashable, Comparable {
    var writer: WriterID
    var sequence: UInt64

    static func < (left: Identity, right: Identity) -> Bool {
      (left.writer, left.sequence) < (right.writer, right.sequence)
    }
  }

  /// What takes the place of a chunk that could not be read.
  private struct StandIn {
    var writer: WriterID
    var attributes: WriterAttributes
    var sequence: UInt64
    var time: HostTime
    /// 0 when nobody knows how many.
    var count: UInt64
    var keyframe: UInt64
    /// What never reached the file, which the header still tells.
    var dropped: [LossCount] = []
    /// What was let go before it was so on purpose.
    var keepsLast = false

    init(of chunk: ChunkInfo, _ stream: TraceStream, _ reader: TraceReader) {
      writer = stream.writer
      attributes = stream.attributes
      sequence = chunk.firstSequence
      time = chunk.firstTime
      count = chunk.isStandIn ? chunk.countStoodFor : UInt64(chunk.eventCount)
      dropped = chunk.losses.filter { !(chunk.isStandIn && $0.family == .unknown) }
      keepsLast = (try? reader.header(of: chunk))?.keepsLast ?? false
      if case .continued(let from) = chunk.keyframe { keyframe = from } else { keyframe = sequence }
    }

    /// Those of chunks of which not even the header could be found.
    static func gaps(in stream: TraceStream, _ reader: TraceReader) -> [StandIn] {
      stream.chunks.indices.compactMap { index in
        let chunk = stream.chunks[index]
        guard chunk.missingBefore > 0, index == 0 || !stream.chunks[index - 1].isStandIn else {
          return nil
        }
        var standIn = StandIn(of: chunk, stream, reader)
        standIn.dropped = []
        standIn.sequence = chunk.firstSequence - chunk.missingBefore
        standIn.count = chunk.missingBefore
        standIn.keyframe = min(standIn.keyframe, standIn.sequence)
        return standIn
      }
    }

    init(behind stream: TraceStream) {
      writer = stream.writer
      attributes = stream.attributes
      sequence = stream.chunks.last?.endSequence ?? 0
      time = stream.lastTime
      count = 0
      keyframe = stream.chunks.last { $0.keyframe == .full }?.firstSequence ?? sequence
    }

    var chunk: EncodedChunk {
      var encoder = ChunkEncoder()
      encoder.append(
        Event(
          .loss,
          at: time,
          arguments: (UInt64(EventFamily.unknown.rawValue), count, 0, 0),
          argumentCount: 2,
          observer: .inferred,
          flags: .inferred,
          sequence: sequence
        )
      )
      let header = ChunkHeader(
        writer: writer,
        attributes: attributes,
        firstSequence: sequence,
        losses: [LossCount(family: .unknown, count: count)] + dropped,
        // Nothing is known at the beginning of a stream whose first chunk is gone.
        keyframe: keyframe < sequence ? .continued(from: keyframe) : .full,
        keepsLast: keepsLast
      )
      return encoder.finish(header: header, keyframe: [], names: Names())
    }
  }
}
