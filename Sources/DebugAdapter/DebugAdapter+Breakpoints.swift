// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceDebugger
import LifetraceJSON
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

extension DebugAdapter {
  /// Stops where events come from lines of a source file.
  func setSourceBreakpoints(_ arguments: Arguments) throws -> Reply {
    let session = try session()
    let source = arguments.object("source")
    guard let path = source.text("path") ?? source.text("name") else {
      throw Refusal("setBreakpoints takes a source with a path.")
    }
    let isRecord = (source.number("sourceReference") ?? 0) > 0
    let files = isRecord ? nil : sourceFiles(at: path, session)
    return set(.source(path), arguments.objects("breakpoints")) { [self] wanted in
      guard !isRecord else {
        throw Refusal("This is the list of events: to go to a line, jump to it.")
      }
      guard let line = wanted.number("line").map(client.own(line:)) else {
        throw Refusal("A breakpoint has a line.")
      }
      guard let files else {
        throw Refusal("No event of this recording comes from \(Printable.line(path)).")
      }
      let text = Breakpoints.question(files, line: line)
      guard try occurs(text, session) else {
        throw Refusal("No event comes from line \(line). \(lines(of: files, session))")
      }
      return try condition(text, wanted)
    }
  }

  /// Stops at kinds of events, at what has a name, or where a condition holds.
  func setFunctionBreakpoints(_ arguments: Arguments) throws -> Reply {
    let session = try session()
    return set(.functions, arguments.objects("breakpoints")) { [self] wanted in
      guard let name = wanted.text("name") else { throw Refusal("A breakpoint has a name.") }
      if (try? session.question(name, isCondition: true, ofEvents: true)) != nil {
        return try condition(name, wanted)
      }
      let text = "name == \(Breakpoints.quoted(name))"
      guard try occurs(text, session) else {
        throw Refusal("No event is called \(Printable.line(name)), and it is no kind of event.")
      }
      return try condition(text, wanted)
    }
  }

  /// Stops where values of the state change, over all lives of the app.
  func setDataBreakpoints(_ arguments: Arguments) throws -> Reply {
    let session = try session()
    return set(.data, arguments.objects("breakpoints")) { wanted in
      guard let id = wanted.text("dataId").flatMap({ DataID($0, session.player) }) else {
        throw Refusal("dataId is none that dataBreakpointInfo has given.")
      }
      let question = try session.question(id.path, isCondition: false, ofEvents: true)
      guard question.needsState, !question.needsEvent, !question.moves else {
        throw Refusal("\(id.path) is no value that events change.")
      }
      var extra = Breakpoints.Extra()
      if let text = wanted.text("condition") {
        extra.condition = try session.question(text, isCondition: true)
      }
      extra.home = id.stream
      let lives = session.player.allLives(of: id.stream)
      return (Asking(question, session.player, aim: .change, of: lives), extra)
    }
  }

  /// What `continue` stops at beside the stops.
  func setExceptionBreakpoints(_ arguments: Arguments) throws -> Reply {
    let names = arguments.texts("filters")
    filters = Set(names.compactMap(ExceptionFilter.init(rawValue:)))
    let list = names.map {
      JSON.object([("verified", .bool(ExceptionFilter(rawValue: $0) != nil))])
    }
    return Reply([("breakpoints", .array(list))])
  }

  /// The rule that is broken where it stands.
  func describeException(_ arguments: Arguments) throws -> Reply {
    let session = try session()
    guard let finding = finding ?? session.player.violation else {
      throw Refusal("No rule speaks of this place.")
    }
    let title = try session.title(of: finding)
    let message = ([title] + (try session.details(of: finding))).joined(separator: "\n")
    return Reply([
      ("exceptionId", .string(finding.rule)), ("description", .string(title)),
      ("breakMode", .string("always")),
      (
        "details",
        .object([("message", .string(message)), ("typeName", .string(finding.severity.rawValue))])
      ),
    ])
  }

  // MARK: - Setting

  /// Whether a condition holds at some event.
  private func occurs(_ text: String, _ session: Session) throws -> Bool {
    let question = try session.question(text, isCondition: true, ofEvents: true)
    let filter = Asking(question, session.player).filter
    return try session.player.find(filter, .forward, from: session.player.timeline.start) != nil
  }

  /// A condition of events, with that of the client, and what is said there.
  private func condition(_ text: String, _ wanted: Arguments) throws -> (
    Asking, Breakpoints.Extra
  ) {
    let session = try session()
    var whole = text
    if let condition = wanted.text("condition") {
      // Alone first, so that what is wrong with it is told of its own text.
      _ = try session.question(condition, isCondition: true, ofEvents: true)
      whole = "(\(text)) && (\(condition))"
    }
    var extra = Breakpoints.Extra()
    extra.log = try wanted.text("logMessage").map { try log($0, session) }
    let question = try session.question(whole, isCondition: true, ofEvents: true)
    return (Asking(question, session.player), extra)
  }

  /// A log message in pieces: `{EXPRESSION}` stands for its value.
  private func log(_ message: String, _ session: Session) throws -> [Breakpoints.LogPiece] {
    var pieces: [Breakpoints.LogPiece] = []
    var rest = message[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      pieces.append(.text(String(rest[..<open])))
      let text = String(rest[rest.index(after: open)..<close])
      pieces.append(.value(try Asked(text, session)))
      rest = rest[rest.index(after: close)...]
    }
    return pieces + [.text(String(rest))]
  }

  /// Replaces the stops of a group; each of the answers says what has become of it.
  private func set(
    _ group: Breakpoints.Group,
    _ wanted: [Arguments],
    _ make: (Arguments) throws -> (Asking, Breakpoints.Extra)
  ) -> Reply {
    guard let session = opened else { return Reply() }
    for number in breakpoints.clear(group) { _ = session.player.stops.delete(number) }
    let list = wanted.map { one -> JSON in
      let line = one.number("line").map { [("line", JSON($0))] } ?? []
      do {
        let ignores = try ignores(one)
        let (asking, extra) = try make(one)
        let home = extra.home ?? session.player.focus
        guard let stop = session.player.stops.add(asking, about: home) else {
          throw Refusal("There are \(Stop.countMax) stops already: take one away.")
        }
        _ = session.player.stops.change(stop.number) { $0.ignores = ignores }
        breakpoints.add(stop.number, to: group, extra)
        return .object([("id", JSON(stop.number)), ("verified", .bool(true))] + line)
      } catch {
        let message =
          (error as? Refusal)?.message ?? (error as? CommandError)?.message ?? "interrupted"
        return .object([("verified", .bool(false)), ("message", .string(message))] + line)
      }
    }
    return Reply([("breakpoints", .array(list))])
  }

  /// How often a stop is passed over: one less than the hit at which it stops first.
  private func ignores(_ wanted: Arguments) throws -> Int {
    guard let text = wanted.text("hitCondition") else { return 0 }
    guard let hit = Int(text.filter { $0 != " " }), hit >= 1 else {
      throw Refusal(
        "A hit count is a whole number from 1: that of the hit at which it stops first."
      )
    }
    return hit - 1
  }

  // MARK: - Sources

  /// The files of the recording that a file of the client's is; nil for none.
  ///
  /// A site names `Notes/Editor.swift`, a client an absolute path: one is the end of the other, or the
  /// file is where the site's is found.
  func sourceFiles(at path: String, _ session: Session) -> [String]? {
    let names = session.player.names
    let known = Set(names.sites.map(\.file).filter { $0 != .empty }).map { names[$0] }
    let last = path.split(separator: "/").last
    let same = known.filter { file in
      guard file.split(separator: "/").last == last else { return false }
      return path == file || path.hasSuffix("/" + file) || file.hasSuffix("/" + path)
        || session.path(ofSource: file) == path
    }
    return same.isEmpty ? nil : same.sorted()
  }

  /// The lines of some files that events come from.
  private func lines(of files: [String], _ session: Session) -> String {
    let names = session.player.names
    let lines = Set(names.sites.filter { files.contains(names[$0.file]) }.map(\.line)).sorted()
    let shown = Wording.list(lines.prefix(20).map { "\($0)" })
    return "Lines that events come from: \(shown)\(lines.count > 20 ? " and more" : "")."
  }
}
