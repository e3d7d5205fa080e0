// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceScenario

/// How many points there are in each situation, how many were played, and at how many something
/// went wrong: a row for the work that is pending, a column for the state of the app.
package struct Matrix: Sendable {
  /// One situation.
  package struct Field: Sendable, Hashable {
    /// Ends that there are: points, each as often as there are acts for it.
    package var all = 0
    package var played = 0
    package var failed = 0
  }

  /// The states that occur, in the order of a life, as people say them.
  package let columns: [String]
  /// The pending work that occurs, from the least on.
  package let rows: [String]
  private var fields: [[Field]]

  /// That of an exploration.
  package init(_ exploration: Exploration) {
    let keys = exploration.cases.map { exploration.points[$0.point].key }
    let states = Set(keys.map(\.stateWord))
    columns = CoverageKey.stateWords.filter(states.contains)
    var seen: Set<String> = []
    // In the order of the life: cases are in that of their play.
    let asked = Set(keys.map(\.pending))
    let pending = exploration.points.map(\.key.pending).filter {
      asked.contains($0) && seen.insert($0).inserted
    }
    rows =
      pending.filter { $0 == "no data yet" } + pending.filter { $0 == "clean" }
      + pending.filter { $0 != "no data yet" && $0 != "clean" }
    fields = rows.map { [columns] _ in columns.map { _ in Field() } }
    for one in exploration.cases {
      let key = exploration.points[one.point].key
      guard let row = rows.firstIndex(of: key.pending),
        let column = columns.firstIndex(of: key.stateWord)
      else { continue }
      fields[row][column].all += 1
      guard let trial = one.trial, trial.isReached else { continue }
      fields[row][column].played += 1
      if !trial.found.isEmpty { fields[row][column].failed += 1 }
    }
  }

  /// The situation in that row and column.
  package subscript(row: Int, column: Int) -> Field { fields[row][column] }
}
