// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
package import LifetraceTimeline
package import LifetraceTrace

/// The forms in which a recording can be written for other programs.
package enum ExportForm: String, CaseIterable, Sendable {
  case perfetto

  /// What each of them is for: a line each.
  package static var purposes: String {
    allCases.map { "\($0.rawValue): \($0.purpose)" }.joined(separator: "\n")
  }

  /// What opens it.
  package var purpose: String {
    switch self {
    case .perfetto: "for ui.perfetto.dev and its SQL (protobuf)"
    }
  }

  /// Whether it is no text.
  package var isBinary: Bool {
    switch self {
    case .perfetto: true
    }
  }

  /// Whether the rules are to be judged for it.
  package var wantsFindings: Bool {
    switch self {
    case .perfetto: true
    }
  }
}

/// A recording that is to be exported, and which part of it.
package struct ExportJob {
  let timeline: Timeline
  let findings: Findings?
  let facts: ExportFacts
  let streams: Set<StreamID>
  let span: ClosedRange<Int64>

  /// What `streams` hold between the two times of `span`, with `findings` where they are wanted.
  package init(
    timeline: Timeline,
    findings: Findings?,
    facts: ExportFacts,
    streams: Set<StreamID>,
    span: ClosedRange<Int64> = .min ... .max
  ) {
    self.timeline = timeline
    self.findings = findings
    self.facts = facts
    self.streams = streams
    self.span = span
  }

  /// Writes it in that form; `write` is handed some kilobytes at a time, and `progress` how many
  /// events are behind.
  package func write(
    _ form: ExportForm,
    progress: (Int) -> Void = { _ in },
    _ write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    switch form {
    case .perfetto: try run(PerfettoFormat(), progress, write)
    }
  }

  private func run<Format: ExportFormat & ~Copyable>(
    _ format: consuming Format,
    _ progress: (Int) -> Void,
    _ write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var pass = ExportPass(format, self)
    try pass.run(progress: progress, write)
  }
}
