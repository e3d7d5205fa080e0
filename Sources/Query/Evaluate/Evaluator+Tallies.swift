// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace

// What is asked of all rows of a table is kept up from one event to the next, by who goes through all
// of them.
//
//     evaluator.follow(asked)
//     for event in events {
//       state.apply(event, names: names)
//       evaluator.changed(by: event, state, names)
//       evaluator.truth(of: event, after: state, names)
//     }

extension Evaluator {
  /// Goes through a stream, event by event, from here on; it will hear of the events of `kinds`.
  ///
  /// Where those are not all that change a table that is asked, nothing is kept up, and each question
  /// looks through it.
  package func follow(_ kinds: KindSet) {
    for index in tallies.indices { tallies[index]?.forget() }
    let needed = followed.kinds
    isFollowing = !needed.isEmpty && needed.allSatisfy { kinds.contains($0) }
  }

  /// The kinds that it has to hear of for that; none where nothing can be kept up.
  package var followed: KindSet {
    var needed = KindSet()
    for index in tallies.indices where tallies[index] != nil {
      needed.formUnion(StateTable.all[Int(nodes[index].bits)].touching)
    }
    return needed
  }

  /// Goes through it no more: what is asked next may be of any state.
  package func stopFollowing() { isFollowing = false }

  /// An event was folded; `state` is the one after it.
  package func changed(
    by event: borrowing Event,
    _ state: borrowing LifeState,
    _ names: borrowing Names
  ) {
    guard isFollowing else { return }
    bind(names)
    let family = event.kind.family
    for index in tallies.indices where tallies[index]?.isCurrent == true {
      let table = StateTable.all[Int(nodes[index].bits)]
      guard table.families.contains(family), let tracked = table.tracked,
        let now = tallies[index]?.now
      else { continue }
      let key = tracked.of(event, names)
      look(index, table, key, tracked.at(state, key), at: max(now, event.time.rawValue), state)
    }
  }

  /// How many rows fit at a time; nil where that is not kept up for it: it lies before what was seen.
  func tally(
    _ index: Int32,
    _ table: StateTable,
    at time: HostTime,
    _ state: borrowing LifeState
  ) -> RowTally? {
    let (index, time) = (Int(index), time.rawValue)
    guard let tracked = table.tracked, let known = tallies[index] else { return nil }
    if !known.knows(table, state) {
      tallies[index]?.begin(table, state, at: time)
      for place in 0..<table.count(state) {
        guard goesOn() else { return nil }
        look(index, table, tracked.key(state, place), place, at: time, state)
      }
    } else if time < known.now {
      return nil
    }
    while let key = tallies[index]?.due(by: time) {
      look(index, table, key, tracked.at(state, key), at: time, state)
    }
    return tallies[index]
  }

  /// Looks at one row, at a time.
  private func look(
    _ index: Int,
    _ table: StateTable,
    _ key: RowKey,
    _ place: Int?,
    at time: Int64,
    _ state: borrowing LifeState
  ) {
    guard let place else {
      tallies[index]?.set(key, nil, until: .max)
      return
    }
    let kept = (rows, nearestFlip)
    defer { (rows, nearestFlip) = kept }
    nearestFlip = .max
    table.load(state, place, &rows)
    let moment = Event(Self.nothingHappens, at: HostTime(rawValue: time))
    let node = nodes[index]
    var fits = truth(node.left, moment, state)
    if node.operation == .allRows { fits = !fits }
    if node.operation != .countRows, fits == .yes,
      !isCertain(table, needsAll: false, state)
    {
      fits = .unknown
    }
    tallies[index]?.set(
      key,
      fits,
      until: nearestFlip == .max ? .max : time.addingSaturated(nearestFlip)
    )
  }
}

extension Program {
  /// Whether what a node asks of the rows of a table hangs on each row alone, and on the time.
  func canTally(_ node: Node) -> Bool {
    switch node.operation {
    case .anyRow, .allRows, .countRows: break
    default: return false
    }
    return node.left >= 0 && StateTable.all[Int(node.bits)].tracked != nil && isOfRow(node.left)
  }

  private func isOfRow(_ index: Int32) -> Bool {
    guard index >= 0 else { return true }
    let node = nodes[Int(index)]
    switch node.operation {
    case .always, .literal, .literalName, .rowField: return true
    case .both, .either, .negation, .holds, .equal, .unequal, .lessSigned, .lessUnsigned,
      .lessFraction, .atMostSigned, .atMostUnsigned, .atMostFraction, .isLiteral, .isNotLiteral,
      .matches, .sum, .difference, .minus, .truthValue:
      return isOfRow(node.left) && isOfRow(node.right)
    default: return false
    }
  }
}
