// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJSON
package import LifetraceJudging
import LifetraceLifecycle
import LifetraceRules
import LifetraceTimeline
package import LifetraceTrace
import LifetraceWords

/// Logs and spans of OpenTelemetry: JSON lines with both, or protobuf with one of the two.
///
/// States are log records of the event `device.app.lifecycle`, with `ios.app.state`; what has an extent
/// is a span; everything else is a log record `lifetrace.KIND`. A process is a resource and a trace:
/// its writer id is the trace id, and the number of the event that begins a span is in its id.
/// What OpenTelemetry cannot say, such as *suspended*, is said in attributes `lifetrace.…`.
package struct OTLPFormat: ExportFormat, ~Copyable {
  /// What is written.
  package enum Part: Sendable {
    /// Logs and spans as JSON, a line for some of each.
    case lines
    /// `LogsData` as protobuf.
    case logs
    /// `TracesData` as protobuf.
    case traces
  }

  package static var wantsPicture: Bool { true }
  package static var wantsEvents: Bool { false }

  /// Records of one process that are written together.
  private static let batchMax = 256
  /// Records of all processes that wait: a batch is smaller where there are more processes than that.
  private static let heldMax = 16_384

  private let part: Part
  private var bytes = OutputBytes()
  private var facts: ExportFacts?
  /// Nanoseconds since 1970 at the first event; 0 where nobody knows.
  private var start: Int64 = 0
  private var logs: [[OTLPMessage]] = []
  private var spans: [[OTLPMessage]] = []
  private var held = 0
  /// By lane: the ids of the spans that are open on it.
  private var open: [[UInt64]] = []

  /// Will write that part.
  package init(_ part: Part) { self.part = part }

  package var pending: Int { bytes.count }

  package mutating func drain(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try bytes.take(body)
  }

  package mutating func begin(_ facts: ExportFacts) {
    self.facts = facts
    start = facts.realStart ?? 0
    logs = facts.writers.map { _ in [] }
    spans = logs
  }

  package mutating func lane(_ lane: Lane) { open.append([]) }

  package mutating func finish() {
    for stream in logs.indices { flush(stream) }
  }

  // MARK: Spans

  package mutating func begin(_ slice: Slice, _ names: borrowing Names) {
    if slice.title.form == .state { return add(slice.event, at: slice.time, slice.title, names) }
    if Self.isSpan(slice.title) { open[Int(slice.lane)].append(Self.id(slice)) }
  }

  private static func isSpan(_ title: Title) -> Bool {
    title.form == .slice || title.form == .unsaved
  }

  private static func id(_ slice: Slice) -> UInt64 {
    MessageFlows.number(slice.event.sequence, UInt32(slice.title.form.rawValue)) | 1
  }

  package mutating func end(
    _ slice: Slice,
    at time: Int64,
    _ ending: Slice.Ending,
    _ names: borrowing Names
  ) {
    guard Self.isSpan(slice.title) else { return }
    let (lane, id) = (Int(slice.lane), Self.id(slice))
    let place = open[lane].lastIndex(of: id)
    let parent = place.flatMap { $0 > 0 ? open[lane][$0 - 1] : nil }
    if let place { open[lane].remove(at: place) }
    var span = OTLPMessage(
      (1, "traceId", .id(trace(slice.event.stream))),
      (2, "spanId", .id(Self.bytes(id)))
    )
    if let parent { span.add(4, "parentSpanId", .id(Self.bytes(parent))) }
    span.add(5, "name", .text(slice.title.text(copy names, labels: facts?.labels ?? [])))
    // SPAN_KIND_INTERNAL
    span.add(6, "kind", .code(1))
    span.add(7, "startTimeUnixNano", .time(unix(slice.time)))
    span.add(8, "endTimeUnixNano", .time(unix(time)))
    var attributes = self.attributes(slice.event, names)
    if ending != .ended { attributes.append(.attribute("lifetrace.ending", .string("\(ending)"))) }
    span.add(9, "attributes", .messages(attributes))
    let stream = Int(slice.event.stream.rawValue)
    spans[stream].append(span)
    hold(stream)
  }

  // MARK: Log records

  package mutating func instant(_ instant: Instant, _ names: borrowing Names) {
    add(instant.event, at: instant.time, instant.title, names)
  }

  private mutating func add(
    _ event: Event,
    at time: Int64,
    _ title: Title,
    _ names: borrowing Names
  ) {
    var attributes = self.attributes(event, names)
    var name = "lifetrace.\(EventText.kind(event.kind, copy names))"
    if let state = Self.lifecycle(event, title) {
      name = "device.app.lifecycle"
      attributes.insert(.attribute("ios.app.state", .string(state)), at: 0)
    }
    if title.form == .state, let state = AppState(rawValue: title.code) {
      attributes.append(.attribute("lifetrace.app.state", .string(state.word)))
    }
    add(event.stream, time, name, severity: 9, body: nil, attributes)
  }

  /// The words of OpenTelemetry for a change of state; nil for what it has no word for.
  private static func lifecycle(_ event: Event, _ title: Title) -> String? {
    if event.kind == .purge { return "terminate" }
    guard title.form == .state else { return nil }
    switch AppState(rawValue: title.code) {
    case .active: return "active"
    case .background: return event.kind == .resume ? nil : "background"
    case .inactive:
      let isReturn =
        event.kind == .transition && Payload.Transition(event).from.value == .background
      return isReturn ? "foreground" : "inactive"
    default: return nil
    }
  }

  package mutating func finding(
    _ finding: Finding,
    in lane: Lane.ID,
    at time: Int64,
    _ names: borrowing Names
  ) {
    let texts = FindingText(finding, labels: facts?.labels ?? [])
    let severity: UInt64 =
      switch finding.severity {
      case .error: 17
      case .warning: 13
      default: 9
      }
    add(
      finding.stream,
      time,
      "lifetrace.\(texts.outcome)",
      severity: severity,
      body: texts.title,
      texts.pairs.map { .attribute("lifetrace.\($0.0)", .string($0.1)) }
    )
  }

  /// A log record of a resource of its own, at the begin: what is gone has neither process nor time.
  package mutating func damage(_ file: String, _ problem: String) {
    guard part != .traces else { return }
    let record = OTLPMessage(
      (1, "timeUnixNano", .time(unix(0))),
      (2, "severityNumber", .code(17)),
      (5, "body", .message(.any(.string("damaged: \(problem)")))),
      (6, "attributes", .messages([.attribute("lifetrace.file", .string(file))])),
      (11, "observedTimeUnixNano", .time(unix(0))),
      (12, "eventName", .text("lifetrace.damage"))
    )
    put(
      [.attribute("service.name", .string("lifetrace"))],
      [record],
      "resourceLogs",
      "scopeLogs",
      "logRecords"
    )
  }

  private mutating func add(
    _ stream: StreamID,
    _ time: Int64,
    _ name: String,
    severity: UInt64,
    body: String?,
    _ attributes: [OTLPMessage]
  ) {
    var record = OTLPMessage(
      (1, "timeUnixNano", .time(unix(time))),
      (2, "severityNumber", .code(severity))
    )
    // A body that says nothing is there and empty, as SDKs send it.
    record.add(5, "body", .message(body.map { .any(.string($0)) } ?? OTLPMessage()))
    record.add(6, "attributes", .messages(attributes))
    record.add(9, "traceId", .id(trace(stream)))
    record.add(11, "observedTimeUnixNano", .time(unix(time)))
    record.add(12, "eventName", .text(name))
    let place = Int(stream.rawValue)
    logs[place].append(record)
    hold(place)
  }

  // MARK: Parts

  private func unix(_ time: Int64) -> UInt64 {
    UInt64(max(0, start.addingSaturated(max(0, time))))
  }

  private func trace(_ stream: StreamID) -> [UInt8] {
    guard let id = facts?.writers[Int(stream.rawValue)].id else { return [] }
    return Self.bytes(id.high) + Self.bytes(id.low)
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
  }

  /// The number of the event, its place in the source, and what it carries.
  private func attributes(_ event: Event, _ names: borrowing Names) -> [OTLPMessage] {
    var attributes = [OTLPMessage.attribute("lifetrace.event", JSON(event.sequence))]
    if let place = SourcePlace(event.site, names) {
      attributes.append(.attribute("code.file.path", .string(place.file)))
      attributes.append(.attribute("code.line.number", JSON(Int(place.line))))
    }
    attributes.append(.attribute("thread.id", JSON(Int(event.thread.rawValue))))
    let site = names[names[event.site].name]
    if !site.isEmpty { attributes.append(.attribute("lifetrace.site", .string(site))) }
    for (key, value) in EventJSON.values(event, copy names) where key != "event" {
      attributes.append(.attribute("lifetrace.\(key)", value))
    }
    if event.observerCode != 0 {
      attributes.append(.attribute("lifetrace.by", .string(event.observer.word)))
    }
    return attributes
  }

  /// A record more of that process waits.
  private mutating func hold(_ stream: Int) {
    held += 1
    if max(logs[stream].count, spans[stream].count) >= Self.batchMax { flush(stream) }
    if held >= Self.heldMax { for stream in logs.indices { flush(stream) } }
  }

  private mutating func flush(_ stream: Int) {
    held -= logs[stream].count + spans[stream].count
    if part != .traces, !logs[stream].isEmpty {
      put(resource(stream), logs[stream], "resourceLogs", "scopeLogs", "logRecords")
    }
    if part != .logs, !spans[stream].isEmpty {
      put(resource(stream), spans[stream], "resourceSpans", "scopeSpans", "spans")
    }
    logs[stream].removeAll(keepingCapacity: true)
    spans[stream].removeAll(keepingCapacity: true)
  }

  /// A line, or an element of the only field of `LogsData` and `TracesData`: the numbers are the same.
  private mutating func put(
    _ attributes: [OTLPMessage],
    _ records: [OTLPMessage],
    _ whole: String,
    _ scoped: String,
    _ each: String
  ) {
    let scope = OTLPMessage(
      (1, "name", .text("lifetrace")),
      (2, "version", .text(facts?.version ?? ""))
    )
    let inScope = OTLPMessage((1, "scope", .message(scope)), (2, each, .messages(records)))
    let resource = OTLPMessage((1, "attributes", .messages(attributes)))
    let one = OTLPMessage(
      (1, "resource", .message(resource)),
      (2, scoped, .messages([inScope]))
    )
    let all = OTLPMessage((1, whole, .messages([one])))
    if part == .lines {
      bytes.put {
        all.writeJSON(to: &$0)
        $0.append(UInt8(ascii: "\n"))
      }
    } else {
      bytes.makeRoom(64)
      all.write(to: &bytes)
    }
  }

  private func resource(_ stream: Int) -> [OTLPMessage] {
    guard let facts else { return [] }
    let (id, attributes) = facts.writers[stream]
    var pairs: [(String, JSON)] = [
      ("service.name", .string(attributes.app)),
      ("service.instance.id", .string(id.text)),
      ("process.executable.name", .string(attributes.process)),
      ("lifetrace.process", .string(facts.labels[stream])),
      ("lifetrace.role", .string("\(attributes.role)")),
    ]
    if attributes.pid != 0 { pairs.append(("process.pid", JSON(Int(attributes.pid)))) }
    if !attributes.host.isEmpty { pairs.append(("host.name", .string(attributes.host))) }
    if facts.realStart == nil { pairs.append(("lifetrace.time", .string("since the first event"))) }
    return pairs.map { .attribute($0.0, $0.1) }
  }
}
