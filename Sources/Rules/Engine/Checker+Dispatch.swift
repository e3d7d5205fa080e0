// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
import Synchronization

/// Which rules the events of a process go to, by its role.
extension Checker {
  /// The same, with what judging processes of these roles takes made beforehand.
  ///
  /// For a checker that is copied for each of many short recordings, for which making it would take
  /// as long as judging them.
  package func prepared(for roles: [ProcessRole]) -> Checker {
    var checker = self
    for role in roles { checker.dispatches[role] = dispatchOfRules(for: role) }
    return checker
  }

  func dispatchOfRules(for role: ProcessRole) -> Dispatch {
    guard isWholeCatalogue else { return makeDispatch(for: role) }
    return Self.dispatchOfCatalogue.withLock { known in
      let dispatch = known[role] ?? makeDispatch(for: role)
      known[role] = dispatch
      return dispatch
    }
  }

  private func makeDispatch(for role: ProcessRole) -> Dispatch {
    let rules = enabled.filter { context.table[$0].info.roles.include(role) }
    return Dispatch(to: rules, of: context.table)
  }

  /// Made once: it takes as long as judging a life of some hundred events.
  private static let dispatchOfCatalogue = Mutex<[ProcessRole: Dispatch]>([:])
}
