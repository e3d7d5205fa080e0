// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Tells from the kind of an event, and from a number or two that stand in it, that a condition cannot
/// hold there: most events are refused at the cost of a look into a table.
///
/// It never refuses an event at which the condition holds, or may. What parts of the condition say of the
/// state alone stands from one event that touches the state to the next, so there is a table for each of
/// the answers that they give together.
struct Sieve {
  /// More parts than this are not told apart: the others may be true or not.
  static let standingMax = 4
  /// All parts, none of which is known.
  static let nothingKnown: UInt8 = 0xff

  /// The greatest parts of the condition that ask the state alone, and do not move with time.
  let standing: [Int32]
  private let analysis: Analysis
  /// By the answers of those parts, two bits each.
  private var tables: [SieveTable?] = Array(repeating: nil, count: 256)

  init(_ program: Program, root: Int32) {
    analysis = Analysis(program, root: root, isCondition: true)
    standing = root < 0 ? [] : Array(program.standing(root).prefix(Self.standingMax))
  }

  /// Names were learned: what is compared with may be another number.
  mutating func forget() {
    for index in tables.indices { tables[index] = nil }
  }

  /// The table for answers of the parts.
  mutating func table(_ answers: UInt8, _ literals: UnsafeMutableBufferPointer<UInt64>)
    -> SieveTable
  {
    if let known = tables[Int(answers)] { return known }
    let made = SieveTable()
    for raw in UInt8.min...UInt8.max {
      let kind = EventKind(rawValue: raw)
      made.set(verdict(analysis.root, kind, answers, literals, isDenied: false), of: kind)
    }
    tables[Int(answers)] = made
    return made
  }

  /// What can be said of all events of a kind.
  enum Verdict {
    /// It holds at none of them.
    case never
    /// It may hold where one of these comes out true.
    case tests([SieveTest])
    /// It may hold at each.
    case open

    static func both(_ left: Verdict, _ right: Verdict) -> Verdict {
      switch (left, right) {
      case (.never, _), (_, .never): .never
      case (.open, let other), (let other, .open): other
      case (.tests(let some), .tests(let others)): some.count <= others.count ? left : right
      }
    }

    static func either(_ left: Verdict, _ right: Verdict) -> Verdict {
      switch (left, right) {
      case (.never, let other), (let other, .never): other
      case (.open, _), (_, .open): .open
      case (.tests(let some), .tests(let others)):
        some.count + others.count <= SieveTable.testsMax ? .tests(some + others) : .open
      }
    }
  }

  /// Whether the condition holds at no event of a kind, where such an event took no longer than so many
  /// nanoseconds; nil: it ends nothing.
  func isDenied(
    _ kind: EventKind,
    noLongerThan most: Int64?,
    _ literals: UnsafeMutableBufferPointer<UInt64>
  ) -> Bool {
    let found = verdict(
      analysis.root,
      kind,
      Self.nothingKnown,
      literals,
      isDenied: false,
      noLongerThan: most
    )
    if case .never = found { return true }
    return false
  }

  /// What can be said of a truth, or with `isDenied` of its opposite.
  private func verdict(
    _ index: Int32,
    _ kind: EventKind,
    _ answers: UInt8,
    _ literals: UnsafeMutableBufferPointer<UInt64>,
    isDenied: Bool,
    noLongerThan most: Int64? = nil
  ) -> Verdict {
    func certain(_ truth: Truth?) -> Verdict { truth == (isDenied ? .yes : .no) ? .never : .open }
    if let place = standing.firstIndex(of: index) {
      return certain(Truth(rawValue: answers >> UInt8(2 * place) & 3))
    }
    let node = analysis.program.nodes[Int(index)]
    func part(_ index: Int32, isDenied: Bool) -> Verdict {
      verdict(index, kind, answers, literals, isDenied: isDenied, noLongerThan: most)
    }
    switch node.operation {
    case .always: return certain(Truth(rawValue: UInt8(truncatingIfNeeded: node.bits)))
    case .kind: return certain(analysis.program.tests[Int(node.bits)].mayHold(kind))
    case .negation: return part(node.left, isDenied: !isDenied)
    case .both, .either:
      let (left, right) = (
        part(node.left, isDenied: isDenied), part(node.right, isDenied: isDenied)
      )
      return (node.operation == .both) != isDenied ? .both(left, right) : .either(left, right)
    default: return isDenied ? .open : comparison(node, kind, literals, noLongerThan: most)
    }
  }

  private func comparison(
    _ node: Node,
    _ kind: EventKind,
    _ literals: UnsafeMutableBufferPointer<UInt64>,
    noLongerThan most: Int64?
  ) -> Verdict {
    func isAbsent(_ index: Int32) -> Bool { analysis.standing(index, kind) == .absent }
    func test(_ field: Int32, _ bits: UInt64, isSwapped: Bool = false) -> Verdict {
      guard let source = source(field, kind) else { return .open }
      return .tests([SieveTest(source, node.operation, bits, isSwapped: isSwapped)])
    }
    func literal(_ index: Int32) -> UInt64? {
      let node = analysis.program.nodes[Int(index)]
      return node.operation == .literal ? node.bits : nil
    }
    switch node.operation {
    case .isLiteral, .isNotLiteral:
      return isAbsent(node.left) ? .never : test(node.left, literals[Int(node.bits)])
    case .matches: return isAbsent(node.left) ? .never : test(node.left, node.bits)
    case .holds: return isAbsent(node.left) ? .never : .open
    case .equal, .unequal, .lessSigned, .lessUnsigned, .lessFraction, .atMostSigned,
      .atMostUnsigned, .atMostFraction:
      guard !isAbsent(node.left), !isAbsent(node.right) else { return .never }
      if let most, asksMore(node, kind, than: most) { return .never }
      if let bits = literal(node.right) { return test(node.left, bits) }
      if let bits = literal(node.left) { return test(node.right, bits, isSwapped: true) }
      return .open
    default: return .open
    }
  }

  /// Whether a comparison holds at an event of a kind only if that took longer than so many nanoseconds.
  private func asksMore(_ node: Node, _ kind: EventKind, than most: Int64) -> Bool {
    let nodes = analysis.program.nodes
    func number(_ index: Int32) -> Int64? {
      let node = nodes[Int(index)]
      return node.operation == .literal ? Int64(bitPattern: node.bits) : nil
    }
    switch node.operation {
    case .lessSigned where isTook(node.right, kind):
      return number(node.left).map { $0 >= most } ?? false
    case .atMostSigned where isTook(node.right, kind), .equal where isTook(node.right, kind):
      return number(node.left).map { $0 > most } ?? false
    case .equal where isTook(node.left, kind): return number(node.right).map { $0 > most } ?? false
    default: return false
    }
  }

  /// Whether a value is how long that took which an event of a kind ends.
  private func isTook(_ index: Int32, _ kind: EventKind) -> Bool {
    let program = analysis.program
    let node = program.nodes[Int(index)]
    guard node.operation == .earlierValue else { return false }
    let kept = program.nodes[Int(program.earlier[Int(node.bits)])]
    return kept.operation == .field
      && program.places[Int(kept.bits)][Int(kind.rawValue)] == .took
  }

  /// Where a value stands in the events of a kind; nil where it is no number that they have.
  private func source(_ index: Int32, _ kind: EventKind) -> SieveTest.Source? {
    let node = analysis.program.nodes[Int(index)]
    guard node.operation == .field else { return nil }
    return SieveTest.Source(analysis.program.places[Int(node.bits)][Int(kind.rawValue)])
  }
}

extension Program {
  /// The greatest parts of a truth that hang on the state alone.
  fileprivate func standing(_ index: Int32) -> [Int32] {
    let node = nodes[Int(index)]
    if isStanding(index) { return asksState(index) ? [index] : [] }
    switch node.operation {
    case .both, .either: return standing(node.left) + standing(node.right)
    case .negation: return standing(node.left)
    default: return []
    }
  }

  /// Whether its value stays as long as nothing touches the state.
  private func isStanding(_ index: Int32) -> Bool {
    guard index >= 0 else { return true }
    let node = nodes[Int(index)]
    switch node.operation {
    case .always, .literal, .literalName, .fact: return true
    case .anyRow, .allRows, .countRows: return isStanding(node.left)
    case .rowField: return rowFields[Int(node.bits)].field.slope == 0
    case .lookup: return rowFields[Int(node.bits)].field.slope == 0 && isStanding(node.left)
    case .both, .either, .negation, .holds, .equal, .unequal, .lessSigned, .lessUnsigned,
      .lessFraction, .atMostSigned, .atMostUnsigned, .atMostFraction, .isLiteral, .isNotLiteral,
      .matches, .sum, .difference, .minus, .truthValue:
      return isStanding(node.left) && isStanding(node.right)
    default: return false
    }
  }

  private func asksState(_ index: Int32) -> Bool {
    guard index >= 0 else { return false }
    let node = nodes[Int(index)]
    switch node.operation {
    case .fact, .anyRow, .allRows, .countRows, .lookup: return true
    default: return asksState(node.left) || asksState(node.right)
    }
  }
}
