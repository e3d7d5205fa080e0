// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace

// Many events at once: a ``Sieve`` says which of them are worth a question.
//
//     var rest = 0
//     while let place = evaluator.next(among: events, from: rest) {
//       state.apply(events.extracting(rest..<place), of: folded, names: names)
//       state.apply(events[place], of: folded, names: names)
//       if evaluator.isStale { evaluator.take(events[place], after: state, names) }
//       evaluator.mayHold(at: events[place], names)               // often not
//       rest = place + 1
//     }

extension Evaluator {
  /// The first or the last of some events at which the condition of a question without state holds; by its
  /// place.
  package func first(
    among events: Span<Event>,
    _ names: borrowing Names,
    backward: Bool
  ) -> Int? {
    bind(names)
    let table = sieve.table(0, literals)
    return events.withUnsafeBufferPointer { events in
      guard let base = events.baseAddress else { return nil }
      return siteNames.withUnsafeBufferPointer { siteNames in
        func holds(_ place: Int) -> Bool {
          passes(base + place, table, siteNames) && truth(root, base[place], nothing) == .yes
        }
        if backward {
          var place = events.count
          while place > 0 {
            place &-= 1
            if holds(place) { return place }
          }
          return nil
        }
        for place in 0..<events.count where holds(place) { return place }
        return nil
      }
    }
  }

  /// Goes through a piece of a stream from here on, before which anything may have happened.
  package func forgetState() { table = nil }

  /// The first of some events of a stream, from a place on, that must be looked at alone: the condition may hold
  /// there, or it changes what is kept up of rows.
  ///
  /// Those on the way hold nowhere, nor does any of the kinds `short`; of those that change the state it takes
  /// note.
  package func next(
    among events: Span<Event>,
    from start: Int,
    except short: KindSet = KindSet(),
    _ names: borrowing Names
  ) -> Int? {
    bind(names)
    return events.withUnsafeBufferPointer { events in
      guard let base = events.baseAddress else { return nil }
      return siteNames.withUnsafeBufferPointer { siteNames in
        var table = self.table ?? sieve.table(Sieve.nothingKnown, literals)
        let hasStanding = !sieve.standing.isEmpty
        for place in start..<events.count {
          let event = base + place
          if touching[Int(event.pointee.kind.rawValue)] {
            if hasStanding, self.table != nil {
              self.table = nil
              table = sieve.table(Sieve.nothingKnown, literals)
            }
            if isFollowing { return place }
          }
          if passes(event, table, siteNames), !short.contains(event.pointee.kind) { return place }
        }
        return nil
      }
    }
  }

  /// Whether the state has changed since ``take(_:after:_:)``, so that more events pass than need.
  package var isStale: Bool { table == nil }

  /// Takes note of what stands in a state after an event, until something touches that.
  package func take(
    _ event: borrowing Event,
    after state: borrowing LifeState,
    _ names: borrowing Names
  ) {
    bind(names)
    var answers: UInt8 = 0
    for (place, part) in sieve.standing.enumerated() {
      answers |= truth(part, event, state).rawValue << UInt8(2 * place)
    }
    // Of what was stopped half-way nothing stands.
    if !wasInterrupted { table = sieve.table(answers, literals) }
  }

  /// Whether the condition may hold at an event that was folded, as far as is known of the state after it.
  package func mayHold(at event: borrowing Event, _ names: borrowing Names) -> Bool {
    bind(names)
    guard let table else { return true }
    return withUnsafePointer(to: event) { event in
      siteNames.withUnsafeBufferPointer { passes(event, table, $0) }
    }
  }

  @inline(__always)
  private func passes(
    _ event: UnsafePointer<Event>,
    _ table: SieveTable,
    _ siteNames: UnsafeBufferPointer<UInt32>
  ) -> Bool {
    let kind = Int(event.pointee.kind.rawValue)
    let verdict = table.verdicts[kind]
    if verdict == SieveTable.never { return false }
    if verdict == SieveTable.open { return true }
    let tests = table.tests + kind &* SieveTable.testsMax
    for index in 0..<Int(verdict) where isTrue(tests[index], event, siteNames) { return true }
    return false
  }

  @inline(__always)
  private func isTrue(
    _ test: SieveTest,
    _ event: UnsafePointer<Event>,
    _ siteNames: UnsafeBufferPointer<UInt32>
  ) -> Bool {
    let value = test.value(event, siteNames)
    switch test.operation {
    case .isLiteral: return value == test.bits
    case .isNotLiteral: return value != test.bits
    case .matches: return isMatch(value, Int(test.bits))
    default:
      return test.isSwapped
        ? Self.compare(test.operation, test.bits, value)
        : Self.compare(test.operation, value, test.bits)
    }
  }
}
