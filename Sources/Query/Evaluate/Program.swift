// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

/// What a compiled expression does: a tree laid flat, whose nodes are plain numbers.
struct Program: Sendable {
  var nodes: [Node] = []
  /// For each field of events that is used: where each of the 256 kinds has it.
  var places: [[FieldPlace]] = []
  var tests: [KindTest] = []
  /// Names that are compared with.
  var literals: [String] = []
  var patterns: [Glob] = []
  /// Callbacks that are compared with.
  var callbacks: [String] = []
  /// The fields of rows that are used.
  var rowFields: [(table: Int, field: RowField)] = []
  /// Trees that are evaluated before the event is folded; their values are kept meanwhile.
  var earlier: [Int32] = []
  /// Writers that are asked by name.
  var writers: [NamedWriter] = []
  /// Trees that are evaluated in the state of one of them; their values are kept meanwhile.
  var elsewhere: [(writer: Int, tree: Int32)] = []

  mutating func add(_ node: Node) -> Int32 {
    nodes.append(node)
    return Int32(nodes.count - 1)
  }

  mutating func add(
    _ operation: Operation,
    _ left: Int32 = -1,
    _ right: Int32 = -1,
    bits: UInt64 = 0
  )
    -> Int32
  {
    add(Node(operation: operation, left: left, right: right, bits: bits))
  }
}

/// A step of a program; its operands are earlier nodes.
struct Node: Sendable, BitwiseCopyable {
  var operation: Operation
  var left: Int32
  var right: Int32
  /// A literal, or the index of what the operation uses.
  var bits: UInt64
}

/// What a node does.
enum Operation: UInt8, Sendable, BitwiseCopyable {
  // Truths.
  case always
  case kind
  case both, either, negation
  case holds
  case equal, unequal
  case lessSigned, lessUnsigned, lessFraction
  case atMostSigned, atMostUnsigned, atMostFraction
  case isLiteral, isNotLiteral
  case matches
  case anyRow, allRows
  // Values.
  case literal
  case literalName
  case field
  case fact
  case rowField
  case lookup
  case countRows
  case earlierValue, earlierTruth
  case elsewhereValue, elsewhereTruth
  case given
  case sum, difference, minus
  case truthValue

  /// Whether it needs the folded state.
  var needsState: Bool {
    switch self {
    case .anyRow, .allRows, .countRows, .fact, .lookup, .rowField, .earlierValue, .earlierTruth,
      .elsewhereValue, .elsewhereTruth:
      true
    default: false
    }
  }
}
