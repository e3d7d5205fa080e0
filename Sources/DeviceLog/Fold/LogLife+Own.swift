// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// The facts in an app's own lines.
extension LogLife {
  mutating func tellOwn(_ fact: LogFact, _ names: inout Names) {
    let moved = takeBackSuspension(fact, &names)
    tellRunning(fact, &names)
    switch fact.pattern {
    case .deactivationAdded, .deactivationRemoved: tellDeactivation(fact, &names)
    case .hangTracing: note(fact.pattern.words, fact, &names)
    case .touch:
      if state == .unknown, mask == nil {
        move(.active, fact, &names, cause: "a touch was delivered", inferred: true)
      }
    case .finishLaunching, .becomeActive, .resignActive, .enterBackground, .enterForeground,
      .terminate:
      tellCallback(fact, &names)
    case .memoryWarning:
      emit(Payload.Device(what: names.intern("memory-warning")), fact, &names)
    case .diagnostics: tellDiagnostics(fact, &names)
    case .snapshot: settle()
    case .mapped: tellMapped(fact, &names)
    default: tellTask(fact, &names)
    }
    updatePossible(fact, &names)
    if let moved { putBackSuspension(moved, fact, &names) }
  }

  /// A process that writes is not suspended.
  private mutating func tellRunning(_ fact: LogFact, _ names: inout Names) {
    guard state == .suspended else { return }
    move(.background, fact, &names, cause: "the process writes", inferred: true)
  }

  /// A line stamped a moment after the suspension was written before it took hold.
  private mutating func takeBackSuspension(_ fact: LogFact, _ names: inout Names) -> Event? {
    guard state == .suspended, let index = suspendIndex, index == events.count - 1,
      fact.time >= stateTime, fact.time - stateTime <= Self.suspensionBlur
    else { return nil }
    state = .background
    return events.removeLast()
  }

  private mutating func putBackSuspension(
    _ suspension: Event,
    _ fact: LogFact,
    _ names: inout Names
  ) {
    guard state == .background else { return }
    var suspension = suspension
    suspension.time = HostTime(rawValue: max(fact.time, suspension.time.rawValue))
    var fact = fact
    fact.time = suspension.time.rawValue
    closePossible(fact, &names)
    events.append(suspension)
    suspendIndex = events.count - 1
    state = .suspended
    stateTime = fact.time
  }

  /// The main thread does something after didEnterBackground: so that has returned.
  private mutating func settle() {
    if state == .background { hasSettled = true }
  }

  // MARK: Activity

  /// `Deactivation reason added: 0; deactivation reasons: 0 -> 1`.
  private mutating func tellDeactivation(_ fact: LogFact, _ names: inout Names) {
    let (reason, before, after) = (fact.a, fact.b, fact.c)
    let isAdded = fact.pattern == .deactivationAdded
    let word = isAdded ? "added" : "removed"
    let expected = (0..<63).contains(reason) ? before ^ (1 << reason) : before
    if after != expected {
      note("inconsistent: reason \(reason) \(word), mask \(before) -> \(after)", fact, &names)
    }
    mask = after
    let cause = "deactivation reason \(reason) \(word)"
    if before == 0, after != 0 {
      // No scene has connected yet: the first reason of a launch is not the end of activity.
      if state == .unknown, reason != Self.launchReason {
        move(.active, fact, &names, cause: "no reason against", inferred: true)
      }
      if state != .inactive { move(.inactive, fact, &names, cause: cause) }
    } else if after == 0 {
      if state == .active { return note("\(cause), mask \(before) -> 0", fact, &names) }
      move(.active, fact, &names, cause: cause)
    } else {
      if state == .active { move(.inactive, fact, &names, cause: cause, inferred: true) }
      note("\(cause), mask \(before) -> \(after)", fact, &names)
    }
  }

  /// The name of a delegate method, or of its notification, in a line of the app.
  private mutating func tellCallback(_ fact: LogFact, _ names: inout Names) {
    let cause = fact.pattern.words
    switch fact.pattern {
    case .becomeActive: move(.active, fact, &names, cause: cause)
    case .resignActive:
      if state == .unknown { move(.active, fact, &names, cause: cause, inferred: true) }
      if state == .active { move(.inactive, fact, &names, cause: cause) }
    case .enterBackground:
      // UIKit would have said that it is inactive: then the line is about something else.
      if state == .active, mask == 0 { return note(cause, fact, &names) }
      guard state != .background else { return }
      move(.background, fact, &names, cause: cause)
      enteredBackgroundItself = fact.time
    case .enterForeground:
      guard state != .active, state != .inactive else { return }
      move(.inactive, fact, &names, cause: cause)
    default: note(cause, fact, &names)
    }
  }

  // MARK: Background tasks

  private mutating func tellTask(_ fact: LogFact, _ names: inout Names) {
    switch fact.pattern {
    case .taskAdding:
      if handlers.count >= Self.endedTasksMax { handlers.removeAll() }
      // Whose task it is that has no handler, the system's or the app's, is in its name only.
      let isPrivate = names[fact.text] == Self.privateName
      handlers[fact.text] = isPrivate && fact.a == 0 ? nil : fact.a != 0
    case .taskCreated: begin(fact, &names)
    case .tasksExpiring:
      for task in tasks.sorted(by: { $0.value < $1.value }) { expire(task.key, fact, &names) }
      note(fact.pattern.words, fact, &names)
    case .taskExpiring:
      if tasks[fact.a] == nil { beginEarlier(fact, &names, seconds: fact.b) }
      expire(fact.a, fact, &names)
    case .wake, .wakeDone: tellWake(fact, &names)
    case .taskEnding, .taskEndingDescription: end(fact, &names)
    case .taskOld: tellOldTask(fact, &names)
    case .taskNotEnded: tellTaskNotEnded(fact, &names)
    case .taskUnknown: tellUnknownTask(fact, &names)
    case .assertionCreated:
      assertion = true
      let name = names.intern("background assertion")
      emit(Payload.ResourceAcquire(name: name, class: .other), fact, &names)
    case .assertionInvalidated:
      if assertion == true {
        let name = names.intern("background assertion")
        emit(Payload.ResourceRelease(name: name, class: .other), fact, &names)
      } else {
        note("the last background assertion was given back", fact, &names)
      }
      assertion = false
      settle()
    default: break
    }
  }

  private mutating func begin(_ fact: LogFact, _ names: inout Names) {
    if fact.a < 0 { return beginPrivate(fact, &names) }
    privateTasks.add(known: fact.a)
    if let open = tasks[fact.a] {
      // Some exports hold each line twice.
      guard Payload.TaskBegin(events[open]).name != fact.text else { return }
      endTask(fact, &names, inferred: true)
    }
    beginTask(fact, &names, fact.text, handler: handlers.removeValue(forKey: fact.text))
  }

  private mutating func beginTask(
    _ fact: LogFact,
    _ names: inout Names,
    _ name: NameID,
    handler: Bool? = nil,
    inferred: Bool = false,
    at time: Int64? = nil
  ) {
    let task = Payload.TaskBegin(id: UInt64(bitPattern: fact.a), name: name, handler: handler)
    emit(task, fact, &names, inferred: inferred, at: time)
    tasks[fact.a] = events.count - 1
    endedTasks.remove(fact.a)
    updatePossible(fact, &names)
  }

  /// A task that the log did not see begin: it began `seconds` ago.
  private mutating func beginEarlier(_ fact: LogFact, _ names: inout Names, seconds: Int64) {
    let begin = fact.time &- Self.age(seconds: seconds)
    // Its age is not given, only that the log does not reach back to it.
    retractPossible(since: seconds > 0 || state != .background ? begin : stateTime, fact, &names)
    beginTask(fact, &names, fact.text, inferred: true, at: begin)
  }

  /// The age of a task that a line gives in seconds: a moment more, as they are rounded down.
  private static func age(seconds: Int64) -> Int64 {
    seconds > 0 ? min(seconds, 1_000_000) * 1_000_000_000 + 1_000_000 : 0
  }

  private mutating func endTask(_ fact: LogFact, _ names: inout Names, inferred: Bool = false) {
    tasks[fact.a] = nil
    if endedTasks.count >= Self.endedTasksMax { endedTasks.removeAll() }
    endedTasks.insert(fact.a)
    expiredTasks.remove(fact.a)
    emit(Payload.TaskEnd(id: UInt64(bitPattern: fact.a)), fact, &names, inferred: inferred)
  }

  private mutating func end(_ fact: LogFact, _ names: inout Names) {
    settle()
    resolvePrivate(fact.a)
    if tasks[fact.a] == nil {
      // The description follows the line that ended it; a second end has a line of its own.
      guard !endedTasks.contains(fact.a) else { return describe(fact, &names) }
      beginEarlier(fact, &names, seconds: fact.b)
      if fact.pattern == .taskEnding { undescribed = (fact.a, events.count - 1, fact.time) }
    }
    endTask(fact, &names)
  }

  /// Gives a task that began before the log its age and its name, which stand behind its end.
  private mutating func describe(_ fact: LogFact, _ names: inout Names) {
    guard let known = undescribed, known.id == fact.a,
      fact.time - known.time <= Self.descriptionDelayMax
    else { return }
    undescribed = nil
    let age = Self.age(seconds: fact.b)
    var begin = Payload.TaskBegin(events[known.event])
    begin.name = fact.text
    events[known.event].put(begin)
    guard age > 0 else { return }
    events[known.event].time = HostTime(rawValue: known.time &- age)
    events[known.event].flags.insert(.late)
    retractPossible(since: known.time &- age, fact, &names)
  }

  private mutating func expire(_ id: Int64, _ fact: LogFact, _ names: inout Names) {
    guard tasks[id] != nil, expiredTasks.insert(id).inserted else { return }
    if id < 0 { privateTasks.add(event: events.count, to: -id) }
    emit(Payload.TaskExpire(id: UInt64(bitPattern: id)), fact, &names)
  }

  private mutating func tellOldTask(_ fact: LogFact, _ names: inout Names) {
    resolvePrivate(fact.a)
    if tasks[fact.a] == nil { beginEarlier(fact, &names, seconds: fact.b) }
    let name = names[fact.text]
    note(
      "Background Task \(fact.a) (\"\(name)\"), was created over \(fact.b) seconds ago",
      fact,
      &names
    )
  }

  private mutating func tellTaskNotEnded(_ fact: LogFact, _ names: inout Names) {
    resolvePrivate(fact.a)
    if tasks[fact.a] == nil { beginEarlier(fact, &names, seconds: fact.b) }
    if expiredTasks.insert(fact.a).inserted {
      emit(Payload.TaskExpire(id: UInt64(bitPattern: fact.a)), fact, &names, inferred: true)
    }
    let name = names[fact.text]
    note(
      "task \(fact.a) (\"\(name)\") still not ended after its expiration handler was called",
      fact,
      &names
    )
  }

  /// `Can't end BackgroundTask`: a task that was ended before is ended again.
  private mutating func tellUnknownTask(_ fact: LogFact, _ names: inout Names) {
    if tasks[fact.a] == nil, !endedTasks.contains(fact.a) {
      beginTask(fact, &names, .empty, inferred: true)
    }
    if tasks[fact.a] != nil { endTask(fact, &names, inferred: true) }
    endTask(fact, &names)
  }

  // MARK: Wakes

  /// A task of BackgroundTasks, for which the system has woken or launched the app.
  ///
  /// Only a refresh has the short time of a wake; a processing task may run for minutes. A completion
  /// whose task has lost its name is that of the one that runs, where only one does.
  private mutating func tellWake(_ fact: LogFact, _ names: inout Names) {
    if fact.pattern == .wake {
      // `Running task` and `Starting task` are one.
      guard wakes[fact.text] == nil else { return }
      let isRefresh = names[fact.other] == "AppRefresh"
      wakesBegun += 1
      wakes[fact.text] = (wakesBegun, isRefresh)
      guard isRefresh else { return note("runs the task \(names[fact.text])", fact, &names) }
      let reason = names.intern("app-refresh")
      emit(Payload.WakeBegin(id: wakesBegun, reason: reason), fact, &names, name: fact.text)
      return
    }
    let result = fact.a == 0 ? "failed" : "success"
    let name = fact.text == .empty && wakes.count == 1 ? wakes.keys.first : fact.text
    guard let name, let wake = wakes.removeValue(forKey: name) else {
      if fact.text == .empty { note("completes a task without a name: \(result)", fact, &names) }
      return
    }
    guard wake.isRefresh else {
      return note("completes the task \(names[name]): \(result)", fact, &names)
    }
    let completion = Payload.WakeCompletion(id: wake.id, result: names.intern(result))
    emit(completion, fact, &names, name: name)
  }

  // MARK: Diagnostics

  /// Apple's own finding that the main thread did I/O, or waited for another process.
  private mutating func tellDiagnostics(_ fact: LogFact, _ names: inout Names) {
    let message = names[fact.text]
    let trigger = fact.other == .empty ? fact.text : fact.other
    let id = UInt64(events.count) | 1 << 62
    if message.hasPrefix("Interprocess communication") {
      emit(Payload.WaitBegin(id: id, on: trigger), fact, &names, inferred: true, name: trigger)
      emit(Payload.WaitEnd(id: id), fact, &names, inferred: true, name: trigger)
    } else if message.hasPrefix("Performing I/O") {
      emit(Payload.WorkBegin(id: id, kind: .file), fact, &names, inferred: true, name: trigger)
      emit(Payload.WorkEnd(id: id), fact, &names, inferred: true, name: trigger)
    }
    note("\(message) (\(names[fact.other]))", fact, &names)
  }
}
