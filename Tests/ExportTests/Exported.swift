// SPDX-License-Identifier: Apache-2.0
import LifetraceExport
import LifetraceInterop
import LifetraceJudging
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// A story, laid out and judged, and what an export makes of it.
struct Exported {
  let timeline: Timeline
  let findings: Findings
  let labels: [String]
  let facts: ExportFacts

  /// The story at a path of the repository.
  init(_ path: String) throws {
    let story = try Story.parse(try #require(Golden.text(path), "\(path)"))
    try self.init(story.source, title: path)
  }

  init(_ source: some EventSource, title: String) throws {
    timeline = Timeline(source)
    findings = try Findings(timeline, by: Judgement())
    let writers = timeline.streams.map { (id: $0.writer, attributes: $0.attributes) }
    labels = AppLife.labels(writers)
    facts = ExportFacts(
      title: title,
      version: "0",
      labels: labels,
      writers: writers,
      streams: Set(timeline.streams.map(\.id)),
      alignment: timeline.alignment
    )
  }

  /// The bytes of an export of a part.
  func bytes(
    _ form: ExportForm,
    path: String = "",
    span: ClosedRange<Int64> = .min ... .max,
    filter: EventFilter? = nil
  ) throws -> [UInt8] {
    let job = ExportJob(
      timeline: timeline,
      findings: findings,
      facts: facts,
      span: span,
      filter: filter
    )
    var bytes: [UInt8] = []
    try job.write(form, path: path) { bytes += $0 }
    return bytes
  }

  /// All events of a stream, in order.
  func events(of stream: Int) -> [Event] {
    var found: [Event] = []
    timeline.pass(0..<timeline.streams[stream].count, of: stream) { events, _ in
      for index in events.indices { found.append(events[index]) }
      return true
    }
    return found
  }

  func time(_ event: Event) -> Int64 { timeline.time(of: event).rawValue }
}
