// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// The reports of runningboardd, SpringBoard and other daemons about a process.
extension LogLife {
  mutating func tellSystem(_ fact: LogFact, _ names: inout Names) {
    switch fact.pattern {
    case .resuming:
      if state == .suspended || state == .unknown, isManaged { resume(fact, &names) }
    case .unmanaged: hint("lifecycle", "not managed", fact, &names)
    case .suspending: move(.suspended, fact, &names, cause: "runningboardd")
    case .calculatedState, .stateUpdate, .reported: tellUpdate(fact, &names)
    case .taskState: tellTaskState(names[fact.text], fact, &names)
    case .workspace: hint("workspace assertion", names[fact.text], fact, &names)
    case .violated: tellViolated(fact, &names)
    case .memoryLimit: tellMemoryLimit(fact, &names)
    case .crashed:
      exit(fact, &names, cause: "crash", code: 0, evidence: fact.pattern.words, inferred: false)
    case .visibility, .scene: tellVisibility(names[fact.text], fact, &names)
    case .applicationState: tellApplicationState(fact, &names)
    case .jetsamPriority: hint("jetsam priority", "\(fact.a)", fact, &names)
    case .darwinRole: hint("darwin role", names[fact.text], fact, &names)
    case .expireSoon: note(fact.pattern.words, fact, &names)
    case .lockedFile: tellLockedFile(fact, &names)
    case .beyondPermitted: tellBeyondPermitted(fact, &names)
    case .bootstrap: note(fact.pattern.words, fact, &names)
    case .assertionTaken, .assertionDropped, .assertionTimedOut: tellAssertion(fact, &names)
    case .sceneMode: hint("scene activity mode", names[fact.text], fact, &names)
    case .sceneAction:
      let limit = fact.a > 0 ? ", for which it has \(Quantity.duration(fact.a))" : ""
      note("is sent the scene action \(names[fact.text])\(limit)", fact, &names)
    case .sceneActionDone: tellSceneAction(fact, &names)
    case .memoryLimits: hint("memory limit", "\(fact.a) MB", fact, &names)
    case .terminating: tellTerminating(fact, &names)
    case .exited, .gone, .memoryKill: tellExit(fact, &names)
    default: break
    }
  }

  private mutating func resume(_ fact: LogFact, _ names: inout Names) {
    if state == .unknown {
      // It was suspended, or has just been made.
      let resume = Payload.Resume(
        reason: names.intern("runningboardd"),
        evidence: names.intern(fact.pattern.words)
      )
      emit(resume, fact, &names)
      state = .background
      stateTime = fact.time
      hasSettled = false
      return
    }
    move(.background, fact, &names, cause: "runningboardd")
  }

  /// While runningboardd keeps it awake for a background task, no suspension is possible.
  private mutating func tellAssertion(_ fact: LogFact, _ names: inout Names) {
    let name = names.intern("background assertion \(names[fact.text])")
    if fact.pattern == .assertionTaken {
      guard assertions.count < Self.endedTasksMax, assertions.insert(fact.text).inserted else {
        return
      }
      emit(Payload.ResourceAcquire(name: name, class: .other), fact, &names)
    } else if assertions.remove(fact.text) != nil {
      emit(Payload.ResourceRelease(name: name, class: .other), fact, &names)
    }
    if fact.pattern == .assertionTimedOut { note(fact.pattern.words, fact, &names) }
    updatePossible(fact, &names)
  }

  /// The app has answered what its scene was told.
  private mutating func tellSceneAction(_ fact: LogFact, _ names: inout Names) {
    let action = names[fact.text]
    let result = fact.a == 0 ? "failed" : "completed"
    note("the scene action \(action) \(result)", fact, &names)
    guard action == "Logical Activate", fact.a != 0, !tellsActivity, state != .active else {
      return
    }
    move(.active, fact, &names, cause: "scene action \(action)", inferred: true)
  }

  // MARK: State updates

  /// Many daemons print each update, some of them late: each is reported once.
  private mutating func tellUpdate(_ fact: LogFact, _ names: inout Names) {
    let seen = seenUpdates[fact.writer] ?? -1
    var index = seen + 1
    while index < updates.count {
      let update = updates[index]
      let isFresh = fact.time - update.time <= Self.updateDelayMax
      if isFresh, update.state == fact.text,
        fact.pattern == .calculatedState || update.visibility == .empty || fact.other == .empty
          || update.visibility == fact.other
      {
        if update.visibility == .empty, fact.pattern != .calculatedState, fact.other != .empty {
          updates[index].visibility = fact.other
          if !update.hasRole { tellState(fact, &names) }
          tellNewVisibility(fact, &names)
        }
        seenUpdates[fact.writer] = index
        return
      }
      index += 1
    }
    trimUpdates()
    let visibility = fact.pattern == .calculatedState ? .empty : fact.other
    updates.append(
      LogUpdate(
        state: fact.text,
        visibility: visibility,
        hasRole: fact.pattern == .calculatedState,
        time: fact.time
      )
    )
    seenUpdates[fact.writer] = updates.count - 1
    tellState(fact, &names)
    if fact.pattern != .calculatedState { tellNewVisibility(fact, &names) }
  }

  /// Keeps the list short over a long log.
  private mutating func trimUpdates() {
    guard updates.count >= 512 else { return }
    let dropped = 256
    updates.removeFirst(dropped)
    for (writer, index) in seenUpdates {
      seenUpdates[writer] = index < dropped ? nil : index - dropped
    }
  }

  private mutating func tellNewVisibility(_ fact: LogFact, _ names: inout Names) {
    guard fact.other != .empty else { return }
    hint("visibility", names[fact.other], fact, &names)
  }

  private mutating func tellState(_ fact: LogFact, _ names: inout Names) {
    let word = names[fact.text]
    let other = names[fact.other]
    if word.hasPrefix("running-suspended") {
      // So it calls those too that it leaves alone.
      guard isManaged else { return }
      move(.suspended, fact, &names, cause: "runningboardd")
    } else if word.hasPrefix("running") {
      if fact.pattern == .calculatedState {
        tellRole(other, fact, &names)
      } else if other == "Visible" {
        tellForeground(isFocal: true, fact, &names)
      } else if other == "NotVisible" {
        tellBackground(fact, &names)
      } else if state == .suspended {
        move(.background, fact, &names, cause: fact.pattern.words, inferred: true)
      }
    } else if word == "none" {
      tellExit(fact, &names)
    }
  }

  /// SpringBoard's word for what runningboardd did.
  private mutating func tellTaskState(
    _ word: String,
    _ fact: LogFact,
    _ names: inout Names
  ) {
    switch word {
    case "Not Running": tellExit(fact, &names)
    case "Suspended": move(.suspended, fact, &names, cause: "SpringBoard")
    case "Running":
      if state == .suspended { move(.background, fact, &names, cause: "SpringBoard") }
    default: break
    }
  }

  /// The role of a running process says whether the user sees it.
  private mutating func tellRole(_ role: String, _ fact: LogFact, _ names: inout Names) {
    switch role {
    case "UserInteractive", "UserInteractiveFocal":
      tellForeground(isFocal: true, fact, &names)
    case "UserInteractiveNonFocal", "UserInteractiveFixed":
      tellForeground(isFocal: false, fact, &names)
    case "Background", "NonUserInteractive", "None", "Maintenance":
      tellBackground(fact, &names)
    default:
      if state == .suspended { move(.background, fact, &names, cause: "runningboardd") }
    }
  }

  private mutating func tellVisibility(_ word: String, _ fact: LogFact, _ names: inout Names) {
    let isForeground = word.hasPrefix("Foreground")
    hint(fact.pattern == .scene ? "scene" : "visibility", word, fact, &names)
    if fact.pattern == .visibility, isForeground || word == "Background" {
      springBoard = (isForeground, fact.time)
    }
    if isForeground {
      // One of several scenes may come while the app is active.
      guard fact.pattern != .scene || state != .active && state != .inactive else { return }
      tellForeground(isFocal: fact.pattern != .scene, fact, &names)
    } else if word.hasPrefix("Background") {
      tellBackground(fact, &names)
    }
  }

  private mutating func tellApplicationState(_ fact: LogFact, _ names: inout Names) {
    let task = names[fact.text]
    if task.hasPrefix("Not") { return tellExit(fact, &names) }
    if fact.other != .empty { hint("visibility", names[fact.other], fact, &names) }
    let visibility = names[fact.other]
    if visibility == "Foreground" || visibility == "Background" {
      springBoard = (visibility == "Foreground", fact.time)
    }
    if task == "Suspended" {
      move(.suspended, fact, &names, cause: "SpringBoard")
    } else if names[fact.other] == "Foreground" {
      tellForeground(isFocal: true, fact, &names)
    } else if names[fact.other] == "Background" {
      tellBackground(fact, &names)
    }
  }

  /// A daemon sees the app in the foreground.
  ///
  /// Whether it is active too is in the app's own lines, where the log has them; else an app with
  /// the user's focus is taken for active, but for one that is being launched: its role is that of
  /// the foreground from the beginning on.
  private mutating func tellForeground(
    isFocal: Bool,
    _ fact: LogFact,
    _ names: inout Names
  ) {
    guard !isOldNews(fact, isForeground: true) else { return }
    guard state != .active else {
      if !isFocal, !tellsActivity {
        move(.inactive, fact, &names, cause: fact.pattern.words, inferred: true)
      }
      return
    }
    if state == .inactive {
      if isFocal, !tellsActivity, !isLaunching {
        move(.active, fact, &names, cause: fact.pattern.words, inferred: true)
      }
      return
    }
    // A report that is older than the app's own word.
    if enteredBackgroundItself != .min,
      fact.time - enteredBackgroundItself < Self.reportDelay
    {
      return
    }
    let isActive =
      tellsActivity ? mask == 0 && state == .unknown : isFocal && !isLaunching
    move(isActive ? .active : .inactive, fact, &names, cause: fact.pattern.words, inferred: true)
  }

  /// A daemon sees the app in the background.
  private mutating func tellBackground(_ fact: LogFact, _ names: inout Names) {
    guard !isOldNews(fact, isForeground: false) else { return }
    switch state {
    case .background: return
    case .suspended, .notRunning: break
    case .unknown, .inactive:
      if saysSoItself(after: fact.time) { return }
    case .active:
      if tellsActivity { return }
    }
    move(.background, fact, &names, cause: fact.pattern.words, inferred: true)
  }

  /// Whether SpringBoard has just said the contrary of what a daemon passes on.
  private func isOldNews(_ fact: LogFact, isForeground: Bool) -> Bool {
    guard fact.pattern.isUpdate, let said = springBoard, said.isForeground != isForeground else {
      return false
    }
    return fact.time - said.time < Self.reportDelay
  }

  /// Whether the app itself says within moments that it enters the background.
  private func saysSoItself(after time: Int64) -> Bool {
    var (low, high) = (0, backgroundTimes.count)
    while low < high {
      let middle = (low + high) / 2
      if backgroundTimes[middle] < time { low = middle + 1 } else { high = middle }
    }
    return low < backgroundTimes.count && backgroundTimes[low] - time <= Self.backgroundAhead
  }
}
