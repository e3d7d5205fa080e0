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
      if let scope, scope.word != "before", scope.word != "after" {
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
    case .quantified(let scope?, .count, let table, let condition)
    where ["before", "after"].contains(scope.word):
      let state = scope.word == "before" ? before : after
      let here = NaiveAnswer(player, place, event, state, before)
      let inner = Syntax.Form.quantified(scope: nil, .count, table: table, condition)
      return here.value(Syntax(form: inner, range: syntax.range), row: nil)
    case .sum(let left, let isDifference, let right):
      return sum(value(left, row: row), isDifference, value(right, row: row))
    case .minus(let inner):
      return sum(.number(0, isUnsigned: false), true, value(inner, row: row))
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

  /// A field of the time that the system has set for the wake or the task of that name.
  private func systemBudget(_ key: String, _ field: String) -> Value {
    struct Running {
      var sequence: UInt64
      var family: EventFamily
      var time: HostTime
      var limit: Int64
      var used: Int64
    }
    var running: [Running] = []
    for wake in after.wakes.values where names[wake.reason] == key {
      let limit = Profile.standard.wakeHandler.kill
      let used = event.time - wake.time
      running.append(
        Running(
          sequence: wake.sequence,
          family: .wake,
          time: wake.time,
          limit: limit,
          used: used
        )
      )
    }
    for task in after.tasks.values where names[task.name] == key {
      let clock = after.backgroundClock(of: task, until: event.time, .standard, scaled: { $0 })
      guard let clock else { continue }
      running.append(
        Running(
          sequence: task.sequence,
          family: .task,
          time: clock.since,
          limit: clock.limit,
          used: clock.held
        )
      )
    }
    guard let first = running.min(by: { $0.sequence < $1.sequence }) else {
      let families: [EventFamily] = [.deadline, .wake, .callback, .task, .state, .process]
      return families.allSatisfy { after.completeness[$0].isWhole } ? .absent : .unknown
    }
    guard after.completeness[first.family].covers(first.time),
      after.completeness[.state].covers(first.time)
    else { return .unknown }
    return switch field {
    case "left": .number(first.limit - first.used, isUnsigned: false)
    case "age": .number(max(0, event.time - first.time), isUnsigned: false)
    case "budget": .number(first.limit, isUnsigned: false)
    case "what": .name(key)
    case "cpu": .number(0, isUnsigned: true)
    default: .absent
    }
  }

  private func sum(_ left: Value, _ isDifference: Bool, _ right: Value) -> Value {
    if left == .absent || right == .absent { return .absent }
    guard case .number(let a, _) = left, case .number(let b, _) = right else { return .unknown }
    // Numbers are small here.
    return .number(isDifference ? a - b : a + b, isUnsigned: false)
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
    if steps[0].word == "after", steps.count > 1 {
      return path(Array(steps.dropFirst()), row: row, beside: other)
    }
    let word = steps[0].word
    if let argument = steps[0].argument {
      guard case .name(let key) = value(argument, row: row) else { return .absent }
      let table = StateTable.named(word)
      let (rows, isWhole) = rows(of: table?.word ?? "", after)
      let named = table?.fields[table?.key ?? 0].name ?? ""
      guard let found = rows.first(where: { $0["key:\(named)"] == .name(key) }) else {
        return table?.word == "deadlines"
          ? systemBudget(key, steps[1].word) : isWhole ? .absent : .unknown
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
    return fact(word) ?? field(word)
  }

  private func fact(_ word: String) -> Value? {
    func truth(_ value: Bool) -> Value { .number(value ? 1 : 0, isUnsigned: true) }
    switch word {
    case "true", "false": return truth(word == "true")
    case "foreground": return after.appState == .unknown ? .unknown : truth(after.isForeground)
    case "locked":
      guard after.completeness[.device].isWhole else { return .unknown }
      return after.isDeviceLocked.map(truth) ?? .absent
    case "footprint":
      let ledger = after.completeness[.resource]
      guard let time = after.footprintTime else { return ledger.isWhole ? .absent : .unknown }
      guard ledger.covers(time) else { return .unknown }
      return .number(Int64(bitPattern: after.footprint), isUnsigned: true)
    default: return nil
    }
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
    case "late": return .number(event.flags.contains(.late) ? 1 : 0, isUnsigned: true)
    case "inferred": return .number(event.flags.contains(.inferred) ? 1 : 0, isUnsigned: true)
    case "file":
      let file = names[names[event.site].file]
      return file.isEmpty ? .absent : .name(file)
    case "line":
      let line = names[event.site].line
      return line == 0 ? .absent : .number(Int64(line), isUnsigned: false)
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
    func truth(_ value: Bool) -> Value { number(value ? 1 : 0) }
    func text(_ id: NameID) -> Value { .name(names[id]) }
    func age(_ time: HostTime) -> Value { .number(max(0, event.time - time), isUnsigned: false) }
    func made(
      _ families: [EventFamily],
      _ time: HostTime?,
      _ key: String,
      _ name: NameID,
      _ row: Row
    ) -> Row {
      let isCertain = families.allSatisfy { family in
        let ledger = state.completeness[family]
        return ledger.isWhole || time.map { ledger.covers($0) } ?? false
      }
      var row = isCertain ? row : row.mapValues { _ in .unknown }
      // It is found by its key, certain or not.
      row["key:\(key)"] = .name(names[name])
      row["certain"] = isCertain ? .name("") : .absent
      return row
    }
    func isWhole(_ families: EventFamily...) -> Bool {
      families.allSatisfy { state.completeness[$0].isWhole }
    }
    switch table {
    case "data":
      let isWhole = isWhole(.data)
      let rows = state.data.values.map { object in
        var row = made(
          [.data],
          object.dirty?.time,
          "object",
          object.name,
          [
            "object": text(object.name),
            "version": object.dirty.map { number($0.version) } ?? .absent,
            "bytes": object.dirty.map { number($0.bytes) } ?? .absent,
            "unsaved": object.isUnsaved(at: .kernel)
              ? number(max(1, object.dirty?.bytes ?? 0)) : number(0),
          ]
        )
        row["age"] = isWhole ? object.firstUnsaved.map { age($0.time) } ?? .absent : .unknown
        row["saved"] = isWhole ? number(object.durable[.kernel]) : .unknown
        row["synced"] = isWhole ? number(object.durable[.disk]) : .unknown
        row["failures"] = isWhole ? number(UInt64(object.failures)) : .unknown
        row["saving"] = isWhole ? truth(object.flushing != nil) : .unknown
        return row
      }
      return (rows, isWhole)
    case "tasks":
      let rows = state.tasks.values.sorted { $0.sequence < $1.sequence }.map { task in
        made(
          [.task],
          task.time,
          "name",
          task.name,
          [
            "name": text(task.name), "expired": truth(task.expired != nil),
            "handler": truth(task.hasHandler), "age": age(task.time),
            "granted": task.granted > 0 && !task.isUnlimited
              ? .number(task.granted, isUnsigned: false) : .absent,
          ]
        )
      }
      return (rows, isWhole(.task))
    case "queue":
      let rows = state.notifications.values.sorted { $0.sequence < $1.sequence }.map { post in
        made(
          [.notification],
          post.time,
          "type",
          post.type,
          [
            "key": text(post.key), "value": text(post.lastValue), "first": text(post.firstValue),
            "posts": number(UInt64(post.posts)), "age": age(post.time),
          ]
        )
      }
      return (rows, isWhole(.notification))
    case "spans":
      let rows = state.spans.values.sorted { $0.sequence < $1.sequence }.map { span in
        let name = names[span.site].name
        return made(
          [.callback, .work],
          span.time,
          "name",
          name,
          ["name": name == .empty ? .absent : text(name), "age": age(span.time)]
        )
      }
      return (rows, isWhole(.callback, .work))
    case "deadlines":
      let rows = state.deadlines.values.sorted { $0.sequence < $1.sequence }.map { deadline in
        made(
          [.deadline],
          deadline.time,
          "what",
          deadline.what,
          [
            "what": text(deadline.what), "cpu": truth(deadline.countsCPU),
            "budget": .number(deadline.budget, isUnsigned: false), "age": age(deadline.time),
            "left": deadline.countsCPU
              ? .absent
              : .number(deadline.budget - max(0, event.time - deadline.time), isUnsigned: false),
          ]
        )
      }
      return (rows, isWhole(.deadline))
    case "wakes":
      let rows = state.wakes.values.sorted { $0.sequence < $1.sequence }.map { wake in
        made(
          [.wake],
          wake.time,
          "reason",
          wake.reason,
          ["reason": text(wake.reason), "age": age(wake.time)]
        )
      }
      return (rows, isWhole(.wake))
    default:
      let rows = state.resources.values.sorted { $0.sequence < $1.sequence }.map { held in
        made(
          [.resource],
          held.time,
          "name",
          held.name,
          [
            "name": text(held.name), "class": number(UInt64(held.classCode)),
            "attribute": text(held.attribute), "age": age(held.time),
          ]
        )
      }
      return (rows, isWhole(.resource))
    }
  }
}
