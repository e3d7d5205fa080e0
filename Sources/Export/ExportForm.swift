// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
package import LifetraceTimeline
import LifetraceTrace

/// The forms in which a recording can be written for other programs.
package enum ExportForm: String, CaseIterable, Sendable {
  case perfetto, chrome, jsonl, sqlite, otlp
  case otlpLogs = "otlp-logs"
  case otlpTraces = "otlp-traces"

  /// What each of them is for: a line each.
  package static var purposes: String {
    allCases.map { "\($0.rawValue): \($0.purpose)." }.joined(separator: "\n")
  }

  /// What opens it.
  private var purpose: String {
    switch self {
    case .perfetto: "for ui.perfetto.dev and its SQL"
    case .chrome: "the same as trace events in JSON, for viewers that know no other"
    case .jsonl: "one event a line, complete: import jsonl reads it back"
    case .sqlite:
      "tables of events, intervals, counters, flows, violations and of what was not saved"
    case .otlp: "logs and spans of OpenTelemetry, as JSON lines"
    case .otlpLogs: "its logs as protobuf (LogsData)"
    case .otlpTraces: "its spans as protobuf (TracesData)"
    }
  }

  /// Whether it is no text.
  package var isBinary: Bool {
    switch self {
    case .chrome, .jsonl, .otlp: false
    case .perfetto, .sqlite, .otlpLogs, .otlpTraces: true
    }
  }

  /// Whether the rules are to be judged for it.
  package var wantsFindings: Bool { self != .jsonl }
}

/// A recording that is to be exported, and which part of it.
package struct ExportJob {
  let timeline: Timeline
  let findings: Findings?
  let facts: ExportFacts
  let span: ClosedRange<Int64>
  let filter: EventFilter?
  /// What could not be read, asked for once all was read: the file, and a line about it.
  let damage: () -> [(file: String, problem: String)]

  /// What happens between the two times of `span`, with `findings` where they are wanted; with a `filter`
  /// the events that it finds, what they begin or end, what is said of them, and states.
  package init(
    timeline: Timeline,
    findings: Findings?,
    facts: ExportFacts,
    span: ClosedRange<Int64> = .min ... .max,
    filter: EventFilter? = nil,
    damage: @escaping () -> [(file: String, problem: String)] = { [] }
  ) {
    self.timeline = timeline
    self.findings = findings
    self.facts = facts
    self.span = span
    self.filter = filter
    self.damage = damage
  }

  /// Writes it in that form; `write` is handed some kilobytes at a time, and `progress` how many
  /// events are behind.
  ///
  /// A database is written into the empty file at `path`, and `write` is handed nothing. Returns how
  /// many events the filter found; 0 without one.
  @discardableResult
  package func write(
    _ form: ExportForm,
    path: String,
    progress: (Int) -> Void = { _ in },
    _ write: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int {
    switch form {
    case .perfetto: return try run(PerfettoFormat(), progress, write)
    case .chrome: return try run(ChromeFormat(), progress, write)
    case .jsonl: return try run(LinesFormat(), progress, write)
    case .otlp: return try run(OTLPFormat(.lines), progress, write)
    case .otlpLogs: return try run(OTLPFormat(.logs), progress, write)
    case .otlpTraces: return try run(OTLPFormat(.traces), progress, write)
    case .sqlite:
      var pass = ExportPass(try SQLiteFormat(path: path), self)
      try pass.run(progress: progress, write)
      try pass.format.close()
      return pass.count
    }
  }

  private func run<Format: ExportFormat & ~Copyable>(
    _ format: consuming Format,
    _ progress: (Int) -> Void,
    _ write: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int {
    var pass = ExportPass(format, self)
    try pass.run(progress: progress, write)
    return pass.count
  }
}
