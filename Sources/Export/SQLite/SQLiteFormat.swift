// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJSON
package import LifetraceJudging
package import LifetraceLifecycle
import LifetraceTimeline
package import LifetraceTrace
import LifetraceWords

/// A database of sqlite: events, intervals, counters, flows, violations, and what was not saved.
package struct SQLiteFormat: ExportFormat, ~Copyable {
  package static var wantsPicture: Bool { true }
  package static var wantsEvents: Bool { true }

  private let database: SQLiteDatabase
  private let rows: Rows
  private var labels: [String] = []
  private var clocks: [StreamClock] = []
  private var processOfLane: [StreamID?] = []
  private var names: [String] = []
  private var titles: [Title: String] = [:]

  /// The statements, one a table.
  private struct Rows {
    let recording, processes, events, lanes, intervals: SQLiteDatabase.Statement
    let counters, flows, violations, ledger, damage: SQLiteDatabase.Statement

    init(_ database: SQLiteDatabase) {
      recording = database.insert(into: "recording", columns: 2)
      processes = database.insert(into: "processes", columns: 13)
      events = database.insert(into: "events", columns: 13)
      lanes = database.insert(into: "lanes", columns: 4)
      intervals = database.insert(into: "intervals", columns: 9)
      counters = database.insert(into: "counters", columns: 4)
      flows = database.insert(into: "flow_ends", columns: 4)
      violations = database.insert(into: "violations", columns: 12)
      ledger = database.insert(into: "ledger", columns: 8)
      damage = database.insert(into: "damage", columns: 2)
    }
  }

  /// Will write into the empty file at `path`.
  package init(path: String) throws(SQLiteFailure) {
    database = try SQLiteDatabase(path: path, sqliteSchema)
    rows = Rows(database)
  }

  /// Nothing: sqlite writes its file itself.
  package var pending: Int { 0 }

  package mutating func drain(_ body: (UnsafeRawBufferPointer) throws -> Void) {}

  /// The rows are in the file once this has returned.
  package func close() throws(SQLiteFailure) {
    database.run(sqliteEnd)
    try database.close()
  }

  // MARK: Around

  package mutating func begin(_ facts: ExportFacts) {
    labels = facts.labels
    clocks = facts.clocks
    var pairs = [("file", facts.title), ("lifetrace", facts.version)]
    if let real = facts.realStart { pairs.append(("start_unix_ns", "\(real)")) }
    for (key, value) in pairs { database.add(rows.recording, .text(key), .text(value)) }
    for (stream, writer) in facts.writers.enumerated() where facts.isWanted(stream) {
      let attributes = writer.attributes
      database.add(
        rows.processes,
        .integer(Int64(stream)),
        .text(labels[stream]),
        .text(writer.id.text),
        .text(attributes.app),
        .text(attributes.process),
        .text("\(attributes.role)"),
        .integer(Int64(attributes.pid)),
        .text(attributes.host),
        .integer(Int64(attributes.deviceBoot)),
        attributes.previous.map { .text($0.text) } ?? .null,
        .text(attributes.profile),
        .text("\(attributes.evidence)"),
        .text("\(attributes.clock)")
      )
    }
  }

  package mutating func damage(_ file: String, _ problem: String) {
    database.add(rows.damage, .text(file), .text(problem))
  }

  package mutating func lane(_ lane: Lane) {
    processOfLane.append(lane.stream)
    names.append(lane.name)
    if case .counter = lane.kind { return }
    database.add(
      rows.lanes,
      .integer(Int64(lane.id)),
      lane.parent.map { .integer(Int64($0)) } ?? .null,
      Self.number(lane.stream),
      .text(lane.name)
    )
  }

  private static func number(_ stream: StreamID?) -> SQLiteDatabase.Value {
    stream.map { .integer(Int64($0.rawValue)) } ?? .null
  }

  // MARK: Events

  package mutating func event(_ event: borrowing Event, at time: Int64, _ names: borrowing Names) {
    let (event, names) = (copy event, copy names)
    let info = names.info(of: event.kind)
    var name = names[names[event.site].name]
    if info?.identity?.type == .name { name = names[event.identityName] }
    let source = SourcePlace(event.site, names)
    database.add(
      rows.events,
      .null,
      Self.number(event.stream),
      .integer(Int64(clamping: event.sequence)),
      .integer(time),
      .integer(event.time.rawValue),
      .integer(Int64(event.thread.rawValue)),
      .text(EventText.kind(event.kind, names)),
      .text(event.kind.family.word),
      name.isEmpty ? .null : .text(name),
      source.map { .text($0.file) } ?? .null,
      source.map { .integer(Int64($0.line)) } ?? .null,
      .text(event.observer.word),
      .text(JSON.object(EventJSON.values(event, names)).text)
    )
  }

  package mutating func end(
    _ slice: Slice,
    at time: Int64,
    _ ending: Slice.Ending,
    _ names: borrowing Names
  ) {
    let event = slice.event
    database.add(
      rows.intervals,
      .null,
      .integer(Int64(slice.lane)),
      Self.number(event.stream),
      .text(event.kind.family.word),
      .text(text(slice.title, names)),
      .integer(slice.time),
      ending == .open ? .null : .integer(time),
      .text("\(ending)"),
      .integer(Int64(clamping: event.sequence))
    )
  }

  private mutating func text(_ title: Title, _ names: borrowing Names) -> String {
    if let known = titles[title] { return known }
    let text = title.text(copy names, labels: labels)
    titles[title] = text
    return text
  }

  package mutating func instant(_ instant: Instant, _ names: borrowing Names) {
    // The event itself is a row; what it begins and ends besides are arrows.
    let event = instant.event
    for (flows, isEnd) in [(instant.begins, false), (instant.ends, true)] {
      for flow in flows.all {
        database.add(
          rows.flows,
          .integer(Int64(bitPattern: flow)),
          Self.number(event.stream),
          .integer(Int64(clamping: event.sequence)),
          .integer(isEnd ? 1 : 0)
        )
      }
    }
  }

  package mutating func counter(_ lane: Lane.ID, _ value: Int64, at time: Int64) {
    database.add(
      rows.counters,
      Self.number(processOfLane[Int(lane)]),
      .text(names[Int(lane)]),
      .integer(time),
      .integer(value)
    )
  }

  package mutating func finding(
    _ finding: Finding,
    in lane: Lane.ID,
    at time: Int64,
    _ names: borrowing Names
  ) {
    let texts = FindingText(finding, labels: labels)
    func value(_ key: String) -> SQLiteDatabase.Value {
      texts.pairs.first { $0.0 == key }.map { .text($0.1) } ?? .null
    }
    database.add(
      rows.violations,
      .null,
      .text(finding.rule),
      .text(texts.outcome),
      .text(finding.severity.rawValue),
      Self.number(finding.stream),
      .integer(Int64(clamping: finding.sequence)),
      .integer(time),
      .text(texts.title),
      value("why"),
      value("reason"),
      value("witnesses"),
      value("advice")
    )
  }

  /// What became of the newest version of each object that was edited.
  package mutating func end(of stream: StreamID, _ state: LifeState, _ names: borrowing Names) {
    let level = state.endLevel(names)
    let clock = clocks[Int(stream.rawValue)]
    for object in state.data.values {
      guard let edit = object.dirty else { continue }
      let outcome: String
      if !object.isUnsaved(at: level) {
        outcome = edit.version <= object.discarded ? "discarded" : "saved"
      } else if !state.losesAtEnd(names) {
        outcome = "unsaved"
      } else {
        outcome = object.survival(at: level) == nil ? "lost" : "unclear"
      }
      database.add(
        rows.ledger,
        Self.number(stream),
        .text(names[object.name]),
        .integer(Int64(clamping: edit.version)),
        .integer(Int64(clamping: edit.bytes)),
        object.isUnsaved(at: level)
          ? .integer(clock.trace((object.firstUnsaved ?? edit).time).rawValue) : .null,
        .integer(Int64(clamping: object.durable[.kernel])),
        .integer(Int64(clamping: object.durable[.disk])),
        .text(outcome)
      )
    }
  }
}
