// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

extension Compiler {
  /// A value by its path: `bytes`, `state`, `data("draft.txt").unsaved`, `before.state`.
  mutating func path(_ steps: [Syntax.Step], _ syntax: Syntax) throws(QueryError) -> [Typed] {
    if let given, given.name == steps[0].word {
      guard steps.count == 1, steps[0].argument == nil else {
        throw QueryError(syntax.range, "\(given.name) is a value by itself")
      }
      return [Typed(type: given.type, node: program.add(.given))]
    }
    if steps.count > 1, steps[0].argument == nil, let scope = Self.scopes[steps[0].word] {
      return try scoped(scope, steps[0].range) { compiler throws(QueryError) in
        try compiler.path(Array(steps.dropFirst()), syntax)
      }
    }
    if let (writer, rest) = try writer(steps) {
      return try scoped(.writer(writer), steps[0].range) { compiler throws(QueryError) in
        try compiler.path(rest, syntax)
      }
    }
    if steps[0].argument != nil { return [try lookUp(steps)] }
    guard steps.count == 1 else {
      let whole = steps.map(\.word).joined(separator: ".")
      if schema.kinds(named: whole) != nil {
        throw QueryError(syntax.range, "\(whole) is a kind: it holds or not, and has no value")
      }
      let kinds = schema.infos.compactMap { $0?.name }
      throw QueryError(
        syntax.range,
        "there is no \(whole)",
        advice: nearest(to: whole, among: kinds).map { "did you mean \($0)?" }
          ?? "fields of a row stand behind its name: data(\"draft.txt\").unsaved"
      )
    }
    return try word(steps[0])
  }

  private static let scopes: [String: Scope] = ["before": .before, "after": .own]

  /// The writer whose name a path begins with, and what is asked of it; names may hold periods.
  private mutating func writer(_ steps: [Syntax.Step]) throws(QueryError)
    -> (Int, rest: [Syntax.Step])?
  {
    let named = min(steps.prefix { $0.argument == nil }.count, steps.count - 1)
    guard named > 0, schema.kinds(named: steps.map(\.word).joined(separator: ".")) == nil else {
      return nil
    }
    for count in (1...named).reversed() {
      let name = steps[..<count].map(\.word).joined(separator: ".")
      let range = steps[0].range.lowerBound..<steps[count - 1].range.upperBound
      if let found = try writer(name, range) { return (found, Array(steps[count...])) }
    }
    return nil
  }

  private mutating func writer(_ name: String, _ range: Range<Int>) throws(QueryError) -> Int? {
    switch schema.writer(name) {
    case .nobody: return nil
    case .several(let names):
      let few = names.prefix(8).joined(separator: ", ")
      throw QueryError(range, "\(name) can mean several writers", advice: few)
    case .writer(let streams): return use(NamedWriter(name: name, streams: streams))
    }
  }

  private mutating func use(_ writer: NamedWriter) -> Int {
    if let known = program.writers.firstIndex(of: writer) { return known }
    program.writers.append(writer)
    return program.writers.count - 1
  }

  private mutating func word(_ step: Syntax.Step) throws(QueryError) -> [Typed] {
    let word = step.word
    if let truth = ["true": 1, "false": 0][word] {
      return [Typed(type: .bool, node: program.add(.literal, bits: UInt64(truth)))]
    }
    if let row, let field = StateTable.all[row].fields.first(where: { $0.name == word }) {
      return [Typed(type: field.type, node: program.add(.rowField, bits: use(row, field)))]
    }
    if let fact = StateFact.named(word) {
      let type = StateFact.all[fact].type
      return [Typed(type: type, node: kept(program.add(.fact, bits: UInt64(fact))))]
    }
    guard var fields = schema.fields[word] else {
      guard case .writer = scope, schema.kinds(named: word) != nil else {
        throw unknown(word, step.range)
      }
      throw noEvent(word, step.range)
    }
    if let kinds {
      let theirs = fields.filter { $0.kinds.contains(where: kinds.contains) }
      if !theirs.isEmpty { fields = theirs }
    }
    switch scope {
    case .before:
      throw QueryError(
        step.range,
        "\(word) is of the event; before it there is only the state",
        advice: "such as before.state"
      )
    case .writer: throw noEvent(word, step.range)
    case .own, .inside: break
    }
    return fields.map { field in
      program.places.append(field.places)
      let node = program.add(.field, bits: UInt64(program.places.count - 1))
      guard !field.places.allSatisfy(\.isInEvent) else {
        return Typed(type: field.type, node: node)
      }
      // How long it took, and what its begin is called, is gone with the end.
      return Typed(type: field.type, node: keepEarlier(node))
    }
  }

  private func noEvent(_ word: String, _ range: Range<Int>) -> QueryError {
    QueryError(
      range,
      "\(word) is of an event; of another writer the state is asked",
      advice: "such as its state, or any data where unsaved > 0"
    )
  }

  private mutating func use(_ table: Int, _ field: RowField) -> UInt64 {
    program.rowFields.append((table, field))
    return UInt64(program.rowFields.count - 1)
  }

  /// A value of the state that the scope means.
  private mutating func kept(_ node: Int32, isTruth: Bool = false) -> Int32 {
    switch scope {
    case .inside: return node
    case .own:
      asksOwn = true
      return home.map { keep(node, of: use($0), isTruth) } ?? node
    case .before:
      asksOwn = true
      return keepEarlier(node, isTruth)
    case .writer(let writer): return keep(node, of: writer, isTruth)
    }
  }

  /// A value of the state before the event, for afterwards.
  private mutating func keepEarlier(_ node: Int32, _ isTruth: Bool = false) -> Int32 {
    program.earlier.append(node)
    let place = UInt64(program.earlier.count - 1)
    return program.add(isTruth ? .earlierTruth : .earlierValue, bits: place)
  }

  /// A value of the state of another writer.
  private mutating func keep(_ node: Int32, of writer: Int, _ isTruth: Bool) -> Int32 {
    program.elsewhere.append((writer, node))
    let place = UInt64(program.elsewhere.count - 1)
    return program.add(isTruth ? .elsewhereTruth : .elsewhereValue, bits: place)
  }

  private mutating func lookUp(_ steps: [Syntax.Step]) throws(QueryError) -> Typed {
    let step = steps[0]
    guard
      let number = StateTable.all.firstIndex(where: { [$0.word, $0.singular].contains(step.word) })
    else {
      let known = StateTable.all.map(\.singular)
      throw QueryError(
        step.range,
        "nothing called \(step.word) has rows",
        advice: nearest(to: step.word, among: known).map { "did you mean \($0)?" }
          ?? "there is: \(known.joined(separator: ", "))"
      )
    }
    let table = StateTable.all[number]
    let fields = table.fields.map(\.name)
    guard steps.count == 2, steps[1].argument == nil else {
      throw QueryError(
        step.range,
        "of a row one field is asked",
        advice: "there is: \(fields.joined(separator: ", "))"
      )
    }
    guard let field = table.fields.first(where: { $0.name == steps[1].word }) else {
      throw QueryError(
        steps[1].range,
        "a row of \(table.word) has no \(steps[1].word)",
        advice: nearest(to: steps[1].word, among: fields).map { "did you mean \($0)?" }
          ?? "it has: \(fields.joined(separator: ", "))"
      )
    }
    guard let argument = step.argument else { throw unknown(step.word, step.range) }
    // The name may be one of the event's own, which the state before it does not have.
    let was = scope
    scope = .inside
    let keys = try values(argument)
    scope = was
    guard let key = keys.first(where: { $0.type == .name }) else {
      throw QueryError(
        argument.range,
        "rows of \(table.word) are found by their \(fields[table.key]); \(quote(argument)) is "
          + keys[0].type.noun,
        advice: "\(table.singular)(\"…\")"
      )
    }
    var callback: Int32 = -1
    if number == StateTable.deadlinesNumber, case .string(let text) = argument.form,
      let named = Callback(named: text).flatMap(Callback.allCases.firstIndex)
    {
      callback = Int32(named)
    }
    let node = program.add(.lookup, key.node, callback, bits: use(number, field))
    return Typed(type: field.type, node: kept(node))
  }

  // MARK: - Tables

  /// `any`, `all` and `count` of the rows of a table.
  mutating func quantified(
    _ scope: Syntax.Step?,
    _ quantifier: Quantifier,
    _ word: Syntax.Step,
    _ condition: Syntax?,
    _ syntax: Syntax
  ) throws(QueryError) -> Int32 {
    if let scope {
      var found = Self.scopes[scope.word]
      if found == nil { found = try writer(scope.word, scope.range).map(Scope.writer) }
      guard let found else {
        throw QueryError(
          scope.range,
          "there is no writer \(scope.word)",
          advice: "before, after, or a name that ps all lists"
        )
      }
      return try scoped(found, scope.range) { compiler throws(QueryError) in
        try compiler.quantified(nil, quantifier, word, condition, syntax)
      }
    }
    guard let table = StateTable.all.firstIndex(where: { $0.word == word.word }) else {
      let known = StateTable.all.map(\.word)
      throw QueryError(
        word.range,
        "there is no table \(word.word)",
        advice: nearest(to: word.word, among: known).map { "did you mean \($0)?" }
          ?? "there is: \(known.joined(separator: ", "))"
      )
    }
    guard row == nil else {
      throw QueryError(word.range, "rows within rows are not asked", advice: "join two with &&")
    }
    let was = self.scope
    row = table
    self.scope = .inside
    defer { row = nil }
    let test = try condition.map { condition throws(QueryError) in try truth(condition) } ?? -1
    self.scope = was
    let operation: Operation =
      switch quantifier {
      case .any: .anyRow
      case .all: .allRows
      case .count: .countRows
      }
    let node = program.add(operation, test, bits: UInt64(table))
    return kept(node, isTruth: quantifier != .count)
  }

  private mutating func scoped<Result>(
    _ scope: Scope,
    _ range: Range<Int>,
    _ body: (inout Compiler) throws(QueryError) -> Result
  ) throws(QueryError) -> Result {
    guard row == nil else {
      throw QueryError(range, "a row is of one state", advice: "put the scope before any")
    }
    guard self.scope == .own else {
      throw QueryError(range, "one scope at a time", advice: "before.state, or syncd.state")
    }
    self.scope = scope
    defer { self.scope = .own }
    return try body(&self)
  }
}
