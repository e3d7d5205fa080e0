// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// What can be said of a program without any event: which of them it need not see.
struct Analysis {
  let program: Program
  let root: Int32
  /// Whether the whole is true or false.
  let isCondition: Bool
  /// Whether some node asks the state.
  let needsState: Bool
  /// Whether some node asks the event.
  let needsEvent: Bool
  /// Whether some node moves with time.
  let moves: Bool

  init(_ program: Program, root: Int32, isCondition: Bool) {
    self.program = program
    self.isCondition = isCondition
    self.root = root
    needsState = program.nodes.contains { $0.operation.needsState }
    needsEvent =
      !program.earlier.isEmpty
      || program.nodes.contains { $0.operation == .field || $0.operation == .kind }
    moves = program.rowFields.contains { $0.field.slope != 0 }
  }

  /// Whether some node asks the state of the app, or whether it is on screen.
  var asksAppState: Bool {
    program.nodes.contains {
      $0.operation == .fact && ["state", "foreground"].contains(StateFact.all[Int($0.bits)].name)
    }
  }

  /// The kinds at whose events it can be true; of a value that is no condition, those that have one.
  var kinds: KindSet {
    let all = (UInt8.min...UInt8.max).map { EventKind(rawValue: $0) }
    return KindSet(
      all.filter {
        isCondition ? possible(root, $0) != .no : standing(root, $0) != .absent
      }
    )
  }

  /// The kinds that can change its value.
  var touching: KindSet {
    var kinds = touchingState
    if needsEvent { kinds.formUnion(self.kinds) }
    // Nothing holds of a writer that has not started.
    if !program.elsewhere.isEmpty { kinds.insert(.processStart) }
    return kinds
  }

  /// The kinds that can change what it asks of the state.
  var touchingState: KindSet {
    var kinds = KindSet()
    for node in program.nodes {
      switch node.operation {
      case .fact: kinds.formUnion(StateFact.all[Int(node.bits)].touching)
      case .anyRow, .allRows, .countRows:
        kinds.formUnion(StateTable.all[Int(node.bits)].touching)
      case .lookup:
        let table = StateTable.all[program.rowFields[Int(node.bits)].table]
        kinds.formUnion(StateTable.kinds(of: table.lookUpFamilies))
      default: break
      }
    }
    return kinds
  }

  /// The kinds that must be folded so that what it asks of the state is known.
  ///
  /// Those of ``touching`` that are of the state; where queues are asked also those of the app's state, as what was
  /// posted in a suspension is netted; where an end is asked what began, those that begin.
  var folded: KindSet {
    var families: Set<EventFamily> = []
    for node in program.nodes {
      switch node.operation {
      case .fact: families.formUnion(StateFact.all[Int(node.bits)].families)
      case .anyRow, .allRows, .countRows:
        families.formUnion(StateTable.all[Int(node.bits)].families)
      case .lookup:
        families.formUnion(StateTable.all[program.rowFields[Int(node.bits)].table].lookUpFamilies)
      default: break
      }
    }
    if families.contains(.notification) { families.formUnion([.state, .process]) }
    if program.places.contains(where: { !$0.allSatisfy(\.isInEvent) }) {
      families.formUnion([.callback, .work, .task, .deadline, .resource])
    }
    return StateTable.kinds(of: Array(families))
  }

  /// Whether a condition may hold at an event of `kind`, of which nothing else is known.
  private func possible(_ index: Int32, _ kind: EventKind) -> Truth {
    let node = program.nodes[Int(index)]
    switch node.operation {
    case .always: return Truth(rawValue: UInt8(truncatingIfNeeded: node.bits)) ?? .unknown
    case .kind: return program.tests[Int(node.bits)].mayHold(kind)
    case .both: return possible(node.left, kind) && possible(node.right, kind)
    case .either: return possible(node.left, kind) || possible(node.right, kind)
    case .negation: return !possible(node.left, kind)
    case .holds, .isLiteral, .isNotLiteral, .matches:
      return standing(node.left, kind) == .absent ? .no : .unknown
    case .equal, .unequal, .lessSigned, .lessUnsigned, .lessFraction, .atMostSigned,
      .atMostUnsigned, .atMostFraction:
      let isAbsent =
        standing(node.left, kind) == .absent || standing(node.right, kind) == .absent
      return isAbsent ? .no : .unknown
    default: return .unknown
    }
  }

  /// Whether a value can be there at an event of `kind`.
  func standing(_ index: Int32, _ kind: EventKind) -> Scalar.Standing {
    let node = program.nodes[Int(index)]
    switch node.operation {
    case .field:
      let place = program.places[Int(node.bits)][Int(kind.rawValue)]
      return place == .none ? .absent : .unknown
    case .earlierValue: return standing(program.earlier[Int(node.bits)], kind)
    case .elsewhereValue: return standing(program.elsewhere[Int(node.bits)].tree, kind)
    case .lookup, .minus: return standing(node.left, kind) == .absent ? .absent : .unknown
    case .sum, .difference:
      let isAbsent =
        standing(node.left, kind) == .absent || standing(node.right, kind) == .absent
      return isAbsent ? .absent : .unknown
    default: return .unknown
    }
  }
}
