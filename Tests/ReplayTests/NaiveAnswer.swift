// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

@testable import LifetraceQuery
@testable import LifetraceReplay

/// What an expression says at an event, by walking its form with dictionaries: slow, and plain.
struct NaiveAnswer {
  let player: Player
  let place: EventPlace
  let event: Event
  let after: LifeState
  let before: LifeState

  init(_ player: Player, _ place: EventPlace) {
    self.player = player
    self.place = place
    event = player.timeline.event(at: place)
    after = player.state(of: place.stream, after: place.index + 1)
    let stream = Int(place.stream.rawValue)
    let index = player.timeline.streams[stream]
    let chunk = index.chunk(holding: place.index)
    var before =
      place.index == index.firstIndices[chunk]
      ? player.keeper.state(beforeChunk: chunk, of: stream)
      : player.state(of: place.stream, after: place.index)
    before.meet(event)
    self.before = before
  }

  private var names: Names { player.names }

  enum Value: Equatable {
    case number(Int64, isUnsigned: Bool)
    case name(String)
    case absent
    case unknown
  }

  /// A row: its fields, and whether what is missing cannot have changed it.
  typealias Row = [String: Value]

  func truth(_ syntax: Syntax, row: Row? = nil) -> Bool? {
    switch syntax.form {
    case .both(let left, let right):
      let (a, b) = (truth(left, row: row), truth(right, row: row))
      return a == false || b == false ? false : a == true && b == true ? true : nil
    case .either(let left, let right):
      let (a, b) = (truth(left, row: row), truth(right, row: row))
      return a == true || b == true ? true : a == false && b == false ? false : nil
    case .negated(let inner): return truth(inner, row: row).map { !$0 }
    case .compared(let left, .matches, let right):
      guard case .glob(let pattern) = right.form else { return nil }
      switch value(left, row: row) {
      case .name(let name): return Glob(pattern).matches(name)
      case .unknown: return nil
      default: return false
      }
    case .compared(let left, .isIn, let right):
      guard case .set(let members) = right.form else { return nil }
      return members.reduce(false as Bool?) { found, member in
        let one = compare(value(left, row: row), .equal, value(member, row: row, beside: left))
        return found == true || one == true ? true : found == false && one == false ? false : nil
      }
    case .compared(let left, let comparison, let right):
      return compare(
        value(left, row: row, beside: right),
        comparison,
        value(right, row: row, beside: left)
      )
    case .quantified(let scope, let quantifier, let table, let condition):
      if let scope, scope.word != "before" {
        // Its row condition is about the other writer too, its time is that of the event.
        guard let other = elsewhere(scope.word) else { return false }
        let inner = Syntax.Form.quantified(scope: nil, quantifier, table: table, condition)
        return other.truth(Syntax(form: inner, range: syntax.range))
      }
      let (rows, isWhole) = rows(of: table.word, scope?.word == "before" ? before : after)
      let found = rows.map { row -> Bool? in
        let fits = condition.map { truth($0, row: row) } ?? true
        return quantifier == .all ? fits.map { !$0 } : fits
      }
      let certain = zip(rows, found).map { row, fits in
        row["certain"] == .absent && fits == true ? nil : fits
      }
      let any: Bool? =
        certain.contains(true) ? true : certain.contains(nil) || !isWhole ? nil : false
      return quantifier == .all ? any.map { !$0 } : any
    case .path(let steps):
      let word = steps.map(\.word).joined(separator: ".")
      if row == nil, let kind = KindWord.find(word), steps.allSatisfy({ $0.argument == nil }) {
        return kind.test.holds(event)
      }
      switch value(syntax, row: row) {
      case .number(let bits, _): return bits != 0
      case .unknown: return nil
      default: return false
      }
    default: return nil
    }
  }

  private func compare(_ left: Value, _ comparison: Comparison, _ right: Value) -> Bool? {
    if left == .absent || right == .absent { return false }
    if left == .unknown || right == .unknown { return nil }
    if comparison == .equal { return same(left, right) }
    if comparison == .unequal { return !same(left, right) }
    guard case .number(let a, let isUnsigned) = left, case .number(let b, let other) = right else {
      return false
    }
    let isLess =
      isUnsigned || other ? UInt64(bitPattern: a) < UInt64(bitPattern: b) : a < b
    return switch comparison {
    case .less: isLess
    case .atLeast: !isLess
    case .atMost: isLess || a == b
    default: !isLess && a != b
    }
  }

  private func same(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.number(let a, _), .number(let b, _)): a == b
    case (.name(let a), .name(let b)): a == b
    default: false
    }
  }

  private func value(_ syntax: Syntax, row: Row?, beside other: Syntax? = nil) -> Value {
    switch syntax.form {
    case .number(let text):
      if let number = Int64(text) { return .number(number, isUnsigned: false) }
      if let length = TypedQuantity.nanoseconds(text) { return .number(length, isUnsigned: false) }
      return .number(Int64(TypedQuantity.bytes(text) ?? 0), isUnsigned: true)
    case .string(let text): return .name(text)
    case .quantified(let scope?, .count, let table, let condition):
      guard let other = elsewhere(scope.word) else { return .absent }
      let inner = Syntax.Form.quantified(scope: nil, .count, table: table, condition)
      return other.value(Syntax(form: inner, range: syntax.range), row: nil)
    case .quantified(_, .count, let table, let condition):
      let (rows, isWhole) = rows(of: table.word, after)
      let fits = rows.map { row in condition.map { truth($0, row: row) } ?? true }
      guard isWhole, !fits.contains(nil) else { return .unknown }
      return .number(Int64(fits.count { $0 == true }), isUnsigned: false)
    case .path(let steps): return path(steps, row: row, beside: other)
    default: return .unknown
    }
  }

  private func path(_ steps: [Syntax.Step], row: Row?, beside other: Syntax?) -> Value {
    if steps[0].word == "before", steps.count > 1 {
      let earlier = NaiveAnswer(player, place, event, before, before)
      return earlier.path(Array(steps.dropFirst()), row: row, beside: other)
    }
    if steps.count > 1, ["notes", "syncd", "notes#1", "notes#2"].contains(steps[0].word) {
      guard let other = elsewhere(steps[0].word) else { return .absent }
      return other.path(Array(steps.dropFirst()), row: row, beside: nil)
    }
    let word = steps[0].word
    if let argument = steps[0].argument {
      guard case .name(let key) = value(argument, row: row) else { return .absent }
      let table = StateTable.named(word)
      let (rows, isWhole) = rows(of: table?.word ?? "", after)
      let named = table?.fields[table?.key ?? 0].name ?? ""
      guard let found = rows.first(where: { $0["key:\(named)"] == .name(key) }) else {
        return isWhole ? .absent : .unknown
      }
      return found[steps[1].word] ?? .absent
    }
    if let code = other.flatMap({ enumerator(word, beside: $0, row: row) }) {
      return .number(Int64(code), isUnsigned: true)
    }
    if let value = row?[word] { return value }
    if word == "state" {
      return after.appState == .unknown
        ? .unknown : .number(Int64(after.appState.rawValue), isUnsigned: true)
    }
    return field(word)
  }

  /// The same event with the state of another writer at that instant, by walking there event by event.
  private func elsewhere(_ writer: String) -> NaiveAnswer? {
    var position = player.timeline.start
    while let passed = player.timeline.stepForward(&position), passed != place {}
    let lives = player.timeline.startOrder.filter {
      let label = player.labels.labels[$0]
      return label == writer || label.hasPrefix(writer + "#")
    }
    guard let stream = lives.last(where: { position.cursors[$0] > 0 }) else { return nil }
    let state = player.state(
      of: StreamID(rawValue: UInt32(stream)),
      after: position.cursors[stream]
    )
    return NaiveAnswer(player, place, event, state, state)
  }

  private func enumerator(_ word: String, beside other: Syntax, row: Row?) -> UInt8? {
    guard case .path(let steps) = other.form else { return nil }
    return switch steps.last?.word {
    case "state", "from", "to": AppState.allCases.first { "\($0)" == word }?.rawValue
    case "level": DurabilityLevel.allCases.first { "\($0)" == word }?.rawValue
    case "class": ResourceClass.allCases.first { "\($0)" == word }?.rawValue
    case "thread": word == "main" ? 0 : nil
    default: nil
    }
  }

  private func field(_ word: String) -> Value {
    guard let info = names.info(of: event.kind) else { return .absent }
    func read(_ bits: UInt64, _ type: FieldType) -> Value {
      switch type {
      case .name: .name(names[NameID(word: bits)])
      case .int, .duration: .number(Int64(bitPattern: bits), isUnsigned: false)
      default: .number(Int64(bitPattern: bits), isUnsigned: true)
      }
    }
    if let identity = info.identity, identity.name == word {
      return read(event.identity, identity.type)
    }
    for (index, field) in info.fields.enumerated() where field.name == word {
      return index < Int(event.argumentCount) ? read(event[index], field.type) : .absent
    }
    switch word {
    case "thread": return .number(Int64(event.thread.rawValue), isUnsigned: true)
    case "name":
      let own = names[names[event.site].name]
      return own.isEmpty ? .absent : .name(own)
    case "took":
      let released = Payload.ResourceRelease(event)
      let key = ResourceKey(
        released.name,
        UInt8(truncatingIfNeeded: released.class.rawValue),
        released.id ?? 0
      )
      let begins: [EventKind: (EventFamily, HostTime?)] = [
        .callbackEnd: (.callback, before.openSpan(event.identity, .callbackBegin)?.time),
        .workEnd: (.work, before.openSpan(event.identity, .workBegin)?.time),
        .taskEnd: (.task, before.tasks[event.identity]?.time),
        .deadlineClose: (.deadline, before.deadlines[event.identity]?.time),
        .resourceRelease: (.resource, before.resources[key]?.time),
      ]
      guard let (family, time) = begins[event.kind] else { return .absent }
      guard let time else { return before.completeness[family].isWhole ? .absent : .unknown }
      return .number(max(0, event.time - time), isUnsigned: false)
    default: return .absent
    }
  }

  private init(
    _ player: Player,
    _ place: EventPlace,
    _ event: Event,
    _ after: LifeState,
    _ before: LifeState
  ) {
    self.player = player
    self.place = place
    self.event = event
    self.after = after
    self.before = before
  }

  /// The rows of a table as dictionaries.
  private func rows(of table: String, _ state: LifeState) -> ([Row], isWhole: Bool) {
    func number(_ value: UInt64) -> Value { .number(Int64(bitPattern: value), isUnsigned: true) }
    func made(_ family: EventFamily, _ time: HostTime?, _ key: String, _ name: NameID, _ row: Row)
      -> Row
    {
      let ledger = state.completeness[family]
      let isCertain = ledger.isWhole || time.map { ledger.covers($0) } ?? false
      var row = isCertain ? row : row.mapValues { _ in .unknown }
      // It is found by its key, certain or not.
      row["key:\(key)"] = .name(names[name])
      row["certain"] = isCertain ? .name("") : .absent
      return row
    }
    switch table {
    case "data":
      let isWhole = state.completeness[.data].isWhole
      let rows = state.data.values.map { object in
        var row = made(
          .data,
          object.dirty?.time,
          "object",
          object.name,
          [
            "object": .name(names[object.name]),
            "version": object.dirty.map { number($0.version) } ?? .absent,
            "unsaved": object.isUnsaved(at: .kernel)
              ? number(max(1, object.dirty?.bytes ?? 0)) : number(0),
          ]
        )
        row["saved"] = isWhole ? number(object.durable[.kernel]) : .unknown
        return row
      }
      return (rows, isWhole)
    case "tasks":
      let rows = state.tasks.values.sorted { $0.sequence < $1.sequence }.map { task in
        made(
          .task,
          task.time,
          "name",
          task.name,
          [
            "name": .name(names[task.name]), "expired": number(task.expired == nil ? 0 : 1),
            "age": .number(max(0, event.time - task.time), isUnsigned: false),
          ]
        )
      }
      return (rows, state.completeness[.task].isWhole)
    default:
      let rows = state.resources.values.sorted { $0.sequence < $1.sequence }.map { held in
        made(
          .resource,
          held.time,
          "name",
          held.name,
          [
            "name": .name(names[held.name]), "class": number(UInt64(held.classCode)),
            "age": .number(max(0, event.time - held.time), isUnsigned: false),
          ]
        )
      }
      return (rows, state.completeness[.resource].isWhole)
    }
  }
}
