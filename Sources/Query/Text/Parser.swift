// SPDX-License-Identifier: Apache-2.0

/// Reads an expression; precedence is that of C.
///
///     try Parser.parse("dirty && bytes > 1kB || purge")
struct Parser {
  /// Brackets and signs deeper than this are refused: the stack has an end.
  static let depthMax = 64

  private let source: [Character]
  private let tokens: [Token]
  private var at = 0
  private var depth = 0

  /// The form of a whole text.
  static func parse(_ text: String) throws(QueryError) -> Syntax {
    var parser = Parser(source: Array(text), tokens: try Lexer.tokens(text))
    if parser.token.kind == .end {
      throw QueryError(0..<1, "there is no expression", advice: "such as dirty && bytes > 1kB")
    }
    let syntax = try parser.either()
    guard parser.token.kind == .end else {
      throw parser.unexpected("what stands before it is whole; join them with && or ||")
    }
    return syntax
  }

  private init(source: [Character], tokens: [Token]) {
    self.source = source
    self.tokens = tokens
  }

  private var token: Token { tokens[at] }

  private func unexpected(_ advice: String) -> QueryError {
    QueryError(token.range, "\(token.text(in: source)) was not expected here", advice: advice)
  }

  private func isNext(_ words: String...) -> Bool {
    switch token.kind {
    case .word(let text), .sign(let text): words.contains(text)
    default: false
    }
  }

  /// Passes over the next token if it is one of these.
  private mutating func take(_ words: String...) -> Bool {
    switch token.kind {
    case .word(let text) where words.contains(text), .sign(let text) where words.contains(text):
      at += 1
      return true
    default: return false
    }
  }

  private mutating func expect(_ sign: String, _ advice: String) throws(QueryError) {
    guard take(sign) else {
      throw QueryError(
        token.range,
        "\(sign) was expected before \(token.text(in: source))",
        advice: advice
      )
    }
  }

  private mutating func either() throws(QueryError) -> Syntax {
    var left = try both()
    while take("||", "or") { left = join(left, try both()) { .either($0, $1) } }
    return left
  }

  private mutating func both() throws(QueryError) -> Syntax {
    var left = try negated()
    // Behind the kind of a break, `if` says what else must hold.
    while take("&&", "and", "if") { left = join(left, try negated()) { .both($0, $1) } }
    return left
  }

  private func join(_ left: Syntax, _ right: Syntax, _ form: (Syntax, Syntax) -> Syntax.Form)
    -> Syntax
  {
    Syntax(form: form(left, right), range: left.range.lowerBound..<right.range.upperBound)
  }

  private mutating func negated() throws(QueryError) -> Syntax {
    let start = token.range.lowerBound
    var count = 0
    while take("!", "not") { count += 1 }
    let syntax = try compared()
    // Two of them cancel out, however many there are.
    guard count % 2 == 1 else { return syntax }
    return Syntax(form: .negated(syntax), range: start..<syntax.range.upperBound)
  }

  private mutating func compared() throws(QueryError) -> Syntax {
    let left = try sum()
    guard let comparison = comparison() else { return left }
    at += 1
    let right = try sum()
    if self.comparison() != nil {
      throw unexpected("one comparison at a time; join two with &&")
    }
    return join(left, right) { .compared($0, comparison, $1) }
  }

  private func comparison() -> Comparison? {
    switch token.kind {
    case .word(let text), .sign(let text): Comparison(rawValue: text)
    default: nil
    }
  }

  private mutating func sum() throws(QueryError) -> Syntax {
    var left = try term()
    while isNext("+", "-") {
      let isDifference = take("-")
      if !isDifference { at += 1 }
      left = join(left, try term()) { .sum($0, isDifference: isDifference, $1) }
    }
    return left
  }

  private mutating func term() throws(QueryError) -> Syntax {
    let start = token.range.lowerBound
    guard take("-") else { return try atom() }
    let syntax = try atom()
    return Syntax(form: .minus(syntax), range: start..<syntax.range.upperBound)
  }

  private mutating func atom() throws(QueryError) -> Syntax {
    let token = token
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.depthMax else {
      throw QueryError(token.range, "brackets are nested deeper than \(Self.depthMax)")
    }
    switch token.kind {
    case .number(let text):
      at += 1
      return Syntax(form: .number(text), range: token.range)
    case .string(let text):
      at += 1
      return Syntax(form: .string(text), range: token.range)
    case .glob(let text):
      at += 1
      return Syntax(form: .glob(text), range: token.range)
    case .sign("("):
      at += 1
      var inner = try either()
      try expect(")", "a ( is open")
      inner.range = token.range.lowerBound..<tokens[at - 1].range.upperBound
      return inner
    case .sign("["): return try set()
    case .word(let word):
      if let quantifier = Quantifier(rawValue: word), isTableNext {
        return try quantified(nil, quantifier)
      }
      return try path()
    case .sign, .end: throw unexpected("a field, a kind, a number or a text was")
    }
  }

  /// Whether a table follows: `count` alone is a field of messages.
  private var isTableNext: Bool {
    guard case .word(let word) = tokens[at + 1].kind else {
      return tokens[at].kind != .word("count")
    }
    return !["and", "or", "if", "in"].contains(word)
  }

  private mutating func set() throws(QueryError) -> Syntax {
    let start = token.range.lowerBound
    at += 1
    var members = [try sum()]
    while take(",") { members.append(try sum()) }
    try expect("]", "a [ is open")
    return Syntax(form: .set(members), range: start..<tokens[at - 1].range.upperBound)
  }

  private mutating func quantified(_ scope: Syntax.Step?, _ quantifier: Quantifier)
    throws(QueryError) -> Syntax
  {
    let start = scope?.range.lowerBound ?? token.range.lowerBound
    at += 1
    guard case .word(let word) = token.kind else {
      throw unexpected("\(quantifier.rawValue) is followed by a table: data, tasks, queue")
    }
    let table = Syntax.Step(word: word, argument: nil, range: token.range)
    at += 1
    // Its condition takes `&&` along, and ends where the bracket around it does. A count ends
    // before its comparison, so what follows `where` is what it counts up to there.
    var condition: Syntax?
    if take("where") { condition = quantifier == .count ? try counted() : try either() }
    let end = condition?.range.upperBound ?? table.range.upperBound
    return Syntax(
      form: .quantified(scope: scope, quantifier, table: table, condition),
      range: start..<end
    )
  }

  /// What `count TABLE where` counts: `class == lock` in `count resources where class == lock > 0`.
  private mutating func counted() throws(QueryError) -> Syntax {
    if isNext("(") { return try atom() }
    let left = try sum()
    guard let comparison = comparison() else { return left }
    at += 1
    return join(left, try sum()) { .compared($0, comparison, $1) }
  }

  private mutating func path() throws(QueryError) -> Syntax {
    var steps = [try step()]
    while take(".") {
      if case .word(let word) = token.kind, let quantifier = Quantifier(rawValue: word),
        steps.allSatisfy({ $0.argument == nil }),
        case .word = tokens[at + 1].kind
      {
        var scope = steps[0]
        scope.word = steps.map(\.word).joined(separator: ".")
        scope.range = steps[0].range.lowerBound..<steps[steps.count - 1].range.upperBound
        return try quantified(scope, quantifier)
      }
      steps.append(try step())
    }
    let range = steps[0].range.lowerBound..<steps[steps.count - 1].range.upperBound
    return Syntax(form: .path(steps), range: range)
  }

  private mutating func step() throws(QueryError) -> Syntax.Step {
    let word: String
    switch token.kind {
    // A kind without a description is called by its number: `kind.200`.
    case .word(let text), .number(let text): word = text
    default: throw unexpected("behind a period stands the name of a field")
    }
    var step = Syntax.Step(word: word, argument: nil, range: token.range)
    at += 1
    if take("(") {
      step.argument = try sum()
      try expect(")", "a ( is open")
    }
    return step
  }
}
