// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

extension Compiler {
  /// A value by its path: `bytes`, `state`, `data("draft.txt").unsaved`, `before.state`.
  mutating func path(_ steps: [Syntax.Step], _ syntax: Syntax) throws(QueryError) -> [Typed] {
    if steps.count > 1, steps[0].argument == nil, let scope = Self.scopes[steps[0].word] {
      return try scoped(isEarlier: scope, steps[0]) { compiler throws(QueryError) in
        try compiler.path(Array(steps.dropFirst()), syntax)
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

  private static let scopes = ["before": true, "after": false]

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
      let node = program.add(.fact, bits: UInt64(fact))
      return [Typed(type: type, node: isEarlier ? keep(node) : node)]
    }
    guard let fields = schema.fields[word] else { throw unknown(word, step.range) }
    if isEarlier {
      throw QueryError(
        step.range,
        "\(word) is of the event; before it there is only the state",
        advice: "such as before.state"
      )
    }
    return fields.map { field in
      program.places.append(field.places)
      let node = program.add(.field, bits: UInt64(program.places.count - 1))
      guard !field.places.allSatisfy(\.isInEvent) else {
        return Typed(type: field.type, node: node)
      }
      // How long it took, and what its begin is called, is gone with the end.
      return Typed(type: field.type, node: keep(node))
    }
  }

  private mutating func use(_ table: Int, _ field: RowField) -> UInt64 {
    program.rowFields.append((table, field))
    return UInt64(program.rowFields.count - 1)
  }

  /// A value of the state before the event, for afterwards.
  private mutating func keep(_ node: Int32, isTruth: Bool = false) -> Int32 {
    program.earlier.append(node)
    return program.add(
      isTruth ? .earlierTruth : .earlierValue,
      bits: UInt64(program.earlier.count - 1)
    )
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
    let wasEarlier = isEarlier
    isEarlier = false
    let keys = try values(argument)
    isEarlier = wasEarlier
    guard let key = keys.first(where: { $0.type == .name }) else {
      throw QueryError(
        argument.range,
        "rows of \(table.word) are found by their \(fields[table.key]); \(quote(argument)) is "
          + keys[0].type.noun,
        advice: "\(table.singular)(\"…\")"
      )
    }
    let node = program.add(.lookup, key.node, bits: use(number, field))
    return Typed(type: field.type, node: isEarlier ? keep(node) : node)
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
      guard let isEarlier = Self.scopes[scope.word] else {
        throw QueryError(
          scope.range,
          "there is no scope \(scope.word)",
          advice: "before or after"
        )
      }
      return try scoped(isEarlier: isEarlier, scope) { compiler throws(QueryError) in
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
    let wasEarlier = isEarlier
    row = table
    isEarlier = false
    defer { row = nil }
    let test = try condition.map { condition throws(QueryError) in try truth(condition) } ?? -1
    isEarlier = wasEarlier
    let operation: Operation =
      switch quantifier {
      case .any: .anyRow
      case .all: .allRows
      case .count: .countRows
      }
    let node = program.add(operation, test, bits: UInt64(table))
    return isEarlier ? keep(node, isTruth: quantifier != .count) : node
  }

  private mutating func scoped<Result>(
    isEarlier: Bool,
    _ step: Syntax.Step,
    _ body: (inout Compiler) throws(QueryError) -> Result
  ) throws(QueryError) -> Result {
    guard row == nil else {
      throw QueryError(step.range, "a row is of one state", advice: "put \(step.word). before any")
    }
    let was = self.isEarlier
    self.isEarlier = isEarlier
    defer { self.isEarlier = was }
    return try body(&self)
  }
}
