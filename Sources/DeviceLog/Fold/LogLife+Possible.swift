// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// The intervals in which the system may suspend the app: it is in the background, its callback has
/// returned, and nothing is known that holds it awake.
///
/// What held it may show itself only later, by a task that was begun before: then the interval
/// ends where that began, or never was.
extension LogLife {
  /// Whether the last interval is open.
  var isSuspensionPossible: Bool { possible.last.map { $0.end == nil } ?? false }

  /// Opens or closes the interval by what is open now.
  mutating func updatePossible(_ fact: LogFact, _ names: inout Names, at time: Int64? = nil) {
    let isPossible =
      isManaged && state == .background && hasSettled && tasks.isEmpty && wakes.isEmpty
      && assertion != true && assertions.isEmpty
    guard isPossible != isSuspensionPossible else { return }
    if !isPossible { return closePossible(fact, &names) }
    let name = names.intern(ResourceClass.suspensionPossible)
    let begin = Payload.ResourceAcquire(
      name: name,
      class: .other,
      attribute: names.intern("interval")
    )
    emit(begin, fact, &names, inferred: true, at: time, name: name)
    possible.append((events.count - 1, nil))
  }

  mutating func closePossible(_ fact: LogFact, _ names: inout Names, at time: Int64? = nil) {
    guard isSuspensionPossible else { return }
    let last = possible[possible.count - 1]
    if (time ?? fact.time) - events[last.begin].time.rawValue < Self.suspensionMin {
      retracted.insert(last.begin)
      possible.removeLast()
      return
    }
    let name = names.intern(ResourceClass.suspensionPossible)
    let end = Payload.ResourceRelease(
      name: name,
      class: .other,
      attribute: names.intern("interval")
    )
    emit(end, fact, &names, inferred: true, at: time, name: name)
    possible[possible.count - 1].end = events.count - 1
  }

  /// The app has been held awake since `time`, as the line of `fact` shows.
  mutating func retractPossible(since time: Int64, _ fact: LogFact, _ names: inout Names) {
    while let last = possible.last {
      let end = last.end.map { events[$0].time.rawValue } ?? fact.time
      guard end > time else { return }
      if events[last.begin].time.rawValue >= time {
        retracted.insert(last.begin)
        if let end = last.end { retracted.insert(end) }
        possible.removeLast()
        continue
      }
      guard let index = last.end else { return closePossible(fact, &names, at: time) }
      events[index].time = HostTime(rawValue: time)
      events[index].flags.insert(.late)
      return
    }
  }
}
