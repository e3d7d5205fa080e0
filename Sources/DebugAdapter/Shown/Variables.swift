// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceDebugger
import LifetraceJSON
import LifetraceJudging
import LifetraceLifecycle
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// What a client can unfold, until the next stop.
enum Container {
  /// The fields of an event.
  case event(EventPlace)
  /// The facts of a writer's state.
  case facts(StreamID)
  /// The rows of a table of a writer's state.
  case table(StreamID, StateTable)
  /// A row of it, by the order of their making.
  case row(StreamID, StateTable, Int)
  /// What rules say of the recording.
  case violations
  case violation(Finding)
}

/// A value as the client shows it.
struct Variable {
  var name: String
  var value: String
  /// What is typed to ask for it.
  var path: String?
  var type: String?
  /// What it unfolds to.
  var inner: Container?

  init(
    _ name: String,
    _ value: String,
    path: String? = nil,
    type: String? = nil,
    inner: Container? = nil
  ) {
    (self.name, self.value) = (name, value)
    (self.path, self.type, self.inner) = (path, type, inner)
  }
}

/// How a value of the state is named for a data breakpoint: its writer, and what is typed to ask for it.
struct DataID {
  var stream: StreamID
  var path: String

  init(_ stream: StreamID, _ path: String) { (self.stream, self.path) = (stream, path) }

  /// Reads what ``text`` has made; nil for anything else.
  init?(_ text: String, _ player: Player) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let stream = UInt32(parts[0]),
      Int(stream) < player.timeline.streams.count
    else { return nil }
    (self.stream, path) = (StreamID(rawValue: stream), String(parts[1]))
  }

  var text: String { "\(stream.rawValue) \(path)" }
}

extension DebugAdapter {
  /// A request that asks for more values gets no more.
  static let variablesMax = 1_000
  /// At one place the client gets no more frames, and no more values that unfold.
  static let numbersMax = 100_000

  func listScopes(_ arguments: Arguments) throws -> Reply {
    let session = try session()
    guard let frame = frame(arguments) else { throw Refusal("There is no such frame any more.") }
    var scopes: [(name: String, container: Container, count: Int?)] = []
    if case .event(let place) = frame.kind { scopes.append(("Event", .event(place), nil)) }
    if case .record = frame.kind, let place = session.player.place {
      scopes.append(("Event", .event(place), nil))
    }
    scopes.append(("State", .facts(frame.stream), nil))
    for table in StateTable.all {
      let name = table.word.prefix(1).uppercased() + table.word.dropFirst()
      scopes.append((name, .table(frame.stream, table), nil))
    }
    scopes.append(("Violations", .violations, nil))
    let list = scopes.map { scope in
      JSON.object([
        ("name", .string(scope.name)), ("variablesReference", JSON(number(of: scope.container))),
        ("expensive", .bool(scope.name == "Violations" && !isChecked(session))),
      ])
    }
    return Reply([("scopes", .array(list))])
  }

  /// Whether the violations are known without another look at the recording.
  private func isChecked(_ session: Session) -> Bool { session.player.unjudged != nil }

  private func frame(_ arguments: Arguments) -> Frame? {
    let number = arguments.number("frameId") ?? 0
    return 1..<frames.count + 1 ~= number ? frames[number - 1] : nil
  }

  /// The writer that a request is about: that of its frame, else the one in focus.
  func stream(_ arguments: Arguments, _ session: Session) -> StreamID {
    frame(arguments)?.stream ?? session.player.focus
  }

  /// The number by which the client may ask for what is in `container`.
  func number(of container: Container?) -> Int {
    guard let container, containers.count < Self.numbersMax else { return 0 }
    containers.append(container)
    return containers.count
  }

  func listVariables(_ arguments: Arguments) throws -> Reply {
    let session = try session()
    guard let container = container(arguments) else {
      throw Refusal("There are no such variables any more.")
    }
    let all = try variables(
      of: container,
      from: max(0, arguments.number("start") ?? 0),
      count: min(Self.variablesMax, max(0, arguments.number("count") ?? 0)),
      session
    )
    return Reply([("variables", .array(all.map(json)))])
  }

  /// What the client has got under a number.
  private func container(_ arguments: Arguments) -> Container? {
    let number = arguments.number("variablesReference") ?? 0
    return 1..<containers.count + 1 ~= number ? containers[number - 1] : nil
  }

  private func json(_ variable: Variable) -> JSON {
    var members: [(String, JSON)] = [
      ("name", .string(variable.name)), ("value", .string(variable.value)),
      ("variablesReference", JSON(number(of: variable.inner))),
    ]
    if let path = variable.path { members.append(("evaluateName", .string(path))) }
    if let type = variable.type { members.append(("type", .string(type))) }
    return .object(members)
  }

  // MARK: - Values

  private func variables(
    of container: Container,
    from start: Int,
    count: Int,
    _ session: Session
  ) throws -> [Variable] {
    let all: [Variable]
    switch container {
    case .event(let place): all = fields(of: place, session)
    case .facts(let stream): all = try facts(of: stream, session)
    case .table(let stream, let table): all = rows(of: table, stream, session)
    case .row(let stream, let table, let index):
      all = fields(ofRow: index, of: table, stream, session)
    case .violations: return try violations(from: start, count: count, session)
    case .violation(let finding):
      all = try session.details(of: finding).enumerated().map { Variable("\($0 + 1)", $1) }
    }
    let page = all.dropFirst(start).prefix(count > 0 ? count : Self.variablesMax)
    let more = count > 0 ? 0 : max(0, all.count - start - page.count)
    return page + (more > 0 ? [Variable("…", "\(Quantity.grouped(more)) more")] : [])
  }

  private func fields(of place: EventPlace, _ session: Session) -> [Variable] {
    let player = session.player
    let event = player.timeline.event(at: place)
    let site = SourcePlace(event.site, player.names)
    return [
      Variable("event", "\(player.name(of: place))"),
      Variable("time", Wording.time(player.timeline.time(of: event))),
      Variable("thread", Wording.thread(event.thread), path: "thread"),
      Variable("kind", player.names.info(of: event.kind)?.name ?? "\(event.kind.rawValue)"),
    ] + session.fields(of: event).map { Variable($0.name, $0.text, path: $0.name) }
      + (site.map { [Variable("source", Printable.line("\($0)"))] } ?? [])
  }

  private func facts(of stream: StreamID, _ session: Session) throws -> [Variable] {
    let all = try StateFact.all.map { fact in
      let path = path(fact.name, of: stream, session)
      let question = try session.question(path, isCondition: false)
      return Variable(fact.name, session.text(of: question), path: path, type: fact.type.noun)
    }
    let bounds = Wording.bounds(of: session.player.state(of: stream))
    return all + (bounds.map { [Variable("bounds", $0)] } ?? [])
  }

  /// What is typed to ask a value of a writer: of the one in focus without its name.
  private func path(_ path: String, of stream: StreamID, _ session: Session) -> String {
    stream == session.player.focus ? path : "\(session.player.labels[stream]).\(path)"
  }

  private func read(_ table: StateTable, _ stream: StreamID, _ session: Session) -> (
    rows: [StateTable.Row], isWhole: Bool
  ) {
    let state = session.player.state(of: stream)
    let now = session.hostTime(of: stream)
    return tables.rows(of: table, in: state, at: now, session.player.names)
  }

  func rows(of table: StateTable, _ stream: StreamID, _ session: Session) -> [Variable] {
    let (rows, isWhole) = read(table, stream, session)
    var all = rows.enumerated().map { index, row in
      variable(row, index, of: table, stream, session)
    }
    let state = session.player.state(of: stream)
    if !isWhole, Self.isMissing(table, state) {
      all.append(Variable("?", "events are missing: there may be more"))
    }
    // In front, as nobody looks through all that had room.
    if let bounds = Wording.bounds(of: state, table.families.compactMap(BoundedTable.init)) {
      all.insert(Variable("at least", "\(Quantity.grouped(rows.count)): \(bounds)"), at: 0)
    }
    return all
  }

  /// Whether events are missing of what a table is made of, beside things for which there was no room.
  private static func isMissing(_ table: StateTable, _ state: LifeState) -> Bool {
    table.families.contains { family in
      let known = state.completeness[family]
      let wasFull = known.isFull && known.since == .time(HostTime(rawValue: .min))
      return !known.isWhole && !wasFull
    }
  }

  private func variable(
    _ row: StateTable.Row,
    _ index: Int,
    of table: StateTable,
    _ stream: StreamID,
    _ session: Session
  ) -> Variable {
    let names = session.player.names
    let name = row.key.text(table.keyType, names)
    let known = zip(table.fields, row.values)
      .filter { $0.1.standing == .known && $0.1.text($0.0.type, names) != name }
      .map { "\($0.0.name) \($0.1.text($0.0.type, names))" }
    return Variable(
      name,
      known.prefix(4).joined(separator: ", "),
      type: table.singular,
      inner: .row(stream, table, index)
    )
  }

  private func fields(
    ofRow index: Int,
    of table: StateTable,
    _ stream: StreamID,
    _ session: Session
  ) -> [Variable] {
    let rows = read(table, stream, session).rows
    guard rows.indices.contains(index) else { return [] }
    let names = session.player.names
    let key = Self.path(of: rows[index], in: table, names)
    return zip(table.fields, rows[index].values).map { field, value in
      Variable(
        field.name,
        value.text(field.type, names),
        path: key.map { path("\($0).\(field.name)", of: stream, session) },
        type: field.type.noun
      )
    }
  }

  /// `data("draft.txt")`; nil where the row has no name to ask by.
  static func path(of row: StateTable.Row, in table: StateTable, _ names: Names) -> String? {
    guard row.key.standing == .known else { return nil }
    let text = row.key.text(table.keyType, names)
    let key = table.keyType == .field(.name) ? Breakpoints.quoted(text) : "\(row.key.bits)"
    return "\(table.singular)(\(key))"
  }

  private func violations(from start: Int, count: Int, _ session: Session) throws -> [Variable] {
    let all = try session.findings().violations
    let page = all.dropFirst(start).prefix(count > 0 ? count : Self.variablesMax)
    let more = count > 0 ? 0 : max(0, all.count - start - page.count)
    let shown = page.map { finding in
      let title =
        finding.kept.map { Printable.line("\($0.title)") } ?? Printable.line(finding.object)
      return Variable(
        "#\(finding.number) \(finding.rule)",
        title,
        type: finding.severity.rawValue,
        inner: .violation(finding)
      )
    }
    return shown + (more > 0 ? [Variable("…", "\(Quantity.grouped(more)) more: violations")] : [])
  }

  // MARK: - Data breakpoints

  /// How to stop where a value changes.
  func describeDataBreakpoint(_ arguments: Arguments) throws -> Reply {
    let session = try session()
    guard let name = arguments.text("name") else {
      throw Refusal("dataBreakpointInfo takes a name.")
    }
    let container = container(arguments)
    do {
      let id = try dataID(name, in: container, stream(arguments, session), session)
      return Reply([
        ("dataId", .string(id.text)),
        ("description", .string("\(id.path) of \(session.player.labels[id.stream])")),
        ("accessTypes", .array([.string("write")])), ("canPersist", .bool(false)),
      ])
    } catch {
      let message = (error as? Refusal)?.message ?? (error as? CommandError)?.message ?? "\(error)"
      return Reply([("dataId", .null), ("description", .string(message))])
    }
  }

  private func dataID(
    _ name: String,
    in container: Container?,
    _ stream: StreamID,
    _ session: Session
  ) throws -> DataID {
    let id: DataID
    switch container {
    case .facts(let stream): id = DataID(stream, name)
    case .table(let stream, let table):
      let key = table.keyType == .field(.name) ? Breakpoints.quoted(name) : name
      // Of data, what is not saved; of others whether they are there.
      let field = table.fields.first { $0.name == "unsaved" }
      let path =
        field.map { "\(table.singular)(\(key)).\($0.name)" }
        ?? "any \(table.word) where \(table.keyName) == \(key)"
      id = DataID(stream, path)
    case .row(let stream, let table, let index):
      let rows = read(table, stream, session).rows
      guard rows.indices.contains(index),
        let key = Self.path(of: rows[index], in: table, session.player.names)
      else { throw Refusal("\(name) cannot be asked for.") }
      id = DataID(stream, "\(key).\(name)")
    case .event, .violations, .violation:
      throw Refusal(
        "What an event says does not change: a breakpoint with a condition finds others."
      )
    case nil: id = DataID(stream, name)
    }
    let question = try session.question(id.path, isCondition: false, ofEvents: true)
    guard question.needsState, !question.needsEvent else {
      throw Refusal("\(id.path) is no value of the state.")
    }
    guard !question.moves else {
      throw Refusal("\(id.path) changes all the time: break on a condition of it.")
    }
    return id
  }
}
