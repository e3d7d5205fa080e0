// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// The outcome of a ``TraceCopy``.
public struct CopySummary: Sendable {
  /// What the new file holds, and what is not in it.
  public var census = TraceCensus()
  /// Bytes of the new file.
  public var bytes: UInt64 = 0
  /// What was wrong with the old ones.
  public var problems: [(path: String, problem: TraceProblem)] = []
  /// The problems left in the new one: what is missing in all of the old ones, or has no end.
  public var remaining: [TraceProblem] = []

  /// Whether something could not be taken over.
  public var hasLoss: Bool { problems.contains { $0.problem.isDamage } }
}

/// Makes a new trace out of everything readable in others.
///
///     let summary = try TraceCopy.make("whole.lifetrace", from: ["cut.lifetrace"])
///
/// One input repairs it, several merge them. Chunks are copied byte for byte after all their rows
/// were decoded once; events that several inputs have are taken once. Where some input knows of
/// events that none can read, *stand-ins* take their place: chunks with one `loss` event that count
/// them (`WriterUnion`).
public enum TraceCopy {
  /// When a chunk stands in an order of all chunks: by its writer and its first sequence number.
  public typealias ChunkOrder = (_ writer: WriterID, _ sequence: UInt64) -> Int64

  /// Copies what is readable in `inputs` into the new file `output`.
  ///
  /// Chunks stand there as in the inputs, one input behind the other; with `order` by that, equal ones by
  /// writer, so that the file is the same whatever the order of the inputs.
  public static func make(
    _ output: String,
    from inputs: [String],
    inOrder order: ChunkOrder? = nil
  ) throws(TraceFileError) -> CopySummary {
    var readers: [TraceReader] = []
    for input in inputs { readers.append(try TraceReader(path: input)) }
    if let only = inputs.first, readers.allSatisfy(\.streams.isEmpty) {
      throw TraceFileError(only, .empty)
    }
    let writer = try TraceWriter(path: output, options: .init(.create, compacts: false))
    var summary = CopySummary()
    var unions: [WriterID: WriterUnion] = [:]
    for (input, reader) in readers.enumerated() {
      for chunk in reader.streams.flatMap(\.chunks).sorted(by: { $0.offset < $1.offset }) {
        let stream = reader.streams[Int(chunk.stream.rawValue)]
        // Either of two damaged copies may be whole where the other is not: only chunks that can be
        // read count as there.
        let isReadable = try canDecode(chunk, reader) && !chunk.isStandIn
        unions[stream.writer, default: WriterUnion()]
          .add(chunk, of: stream, reader, input: input, isReadable: isReadable)
      }
      for stream in reader.streams {
        unions[stream.writer, default: WriterUnion()].addGaps(of: stream, reader)
      }
      reader.forgetNames(above: 0)
      summary.problems += reader.problems.map { (reader.path, $0) }
    }
    var taken: [ChunkCover.Copy] = []
    for id in unions.keys {
      taken += try unions[id]?.choose(&summary.problems) ?? []
    }
    if let order {
      sort(&taken, by: order)
    } else {
      taken.sort { ($0.input, $0.chunk.offset) < ($1.input, $1.chunk.offset) }
    }
    for copy in taken { try writer.append(copying: copy.chunk, of: copy.reader) }
    for (_, union) in unions.sorted(by: { $0.key < $1.key }) {
      for standIn in union.standIns() { try writer.append(standIn.chunk) }
    }
    try writer.finish(end: TraceReader.haveEnd(readers))
    summary.bytes = writer.bytes
    let copy = try TraceReader(path: output)
    // This writer still holds its lock, and is done with it.
    copy.isBeingWritten = false
    summary.census = copy.census
    summary.remaining = copy.problems
    return summary
  }

  private static func sort(_ copies: inout [ChunkCover.Copy], by order: ChunkOrder) {
    let places = copies.map { copy in
      let writer = copy.reader.streams[Int(copy.chunk.stream.rawValue)].writer
      return (time: order(writer, copy.chunk.firstSequence), writer, copy.chunk.firstSequence)
    }
    copies = copies.indices.sorted { places[$0] < places[$1] }.map { copies[$0] }
  }

  private static func canDecode(
    _ chunk: ChunkInfo,
    _ reader: TraceReader
  ) throws(TraceFileError) -> Bool {
    do throws(TraceFileError) {
      reader.forgetNames()
      _ = try reader.decode(chunk)
      return true
    } catch {
      if error.isIO { throw error }
      return false
    }
  }
}
