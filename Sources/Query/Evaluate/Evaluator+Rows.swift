// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace

extension Evaluator {
  private func read(_ field: RowField, at now: HostTime) -> Scalar {
    var value = siteNames.withUnsafeBufferPointer {
      field.read(rows, Moment(now: now, siteNames: $0))
    }
    value.slope = Int16(field.slope)
    return value
  }

  /// A field of the row that is looked at.
  func read(_ field: Int, _ event: borrowing Event, _ state: borrowing LifeState) -> Scalar {
    let (table, field) = program.rowFields[field]
    guard isCertain(StateTable.all[table], needsAll: field.needsAll, state) else { return .unknown }
    return read(field, at: event.time)
  }

  /// Whether nothing that is missing can have changed what is said of the row.
  func isCertain(_ table: StateTable, needsAll: Bool, _ state: borrowing LifeState) -> Bool {
    if isWhole(table, state) { return true }
    guard !needsAll, let time = table.evidence(rows) else { return false }
    for family in table.families where !state.completeness[family].covers(time) { return false }
    return true
  }

  /// Whether all rows are there.
  private func isWhole(_ table: StateTable, _ state: borrowing LifeState) -> Bool {
    for family in table.families where !state.completeness[family].isWhole { return false }
    return true
  }

  /// Whether some row fits: for `all`, one that does not.
  func any(
    _ index: Int32,
    _ node: Node,
    _ event: borrowing Event,
    _ state: borrowing LifeState
  ) -> Truth {
    let table = StateTable.all[Int(node.bits)]
    var found = isWhole(table, state) ? Truth.no : .unknown
    if isFollowing, let tally = tally(index, table, at: event.time, state) {
      return tally.yes > 0 ? .yes : tally.unknown > 0 ? .unknown : found
    }
    for place in 0..<table.count(state) {
      guard goesOn() else { return .unknown }
      table.load(state, place, &rows)
      let isThere = isCertain(table, needsAll: false, state)
      var fits = node.left < 0 ? Truth.yes : truth(node.left, event, state)
      if node.operation == .allRows { fits = !fits }
      if fits == .yes, !isThere { fits = .unknown }
      if fits == .yes { return .yes }
      if fits == .unknown { found = .unknown }
    }
    return found
  }

  /// How many rows fit; unknown where one may be missing, or may fit.
  func count(
    _ index: Int32,
    _ node: Node,
    _ event: borrowing Event,
    _ state: borrowing LifeState
  ) -> Scalar {
    let table = StateTable.all[Int(node.bits)]
    guard isWhole(table, state) else { return .unknown }
    guard node.left >= 0 else { return Scalar(Int64(table.count(state))) }
    if isFollowing, let tally = tally(index, table, at: event.time, state) {
      return tally.unknown > 0 ? .unknown : Scalar(Int64(tally.yes))
    }
    var count: Int64 = 0
    for place in 0..<table.count(state) {
      guard goesOn() else { return .unknown }
      table.load(state, place, &rows)
      switch truth(node.left, event, state) {
      case .yes: count += 1
      case .no: break
      case .unknown: return .unknown
      }
    }
    return Scalar(count)
  }

  /// The field of the row whose key is the given one; of several, the one that came first.
  func lookUp(_ node: Node, _ event: borrowing Event, _ state: borrowing LifeState) -> Scalar {
    let (number, field) = program.rowFields[Int(node.bits)]
    let table = StateTable.all[number]
    let key = value(node.left, event, state)
    guard key.standing == .known else { return key }
    // It may stand in the condition of another row, which goes on behind it.
    let kept = rows
    defer { rows = kept }
    guard let best = place(of: key.bits, in: table, at: event.time, state) else {
      guard number == StateTable.deadlinesNumber else {
        return isWhole(table, state) ? .absent : .unknown
      }
      if let budget = systemBudget(called: key.bits, node.right, field, event, state) {
        return budget
      }
      return isWhole(table, state) && knowsSystemBudgets(state) ? .absent : .unknown
    }
    table.load(state, best, &rows)
    guard isCertain(table, needsAll: field.needsAll, state) else { return .unknown }
    return read(field, at: event.time)
  }

  /// Where the row with that key is; of several, the one that came first.
  ///
  /// It may load others.
  private func place(
    of key: UInt64,
    in table: StateTable,
    at now: HostTime,
    _ state: borrowing LifeState
  ) -> Int? {
    if let find = table.find { return find(state, key) }
    var best: (sequence: UInt64, place: Int)?
    for place in 0..<table.count(state) {
      guard goesOn() else { return nil }
      table.load(state, place, &rows)
      let own = read(table.fields[table.key], at: now)
      guard own.standing == .known, own.bits == key else { continue }
      let sequence = table.sequence(rows)
      if best == nil || sequence < (best?.sequence ?? 0) { best = (sequence, place) }
    }
    return best?.place
  }
}

extension Evaluator {
  /// The rows of a table at a time on the clock of their writer, those made first in front.
  ///
  /// A value that missing events leave open is unknown; without `isWhole`, rows may be missing too. It
  /// costs a look at each value.
  package func rows(
    of table: StateTable,
    in state: LifeState,
    at now: HostTime,
    _ names: Names
  ) -> (rows: [StateTable.Row], isWhole: Bool) {
    bind(names)
    var found: [(sequence: UInt64, row: StateTable.Row)] = []
    for place in 0..<table.count(state) {
      table.load(state, place, &rows)
      let values = table.fields.map { field in
        isCertain(table, needsAll: field.needsAll, state) ? read(field, at: now) : .unknown
      }
      let row = StateTable.Row(key: read(table.fields[table.key], at: now), values: values)
      found.append((table.sequence(rows), row))
    }
    return (found.sorted { $0.sequence < $1.sequence }.map(\.row), isWhole(table, state))
  }
}
