// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// Background tasks whose creation a device logs without id and name.
///
///     Created background task <private>.
///
/// Their ends have ids. UIKit numbers tasks one by one, so the n-th creation in a log has the id
/// `n + first`: `first` is at least what each ended id demands, and is taken to be no more.
struct LogPrivateTasks {
  /// Creations so far, those with known ids too.
  private(set) var created: Int64 = 0
  /// The id before that of the first creation; nil while it is unknown.
  private(set) var first: Int64?
  /// Those without an id: the number of the creation, and the indices of its events.
  private(set) var open: [Int64: [Int]] = [:]

  mutating func add(known id: Int64) {
    created += 1
    first = id - created
  }

  mutating func add(event: Int) -> Int64 {
    created += 1
    open[created] = [event]
    return created
  }

  mutating func add(event: Int, to number: Int64) { open[number]?.append(event) }

  /// The creation of the task `id`, as its number and its events, if it is one of those without an id.
  mutating func take(_ id: Int64) -> (number: Int64, events: [Int])? {
    guard !open.isEmpty else { return nil }
    let least = id - created
    if least > first ?? .min { first = least }
    let number = id - (first ?? 0)
    return open.removeValue(forKey: number).map { (number, $0) }
  }

  mutating func takeAll() -> [(number: Int64, events: [Int])] {
    defer { open.removeAll() }
    return open.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
  }
}

extension LogLife {
  /// Begins a task whose id is known later, or never.
  mutating func beginPrivate(_ fact: LogFact, _ names: inout Names) {
    let number = privateTasks.add(event: events.count)
    let name = names.intern(Self.privateName)
    let handler = handlers.removeValue(forKey: name)
    let task = Payload.TaskBegin(id: UInt64(number), name: name, handler: handler)
    emit(task, fact, &names, inferred: true)
    tasks[-number] = events.count - 1
    updatePossible(fact, &names)
  }

  /// Gives the task `id` its begin, where that was logged without an id.
  mutating func resolvePrivate(_ id: Int64) {
    guard tasks[id] == nil, let task = privateTasks.take(id) else { return }
    for event in task.events { events[event].identity = UInt64(bitPattern: id) }
    if expiredTasks.remove(-task.number) != nil { expiredTasks.insert(id) }
    tasks[id] = tasks.removeValue(forKey: -task.number)
  }

  /// At the end: those that nothing named have the ids that the others leave them.
  mutating func numberPrivateTasks() {
    let first = max(0, privateTasks.first ?? 0)
    for task in privateTasks.takeAll() {
      let id = UInt64(bitPattern: first + task.number)
      for event in task.events { events[event].identity = id }
    }
  }
}
