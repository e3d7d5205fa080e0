// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

extension Compiler {
  /// What an expression may be: one value for each type that its words can have.
  mutating func values(_ syntax: Syntax) throws(QueryError) -> [Typed] {
    switch syntax.form {
    case .number(let text): return [try number(text, syntax.range)]
    case .string(let text):
      program.literals.append(text)
      let node = program.add(.literalName, bits: UInt64(program.literals.count - 1))
      return [Typed(type: .name, node: node)]
    case .glob:
      throw QueryError(syntax.range, "a pattern stands behind =~", advice: "name =~ `*.txt`")
    case .set:
      throw QueryError(syntax.range, "a set stands behind in", advice: "version in [1, 2]")
    case .minus(let inner):
      let typed = try one(try values(inner), inner)
      guard typed.type == .number || typed.type == .int || typed.type == .duration else {
        throw QueryError(inner.range, "\(typed.type.noun) has no sign")
      }
      return [Typed(type: typed.type, node: program.add(.minus, typed.node))]
    case .sum(let left, let isDifference, let right):
      return [try sum(left, isDifference, right, syntax.range)]
    case .quantified(let scope, .count, let table, let condition):
      let node = try quantified(scope, .count, table, condition, syntax)
      return [Typed(type: .int, node: node)]
    case .path(let steps): return try path(steps, syntax)
    case .both, .either, .negated, .compared, .quantified:
      return [Typed(type: .bool, node: program.add(.truthValue, try truth(syntax)))]
    }
  }

  private mutating func number(_ text: String, _ range: Range<Int>) throws(QueryError) -> Typed {
    func typed(_ type: ValueType, _ bits: UInt64) -> Typed {
      Typed(type: type, node: program.add(.literal, bits: bits))
    }
    if let number = Int64(text) { return typed(.number, UInt64(bitPattern: number)) }
    if text.hasPrefix("0x"), let code = UInt64(text.dropFirst(2), radix: 16) {
      return typed(.field(.hex), code)
    }
    if let length = TypedQuantity.nanoseconds(text) {
      return typed(.duration, UInt64(bitPattern: length))
    }
    if let size = TypedQuantity.bytes(text) { return typed(.bytes, UInt64(size)) }
    let zeros = text.prefix { $0 == "0" }
    if !zeros.isEmpty, TypedQuantity.bytes("1" + text.dropFirst(zeros.count)) != nil {
      return typed(.bytes, 0)
    }
    if text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
      throw QueryError(
        range,
        "\(text) is more than a number can be",
        advice: "the greatest is \(Int64.max)"
      )
    }
    if let fraction = Double(text) { return typed(.field(.double), fraction.bitPattern) }
    throw QueryError(
      range,
      "\(text) is no number",
      advice: "units are ns, us, ms, s, min, h, d and B, kB, MB, KiB, MiB"
    )
  }

  private mutating func sum(
    _ left: Syntax,
    _ isDifference: Bool,
    _ right: Syntax,
    _ range: Range<Int>
  ) throws(QueryError) -> Typed {
    let (lefts, rights) = (try values(left), try values(right))
    for one in lefts {
      for other in rights {
        guard let type = one.type.meeting(other.type), type.isSum else { continue }
        let operation: Operation = isDifference ? .difference : .sum
        // A difference of sizes may be below 0, and is a number then.
        let result: ValueType = type == .bytes ? .bytes : type == .duration ? .duration : .int
        return Typed(type: result, node: program.add(operation, one.node, other.node))
      }
    }
    throw mismatch(left, lefts, right, rights)
  }

  // MARK: - Words

  /// The code of a word in a type; nil where the type has no such word.
  func code(of word: String, in type: ValueType) -> UInt64? {
    if type == .thread {
      if word == "main" { return 0 }
      return word.hasPrefix("t") ? UInt32(word.dropFirst()).map(UInt64.init) : nil
    }
    return type.words.first { $0.word == word }?.code
  }

  /// A bare word that one of the types beside it knows.
  mutating func enumerators(_ syntax: Syntax, beside others: [Typed]) throws(QueryError)
    -> [Typed]
  {
    guard let word = Self.bareWord(syntax)?.word else { return [] }
    let types = others.map(\.type)
    var found: [Typed] = []
    for type in types {
      guard let code = code(of: word, in: type) else { continue }
      if type == .callback { program.callbacks.append(word) }
      found.append(Typed(type: type, node: program.add(.literal, bits: code)))
    }
    if !found.isEmpty { return found }
    let known = types.flatMap(\.words).map(\.word) + (types.contains(.thread) ? ["main"] : [])
    if types.contains(.name) {
      let near = nearest(to: word, among: schema.words).map { "did you mean \($0)? " } ?? ""
      throw QueryError(
        syntax.range,
        "\(word) is no field",
        advice: "\(near)A name is quoted: \"\(word)\""
      )
    }
    guard !known.isEmpty else { throw unknown(word, syntax.range) }
    let near = nearest(to: word, among: known).map { "did you mean \($0)?" }
    throw QueryError(
      syntax.range,
      "\(word) is not \(types[0].noun)",
      advice: near ?? "there is: \(known.joined(separator: ", "))"
    )
  }

  /// Whether a word is a value of its own here, rather than a word of an enumeration.
  func isValue(_ syntax: Syntax) -> Bool {
    guard let word = Self.bareWord(syntax)?.word else { return true }
    if word == given?.name { return true }
    if let row, StateTable.all[row].fields.contains(where: { $0.name == word }) { return true }
    return schema.fields[word] != nil || StateFact.named(word) != nil || word == "true"
      || word == "false"
  }

  /// What a word that means nothing may have been meant to be.
  func unknown(_ word: String, _ range: Range<Int>) -> QueryError {
    if KindWord.exactly(word)?.isViolation == true {
      return QueryError(
        range,
        "a violation is no event",
        advice: "violations lists them, next \(word) goes to one, count and find ask of events"
      )
    }
    var known = schema.words + StateFact.all.map(\.name) + StateTable.all.map(\.singular)
    if let row { known = StateTable.all[row].fields.map(\.name) + known }
    let near = nearest(to: word, among: known)
    return QueryError(
      range,
      "there is no field and no kind \(word)",
      advice: near.map { "did you mean \($0)?" } ?? "help expressions lists them"
    )
  }

  func mismatch(_ left: Syntax, _ lefts: [Typed], _ right: Syntax, _ rights: [Typed]) -> QueryError
  {
    let (one, other) = (lefts[0].type, rights[0].type)
    return QueryError(
      right.range,
      "\(quote(left)) is \(one.noun); \(quote(right)) is \(other.noun)",
      advice: "compare \(one.noun) with \(one.example)"
    )
  }
}

extension ValueType {
  /// Whether two of them make a sum.
  var isSum: Bool {
    switch self {
    case .number, .field(.int), .field(.duration), .field(.bytes): true
    default: false
    }
  }
}
