// SPDX-License-Identifier: Apache-2.0
internal import Trace

/// What ``TraceCopy`` did.
public struct CopySummary: Sendable {
  /// Chunks in the new file.
  public var chunks = 0
  /// Events in the new file.
  public var events = 0
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
/// rows were decoded once; what is damaged stays behind, equal chunks are taken once.
public enum TraceCopy {
  /// Copies what is readable in `inputs` into the new file `output`.
  public static func make(
    _ output: String,
    from inputs: [String]
  ) throws(TraceFileError) -> CopySummary {
    var readers: [TraceReader] = []
    for input in inputs { readers.append(try TraceReader(path: input)) }
    let writer = try TraceWriter(path: output, options: .init(.create, compacts: false))
    var summary = CopySummary()
    var taken: Set<Identity> = []
    for reader in readers {
      for chunk in reader.streams.flatMap(\.chunks).sorted(by: { $0.offset < $1.offset }) {
        let stream = reader.streams[Int(chunk.stream.rawValue)]
        let identity = Identity(writer: stream.writer, sequence: chunk.firstSequence)
        do throws(TraceFileError) {
          _ = try reader.decode(chunk)
        } catch {
          if error.isIO { throw error }
          continue
        }
        // Of two damaged copies either may be whole: only what was taken over counts as taken.
        guard taken.insert(identity).inserted else { continue }
        try writer.append(copying: chunk, of: reader)
        summary.chunks += 1
        summary.events += chunk.eventCount
      }
      summary.problems += reader.problems.map { (reader.path, $0) }
    }
    try writer.finish(end: readers.allSatisfy(\.hasEnd))
    summary.bytes = writer.bytes
    return summary
  }

  private struct Identity: Hashable {
    var writer: WriterID
    var sequence: UInt64
  }
}
