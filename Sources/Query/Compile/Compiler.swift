// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

/// Gives the words of an expression their meaning, and lays it flat.
struct Compiler {
  /// A value and what it is.
  struct Typed {
    var type: ValueType
    var node: Int32
  }

  /// More steps than this are refused.
  static let nodesMax = 4_096

  let schema: Schema
  /// What was typed, for errors to quote.
  let source: [Character]
  var program = Program()
  /// The table whose row a condition is about, if it is about one.
  var row: Int?
  /// Whose state is asked.
  var scope = Scope.own
  /// Whose state is meant where none is named; that of the event's writer, without any.
  let home: NamedWriter?
  /// A name beside those of the language.
  let given: GivenWord?
  /// The kinds of the events that are asked, where others are not.
  var kinds: KindSet?
  /// Whether the state of the event's own writer, or of the one at home, is asked.
  var asksOwn = false

  /// Whose state a path asks, and when.
  enum Scope: Equatable {
    case own
    /// That before the event.
    case before
    /// That of another writer at the same instant.
    case writer(Int)
    /// Whatever the tree around it asks.
    case inside
  }

  init(_ text: String, schema: Schema, home: NamedWriter?, given: GivenWord?) {
    self.schema = schema
    self.home = home
    self.given = given
    source = Array(text)
  }

  /// A part of the expression as it was typed.
  func quote(_ syntax: Syntax) -> String { String(source[syntax.range]) }

  /// An expression of any type: a condition where it is one.
  mutating func whole(_ syntax: Syntax) throws(QueryError) -> Typed {
    switch syntax.form {
    case .both, .either, .negated, .compared:
      return Typed(type: .bool, node: try truth(syntax))
    case .quantified(_, let quantifier, _, _) where quantifier != .count:
      return Typed(type: .bool, node: try truth(syntax))
    case .path(let steps) where kindWord(steps) != nil && !isState(steps):
      return Typed(type: .bool, node: try truth(syntax))
    default: return try one(try values(syntax), syntax)
    }
  }

  /// The only meaning of a value.
  func one(_ values: [Typed], _ syntax: Syntax) throws(QueryError) -> Typed {
    guard values.count == 1 else {
      let nouns = values.map(\.type.noun).joined(separator: " or ")
      throw QueryError(
        syntax.range,
        "\(quote(syntax)) is \(nouns), by the kind of the event",
        advice: "compare it with one of them"
      )
    }
    return values[0]
  }

  // MARK: - Conditions

  mutating func truth(_ syntax: Syntax) throws(QueryError) -> Int32 {
    guard program.nodes.count < Self.nodesMax else {
      throw QueryError(syntax.range, "the expression has more than \(Self.nodesMax) parts")
    }
    switch syntax.form {
    case .both(let left, let right): return try join(.both, left, right)
    case .either(let left, let right): return try join(.either, left, right)
    case .negated(let inner): return program.add(.negation, try truth(inner))
    case .compared(let left, let comparison, let right):
      return try compare(left, comparison, right, syntax.range)
    case .quantified(let scope, let quantifier, let table, let condition)
    where quantifier != .count:
      return try quantified(scope, quantifier, table, condition, syntax)
    case .path(let steps):
      if let word = kindWord(steps) {
        program.tests.append(word.test)
        return program.add(.kind, bits: UInt64(program.tests.count - 1))
      }
      if steps.count == 1, steps[0].argument == nil, let truth = Self.truths[steps[0].word] {
        return program.add(.always, bits: UInt64(truth.rawValue))
      }
      return try holds(syntax)
    default: return try holds(syntax)
    }
  }

  private static let truths: [String: Truth] = ["true": .yes, "false": .no]

  private mutating func join(_ operation: Operation, _ left: Syntax, _ right: Syntax)
    throws(QueryError) -> Int32
  {
    let (left, right) = (try truth(left), try truth(right))
    return program.add(operation, left, right)
  }

  private mutating func holds(_ syntax: Syntax) throws(QueryError) -> Int32 {
    let values = try values(syntax)
    guard let flag = values.first(where: { $0.type == .bool }) else {
      let type = values[0].type
      throw QueryError(
        syntax.range,
        "\(quote(syntax)) is \(type.noun), where true or false was wanted",
        advice: "compare it, as with == \(type.example)"
      )
    }
    return program.add(.holds, flag.node)
  }

  /// The kinds that a bare word means: a value of that name is meant only where one is compared.
  func kindWord(_ steps: [Syntax.Step]) -> KindWord? {
    guard row == nil, scope == .own, steps.allSatisfy({ $0.argument == nil }) else { return nil }
    return schema.kinds(named: steps.map(\.word).joined(separator: "."))
  }

  private func isState(_ steps: [Syntax.Step]) -> Bool {
    steps.count == 1 && StateFact.named(steps[0].word) != nil
  }

  // MARK: - Comparisons

  private mutating func compare(
    _ left: Syntax,
    _ comparison: Comparison,
    _ right: Syntax,
    _ range: Range<Int>
  ) throws(QueryError) -> Int32 {
    switch comparison {
    case .isIn:
      guard case .set(let members) = right.form else {
        throw QueryError(right.range, "in is followed by a set", advice: "such as [1, 2]")
      }
      var node: Int32?
      for member in members {
        let one = try compare(left, .equal, member, range)
        node = node.map { program.add(.either, $0, one) } ?? one
      }
      return node ?? program.add(.always, bits: UInt64(Truth.no.rawValue))
    case .matches: return try matches(left, right)
    default: break
    }
    let (lefts, rights) = try operands(left, right)
    var node: Int32?
    var unordered: ValueType?
    for one in lefts {
      for other in rights {
        guard let type = one.type.meeting(other.type) else { continue }
        guard comparison == .equal || comparison == .unequal || type.order != nil else {
          unordered = type
          continue
        }
        let test = test(one, comparison, other, type)
        node = node.map { program.add(.either, $0, test) } ?? test
      }
    }
    if let node { return node }
    if let unordered {
      throw QueryError(
        range,
        "\(unordered.noun) is neither more nor less than another",
        advice: "compare with == or !="
      )
    }
    throw mismatch(left, lefts, right, rights)
  }

  private mutating func test(
    _ left: Typed,
    _ comparison: Comparison,
    _ right: Typed,
    _ type: ValueType
  ) -> Int32 {
    let (left, right) = (left.node, right.node)
    if comparison == .equal || comparison == .unequal {
      let isEqual = comparison == .equal
      let literal: Operation = isEqual ? .isLiteral : .isNotLiteral
      let (a, b) = (program.nodes[Int(left)], program.nodes[Int(right)])
      if b.operation == .literalName { return program.add(literal, left, bits: b.bits) }
      if a.operation == .literalName { return program.add(literal, right, bits: a.bits) }
      return program.add(isEqual ? .equal : .unequal, left, right)
    }
    let isSwapped = comparison == .more || comparison == .atLeast
    let isStrict = comparison == .less || comparison == .more
    let operation: Operation =
      switch type.order ?? .signed {
      case .signed: isStrict ? .lessSigned : .atMostSigned
      case .unsigned: isStrict ? .lessUnsigned : .atMostUnsigned
      case .fraction: isStrict ? .lessFraction : .atMostFraction
      }
    return program.add(operation, isSwapped ? right : left, isSwapped ? left : right)
  }

  private mutating func matches(_ left: Syntax, _ right: Syntax) throws(QueryError) -> Int32 {
    let pattern: String
    switch right.form {
    case .glob(let text), .string(let text): pattern = text
    default:
      throw QueryError(right.range, "=~ is followed by a pattern", advice: "such as `*.txt`")
    }
    let values = try values(left)
    guard let name = values.first(where: { $0.type == .name }) else {
      throw QueryError(
        left.range,
        "\(quote(left)) is \(values[0].type.noun); a pattern is for names",
        advice: "compare it, as with == \(values[0].type.example)"
      )
    }
    program.patterns.append(Glob(pattern))
    return program.add(.matches, name.node, bits: UInt64(program.patterns.count - 1))
  }

  /// Both sides: a bare word on one is an enumerator where the other has such words.
  private mutating func operands(_ left: Syntax, _ right: Syntax) throws(QueryError)
    -> ([Typed], [Typed])
  {
    if let word = Self.bareWord(left), !isValue(left) {
      // Of two words that mean nothing the first is named, unless it is one that a field may have.
      if !isValue(right), !isEnumerator(word.word) { throw unknown(word.word, left.range) }
      let rights = try values(right)
      guard rights.contains(where: { accepts($0.type, left) }) else {
        throw unknown(word.word, left.range)
      }
      return (try enumerators(left, beside: rights), rights)
    }
    let lefts = try values(left)
    let isWord = Self.bareWord(right) != nil
    if isWord, !isValue(right) || lefts.contains(where: { accepts($0.type, right) }) {
      return (lefts, try enumerators(right, beside: lefts))
    }
    return (lefts, try values(right))
  }

  static func bareWord(_ syntax: Syntax) -> Syntax.Step? {
    guard case .path(let steps) = syntax.form, steps.count == 1, steps[0].argument == nil else {
      return nil
    }
    return steps[0]
  }

  /// Whether some enumeration has the word.
  private func isEnumerator(_ word: String) -> Bool {
    FieldType.allCases.contains { code(of: word, in: .field($0)) != nil }
  }

  private func accepts(_ type: ValueType, _ syntax: Syntax) -> Bool {
    guard let word = Self.bareWord(syntax)?.word else { return false }
    return code(of: word, in: type) != nil
  }
}
