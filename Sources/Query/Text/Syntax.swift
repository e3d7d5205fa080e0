// SPDX-License-Identifier: Apache-2.0

/// An expression as it is written, before anybody asks what its words mean.
struct Syntax {
  indirect enum Form {
    case number(String)
    case string(String)
    case glob(String)
    case set([Syntax])
    case path([Step])
    /// `any data where …`, of the state that the scope in front of it names.
    case quantified(scope: Step?, Quantifier, table: Step, Syntax?)
    case negated(Syntax)
    case minus(Syntax)
    case both(Syntax, Syntax)
    case either(Syntax, Syntax)
    case compared(Syntax, Comparison, Syntax)
    case sum(Syntax, isDifference: Bool, Syntax)
  }

  var form: Form
  /// Offsets of its characters.
  var range: Range<Int>

  /// A word of a path: `data("draft.txt")`.
  struct Step {
    var word: String
    var argument: Syntax?
    var range: Range<Int>
  }
}

/// How rows of a table are asked.
enum Quantifier: String, CaseIterable, Sendable {
  case any, all, count
}

/// How two values are compared.
enum Comparison: String, CaseIterable, Sendable {
  case equal = "=="
  case unequal = "!="
  case less = "<"
  case atMost = "<="
  case more = ">"
  case atLeast = ">="
  case matches = "=~"
  case isIn = "in"
}
