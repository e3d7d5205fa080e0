// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
package import LifetraceTraceFile

/// A recording as a file: how much it holds, how much is gone, and its damage.
///
///     try reader.verify()
///     FileFacts(reader).text(verified: true)
package struct FileFacts: Sendable {
  /// The file, as its user named it.
  package var path: String
  /// The size of the file in bytes.
  package var bytes: UInt64
  /// The events that it holds, and those that are gone.
  package var census: TraceCensus
  /// What is wrong with it.
  package var problems: [TraceProblem]
  /// How to bring in what a killed recorder has left of it; nil where nothing was left.
  package var recovery: String?

  /// As far as `reader` has looked at the file.
  package init(_ reader: TraceReader, recovery: String? = nil) {
    path = reader.path
    bytes = reader.fileBytes
    census = reader.census
    problems = reader.problems
    self.recovery = recovery
  }

  /// About the copy at `path`; its problems are those that remain.
  package init(_ path: String, copied summary: CopySummary) {
    self.path = path
    bytes = summary.bytes
    census = summary.census
    problems = summary.remaining
  }

  /// Whether there is damage, rather than an end or a beginning that is not there.
  package var isDamaged: Bool { problems.contains(where: \.isDamage) }
  /// Whether a copy of what is readable would be free of something.
  package var isRepairable: Bool { problems.contains(where: \.isRepairable) }
}
