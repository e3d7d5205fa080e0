// SPDX-License-Identifier: Apache-2.0
package import LifetraceInterop
import LifetraceJSON
import LifetraceLifecycle
import LifetraceTrace

/// Makes a recording of what SDKs of OpenTelemetry have sent.
///
///     var made = OTLPStory()
///     for batch in batches { made.add(batch) }
///     made.story
///
/// A process is a `service.instance.id`, else a host, a pid and a name. A span is work; a CLIENT span is a
/// message to the SERVER span whose parent it is, and an answer, so clocks of their hosts bound each other. Log
/// records of `device.app.lifecycle` are states. Ids of spans are flows: what a process with the SDK of
/// lifetrace has sent or received under a traceparent is tied to them.
package struct OTLPStory {
  private struct Process {
    var attributes: WriterAttributes
    var id: WriterID
    var spans: [OTLPBatch.Span] = []
    var logs: [OTLPBatch.Log] = []
  }

  private var processes: [Process] = []
  private var numberOfKey: [String: Int] = [:]
  /// Attributes above the limit of a record.
  package private(set) var attributesLeftOut = 0
  /// Spans without an id.
  package private(set) var spansRefused = 0
  /// Spans and log records.
  package private(set) var records = 0
  /// Spans and log records that were too many.
  package private(set) var recordsLeftOut = 0

  /// More records are not taken.
  package static let recordsMax = 5_000_000
  /// Processes above that share the last one.
  static let processesMax = 4_096

  /// Nothing was sent yet.
  package init() {}

  /// Takes in a batch.
  package mutating func add(_ batch: OTLPBatch) {
    attributesLeftOut += batch.attributesLeftOut
    spansRefused += batch.spansRefused
    for resource in batch.resources {
      let count = resource.spans.count + resource.logs.count
      guard records + count <= Self.recordsMax else {
        recordsLeftOut += count
        continue
      }
      records += count
      let number = process(of: resource)
      processes[number].spans += resource.spans
      processes[number].logs += resource.logs
      if resource.logs.contains(where: { Self.lifecycle($0) != nil }) {
        processes[number].attributes.role = .app
      }
    }
  }

  private mutating func process(of resource: OTLPBatch.Resource) -> Int {
    func text(_ key: String) -> String {
      resource.attributes.first { $0.key == key }.map { $0.value.string ?? $0.value.text } ?? ""
    }
    let (instance, host, pid) = (
      text("service.instance.id"), text("host.name"), text("process.pid")
    )
    let app = text("service.name").isEmpty ? "unknown_service" : text("service.name")
    let key = instance.isEmpty ? "\(host)\n\(pid)\n\(app)" : "\(instance)\n\(app)"
    if let number = numberOfKey[key] { return number }
    guard processes.count < Self.processesMax else { return processes.count - 1 }
    var attributes = WriterAttributes(
      app: app,
      process: text("process.executable.name"),
      role: .server
    )
    attributes.pid = UInt32(pid) ?? 0
    // A process whose host is not known has a clock of its own: nothing says that it shares one.
    attributes.host = [host, text("device.id"), instance].first { !$0.isEmpty } ?? key
    attributes.evidence = .log
    attributes.clock = .real
    let id = WriterID(
      high: Self.hash(key, 0xcbf2_9ce4_8422_2325),
      low: Self.hash(key, 0x9ae1_6a3b_2f90_404f)
    )
    processes.append(Process(attributes: attributes, id: id))
    numberOfKey[key] = processes.count - 1
    return processes.count - 1
  }

  private static func hash(_ text: String, _ seed: UInt64) -> UInt64 {
    text.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  // MARK: Events

  /// The recording: its writers with their events in order of time.
  package var story: Story {
    var story = Story()
    let answered = Set(
      processes.flatMap { $0.spans.lazy.filter { $0.kind == Self.server }.map(\.parent) }
    )
    let asked = Set(processes.flatMap { $0.spans.lazy.filter { $0.kind == Self.client }.map(\.id) })
    var counts: [String: Int] = [:]
    for process in processes {
      let count = counts[process.attributes.app, default: 0] + 1
      counts[process.attributes.app] = count
      var events: [Event] = []
      for span in process.spans {
        add(span, answered: answered, asked: asked, to: &events, &story.names)
      }
      addLogs(of: process, to: &events, &story.names)
      // Each keeps its place among those of its time.
      events = events.enumerated().sorted {
        ($0.element.time.rawValue, $0.offset) < ($1.element.time.rawValue, $1.offset)
      }.map(\.element)
      for index in events.indices { events[index].sequence = UInt64(index) }
      var attributes = process.attributes
      attributes.started = events.first?.time ?? HostTime(rawValue: 0)
      story.writers.append(
        Story.Writer(
          label: "\(attributes.app)#\(count)",
          id: process.id,
          attributes: attributes,
          events: events
        )
      )
    }
    return story
  }

  /// SPAN_KIND_SERVER and its siblings.
  private static let server: UInt64 = 2
  private static let client: UInt64 = 3
  private static let producer: UInt64 = 4
  private static let consumer: UInt64 = 5

  /// Spans are on no thread that is known, and never on main.
  private static let thread = ThreadID(rawValue: 1)

  private func add(
    _ span: OTLPBatch.Span,
    answered: Set<UInt64>,
    asked: Set<UInt64>,
    to events: inout [Event],
    _ names: inout Names
  ) {
    let (start, end) = (
      HostTime(rawValue: span.start), HostTime(rawValue: max(span.start, span.end))
    )
    let site = site(span.name, span.attributes, &names)
    let peer = peer(span, &names)
    func message(_ isSend: Bool, _ flow: UInt64, _ time: HostTime) {
      events.append(
        isSend
          ? Event(
            Payload.MessageSend(flow: flow, peer: peer, bytes: 0, hlc: 0, count: 1),
            at: time,
            thread: Self.thread
          )
          : Event(
            Payload.MessageReceive(flow: flow, peer: peer, bytes: 0, hlc: 0, count: 1),
            at: time,
            thread: Self.thread
          )
      )
    }
    func trace(_ flow: UInt64, parent: UInt64, _ time: HostTime) {
      events.append(
        Event(
          Payload.MessageTrace(
            flow: flow,
            high: span.trace.high,
            low: span.trace.low,
            parent: parent
          ),
          at: time,
          thread: Self.thread
        )
      )
    }
    // What came in is before the work that it led to, what goes out within it.
    if span.kind == Self.server, span.parent != 0 {
      message(false, span.parent, start)
      trace(span.parent, parent: 0, start)
    }
    if span.kind == Self.consumer {
      for flow in Set(span.links + [span.parent]).sorted() where flow != 0 {
        message(false, flow, start)
        trace(flow, parent: 0, start)
      }
    }
    events.append(
      Event(
        Payload.WorkBegin(
          id: span.id,
          kind: span.kind == Self.client ? .network : .other,
          queue: .empty,
          async: true
        ),
        at: start,
        thread: Self.thread,
        site: site
      )
    )
    if span.kind == Self.client || span.kind == Self.producer {
      trace(span.id, parent: 0, start)
      message(true, span.id, start)
    }
    for event in span.events { add(event, to: &events, &names) }
    // The answer goes under the flow turned round, where both ends of it are known.
    if span.kind == Self.client, answered.contains(span.id) {
      message(false, ~span.id, end)
      trace(~span.id, parent: 0, end)
    }
    if span.kind == Self.server, asked.contains(span.parent) {
      trace(~span.parent, parent: span.parent, end)
      message(true, ~span.parent, end)
    }
    events.append(
      Event(Payload.WorkEnd(id: span.id), at: end, thread: Self.thread, site: site)
    )
  }

  private func peer(_ span: OTLPBatch.Span, _ names: inout Names) -> NameID {
    for key in ["peer.service", "server.address", "net.peer.name", "client.address"] {
      if let text = span.attributes.first(where: { $0.key == key })?.value.string {
        return names.intern(text)
      }
    }
    return .empty
  }

  private func site(
    _ name: String,
    _ attributes: [(key: String, value: JSON)],
    _ names: inout Names
  ) -> SiteID {
    func value(_ keys: String...) -> JSON? {
      attributes.first { keys.contains($0.key) }?.value
    }
    let file = value("code.file.path", "code.filepath")?.string ?? ""
    let line = value("code.line.number", "code.lineno")?.int ?? 0
    let site = Site(
      name: names.intern(name),
      file: names.intern(file),
      line: UInt32(exactly: line) ?? 0
    )
    return names.intern(site)
  }

  // MARK: Logs

  private func add(_ log: OTLPBatch.Log, to events: inout [Event], _ names: inout Names) {
    let time = HostTime(rawValue: log.time)
    let site = site(log.name, log.attributes, &names)
    if Callback(named: log.name) != nil {
      let id = UInt64(events.count) | 1 << 63
      events.append(Event(Payload.CallbackBegin(id: id), at: time, site: site))
      events.append(Event(Payload.CallbackEnd(id: id), at: time, site: site))
    } else if log.body.isEmpty {
      events.append(Event(Payload.Mark(), at: time, thread: Self.thread, site: site))
    } else {
      let text = names.intern(log.body)
      events.append(
        Event(
          Payload.Log(text: text, level: Self.level(log.severity)),
          at: time,
          thread: Self.thread,
          site: site
        )
      )
    }
  }

  private static func level(_ severity: UInt64) -> LogLevel {
    switch severity {
    case 0, 9..<13: .info
    case 1..<9: .debug
    case 13..<17: .notice
    case 17..<21: .error
    default: .fault
    }
  }

  /// The state that a log record says; nil for one of another kind.
  private static func lifecycle(_ log: OTLPBatch.Log) -> String? {
    guard log.name == "device.app.lifecycle" else { return nil }
    let keys = ["ios.app.state", "ios.state", "android.app.state"]
    return log.attributes.first { keys.contains($0.key) }?.value.string
  }

  private func addLogs(of process: Process, to events: inout [Event], _ names: inout Names) {
    var state = AppState.unknown
    for log in process.logs.sorted(by: { $0.time < $1.time }) {
      guard let word = Self.lifecycle(log) else {
        add(log, to: &events, &names)
        continue
      }
      addState(word, of: process, at: HostTime(rawValue: log.time), &state, to: &events, &names)
    }
  }

  private func addState(
    _ word: String,
    of process: Process,
    at time: HostTime,
    _ state: inout AppState,
    to events: inout [Event],
    _ names: inout Names
  ) {
    let evidence = names.intern("otlp")
    let next: AppState
    switch word {
    case "active": next = .active
    case "inactive", "foreground": next = .inactive
    case "background": next = .background
    case "created":
      let start = Payload.ProcessStart(
        previous: 0,
        reason: evidence,
        app: names.intern(process.attributes.app)
      )
      events.append(Event(start, at: time))
      state = .notRunning
      return
    case "terminate":
      let exit = Payload.ProcessExit(cause: names.intern("exit"), code: 0, evidence: evidence)
      events.append(Event(exit, at: time))
      state = .notRunning
      return
    default: return
    }
    guard next != state else { return }
    // OpenTelemetry leaves out what lies between: an app that is active was inactive before.
    let steps: [AppState] = state.canBecome(next) ? [next] : [.inactive, next]
    for to in steps where state.canBecome(to) {
      let flags: EventFlags = to == next ? [] : .inferred
      let transition = Payload.Transition(from: state, to: to, cause: .empty)
      events.append(Event(transition, at: time, flags: flags))
      state = to
    }
  }
}
