// SPDX-License-Identifier: Apache-2.0
import LifetraceExport
import LifetraceInterop
import LifetraceJudging
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTraceFile

/// A recording of "a day of app life" becomes a trace for Perfetto, and the other forms: from the file
/// to bytes that nobody keeps, on one core.
func benchmarkExport(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let count = size == .small ? 20_000 : 3_000_000
  let directory = try BenchmarkDirectory()
  let path = directory.path + "/day.lifetrace"
  try LargeDay.write(to: path, events: count, dayEvents: size == .small ? count : 1_000_000)
  var rows: [BenchmarkRow] = []
  for form in ExportForm.allCases {
    let (rate, bytes) = try exporting(path, form, database: directory.path + "/day.db")
    let least = 3.0
    rows.append(
      BenchmarkRow(
        "export \(form.rawValue), \(count / 1_000) k events, one core",
        "\(fixed(rate, 2)) M/s",
        peer: bytes == 0 ? "" : "\(bytes / count) bytes an event",
        target: form == .perfetto ? "at least \(fixed(least, 0)) M/s" : "",
        reached: form == .perfetto && size == .large ? rate >= least : nil
      )
    )
  }
  let dumped = try dumping(path)
  rows.append(
    BenchmarkRow(
      "dump, \(count / 1_000) k lines, one core",
      "\(fixed(dumped.rate, 2)) M/s",
      peer: "\(dumped.bytes / count) bytes a line",
      target: "at least 2 M/s",
      reached: size == .large ? dumped.rate >= 2 : nil
    )
  )
  let start = processorTime()
  let timeline = Timeline(FileSource(try TraceReader(path: path)))
  let findings = try Findings(timeline, by: Judgement())
  let rate = Double(count) / Double(processorTime() - start) * 1e3
  rows.append(
    BenchmarkRow(
      "the rules before it, for their instants",
      "\(fixed(rate, 2)) M/s",
      peer: "\(findings.violations.count) violations"
    )
  )
  return rows
}

/// Millions of events a second of processor time, and the bytes written.
private func exporting(
  _ path: String,
  _ form: ExportForm,
  database: String
) throws -> (rate: Double, bytes: Int) {
  let start = processorTime()
  let timeline = Timeline(FileSource(try TraceReader(path: path)))
  let writers = timeline.streams.map { (id: $0.writer, attributes: $0.attributes) }
  let facts = ExportFacts(
    title: "day",
    version: "0",
    labels: AppLife.labels(writers),
    writers: writers,
    streams: Set(timeline.streams.map(\.id)),
    alignment: timeline.alignment
  )
  var bytes = 0
  try ExportJob(timeline: timeline, findings: nil, facts: facts)
    .write(form, path: database) { bytes += $0.count }
  let events = Double(timeline.count)
  return (events / Double(processorTime() - start) * 1e3, bytes)
}

/// Millions of lines a second of processor time, as `dump` makes them, and their bytes.
private func dumping(_ path: String) throws -> (rate: Double, bytes: Int) {
  let start = processorTime()
  let source = FileSource(try TraceReader(path: path))
  let timeline = Timeline(source)
  let labels = AppLife.labels(timeline.streams.map { (id: $0.writer, attributes: $0.attributes) })
  var writer = StoryWriter(clocks: timeline.alignment.clocks)
  var runs = EventRuns(of: timeline)
  var bytes = 0
  var lines = OutputBytes()
  while let run = runs.next() {
    let label = labels[Int(run.rows.stream.rawValue)]
    let events = run.rows.events
    writer.putLines(
      events.span.extracting(run.indices),
      names: { source.names },
      label: label,
      to: &lines
    )
    if lines.count >= 1 << 16 { lines.take { bytes += $0.count } }
  }
  lines.take { bytes += $0.count }
  return (Double(timeline.count) / Double(processorTime() - start) * 1e3, bytes)
}
