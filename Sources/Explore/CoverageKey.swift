// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace

/// In what situation an app is: points with one key are taken for alike, and one of each comes first.
///
///     background, draft.txt deferred, task
package struct CoverageKey: Hashable, Sendable {
  /// How far an object is saved.
  package enum Condition: String, Sendable, Comparable, CaseIterable {
    case clean, dirty, deferred, flushing, failed

    /// From the one that needs nothing to the one that went wrong.
    package static func < (left: Condition, right: Condition) -> Bool {
      allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
  }

  /// An object that the app keeps.
  package struct Object: Hashable, Sendable {
    package var name: String
    package var condition: Condition
  }

  package var state: AppState
  /// By name.
  package var objects: [Object]
  /// A background task is held.
  package var holdsTask: Bool
  /// Notifications wait for it.
  package var hasQueue: Bool
  /// A lock is held.
  package var holdsLock: Bool
  /// A wake is not completed.
  package var isWoken: Bool

  /// Between which calls of a save; nil outside of saves, and where nobody sees the calls.
  package var call: String?

  /// The situation that the state is.
  package init(_ state: LifeState, _ names: Names) {
    self.state = state.appState
    let held = state.resources.values
    let deferred = Set(held.filter { $0.resourceClass == .pendingSave }.map(\.name))
    objects = state.data.values.map { object in
      Object(
        name: names[object.name],
        condition: Self.condition(of: object, isDeferred: deferred.contains(object.name))
      )
    }.sorted { $0.name < $1.name }
    holdsTask = !state.tasks.isEmpty
    hasQueue = !state.notifications.isEmpty
    holdsLock = held.contains { $0.resourceClass == .lock }
    isWoken = !state.wakes.isEmpty
  }

  private static func condition(of object: DataObject, isDeferred: Bool) -> Condition {
    if object.flushing != nil { return .flushing }
    guard object.isUnsaved(at: .kernel) else { return .clean }
    if let failure = object.lastFailure, failure.sequence > object.lastSave?.sequence ?? 0 {
      return .failed
    }
    return isDeferred ? .deferred : .dirty
  }

  /// The work that is pending, without the names of objects: a row of the matrix.
  package var pending: String {
    let conditions = Set(objects.map(\.condition)).subtracting([.clean]).sorted()
    var words = conditions.map(\.rawValue)
    if call != nil { words.append("in a save") }
    if holdsTask { words.append("task") }
    if hasQueue { words.append("queue") }
    if holdsLock { words.append("lock") }
    if isWoken { words.append("wake") }
    guard words.isEmpty else { return words.joined(separator: ", ") }
    return objects.isEmpty ? "no data yet" : "clean"
  }

  /// The states of an app at which it can be ended, as people say them, in the order of a life.
  package static let stateWords = ["starting", "inactive", "active", "background", "suspended"]

  /// The state as people say it; before the first one the process is starting.
  package var stateWord: String {
    state == .notRunning || state == .unknown ? "starting" : state.word
  }
}
