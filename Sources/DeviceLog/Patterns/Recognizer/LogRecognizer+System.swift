// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// Lines of daemons about a process.
extension LogRecognizer {
  mutating func startingWithA(_ text: LogText) -> LogFact? {
    if text.starts("App transitioned to background, suspending HangTracing") {
      return LogFact(.hangTracing)
    }
    if let rest = text.behind("App with bundleID:") {
      var fact = LogFact(.bundle)
      fact.bundle = name(rest.until(0x20))
      return fact
    }
    if let rest = text.behind("Assertions for process will expire soon: ") {
      return target(rest, .expireSoon)
    }
    if let rest = text.behind("Acquiring assertion targeting ") { return assertionTaken(rest) }
    if let rest = text.behind("Assertion did invalidate due to timeout: ") {
      return assertion(rest, .assertionTimedOut)
    }
    if let rest = text.behind("Adding: <FBApplicationProcess: ") {
      return described(rest, .tracked)
    }
    guard let rest = text.behind("Application process state changed for ") else {
      return oldExit(text)
    }
    if let gone = bundled(rest, ": (null)", .gone) { return gone }
    guard let bundle = rest.cut(at: ": <")?.before, bundle.count <= LogTarget.idBytesMax else {
      return nil
    }
    var fact = LogFact(.applicationState)
    fact.bundle = name(bundle)
    fact.pid = rest.after("pid: ")?.pid ?? 0
    fact.text = name(Self.word(rest.after("taskState: ")))
    fact.other = name(Self.word(rest.after("visibility: ")))
    return fact
  }

  mutating func startingWithR(_ text: LogText) -> LogFact? {
    if let rest = text.behind("Received state update for ") { return stateUpdate(rest) }
    if let rest = text.behind("Removing assertions for terminated process: ") {
      return target(rest, .gone)
    }
    if text.starts("Received memory warning") { return LogFact(.memoryWarning) }
    if let rest = text.behind("Removing process: ") { return target(rest, .gone) }
    if let rest = text.behind("Removing: <FBApplicationProcess: ") { return described(rest, .gone) }
    if let rest = text.behind("Running task: <BG") { return wake(rest, .wake) }
    if let rest = text.behind("Received termination request from ") {
      return terminationRequest(rest)
    }
    return nil
  }

  /// `36996 (app<com.example.notes(EEC5E5EC-…)>, running-active-Visible`.
  mutating func stateUpdate(_ text: LogText) -> LogFact? {
    guard let pid = text.pid, let open = text.find(byte: 0x28), open < 16,
      let target = LogTarget(text.dropFirst(open + 1)), let words = target.rest.behind(", ")
    else { return nil }
    var end = 0
    while end < words.count,
      words[end] | 0x20 >= 0x61 && words[end] | 0x20 <= 0x7A || words[end] == 0x2D
    {
      end += 1
    }
    var state = words.prefix(end)
    var fact = LogFact(.stateUpdate)
    for visibility in ["-NotVisible", "-Visible"] as [StaticString] {
      guard let at = state.find(visibility) else { continue }
      fact.other = name(state.dropFirst(at + 1))
      state = state.prefix(at)
      break
    }
    guard !state.isEmpty else { return nil }
    fact.pid = pid
    fact.role = target.role
    fact.bundle = name(target.id)
    fact.text = name(state)
    return fact
  }

  /// `app<com.example.notes>: running-active (role: UserInteractive) …`.
  mutating func calculatedState(_ text: LogText) -> LogFact? {
    guard let target = LogTarget(text), let rest = target.rest.behind(": ") else { return nil }
    var fact = LogFact(.calculatedState)
    fact.role = target.role
    fact.bundle = name(target.id)
    fact.pid = target.pid
    fact.text = name(Self.word(rest))
    if let role = rest.after("(role: ") { fact.other = name(role.until(0x29)) }
    return fact
  }

  /// What runningboardd and SpringBoard say of the process in brackets before.
  mutating func recognizeTargeted(_ target: LogTarget) -> LogFact? {
    let rest = target.rest.trimmedLeft
    guard var fact = targetedWords(rest) else { return nil }
    fact.role = target.role
    fact.bundle = name(target.id)
    fact.pid = target.pid
    return fact
  }

  mutating func targetedWords(_ rest: LogText) -> LogFact? {
    guard rest.count > 4 else { return nil }
    switch rest[0] {
    case 0x52:  // R
      return rest.starts("Resuming task") ? LogFact(.resuming) : nil
    case 0x53:  // S
      if rest.starts("Suspending task") { return LogFact(.suspending) }
      if let state = rest.behind("Setting process task state to: ") {
        return worded(state.trimmed, .taskState)
      }
      if let priority =
        (rest.behind("Set jetsam priority to ")
        ?? rest.behind("Setting jetsam priority to "))?.integer
      {
        var fact = LogFact(.jetsamPriority)
        fact.a = priority
        return fact
      }
      if let role = rest.behind("Set darwin role to: ") {
        return worded(Self.word(role), .darwinRole)
      }
      if let visibility = rest.behind("Setting process visibility to: ") {
        return worded(visibility.trimmed, .visibility)
      }
      return nil
    case 0x42:  // B
      return rest.starts("Bootstrap success") || rest.starts("Bootstrap complete")
        ? LogFact(.bootstrap) : nil
    case 0x50:  // P
      if let exit = rest.behind("Process exited: ") { return exited(exit) }
      return rest.behind("Provision violated for watchdog ").map { violated($0) }
    case 0x46:  // F
      return rest.starts("Forcing crash report") ? beyondPermitted(rest) : nil
    case 0x44:  // D
      return rest.starts("Deleted launchd job with label: ") ? LogFact(.gone) : nil
    case 0x4D:  // M
      guard let active = rest.behind("Memory Limits: active ")?.integer else { return nil }
      var fact = LogFact(.memoryLimits)
      fact.a = active
      return fact
    case 0x45:  // E
      return rest.starts("Executing termination for reason") ? terminationForReason(rest) : nil
    case 0x49:  // I
      if rest.starts("Ignoring suspend because this process is not lifecycle managed") {
        return LogFact(.unmanaged)
      }
      return rest.behind("Initial launch assertion state: ").map {
        worded(Self.word($0), .workspace)
      }
    case 0x57:  // W
      return rest.behind("Workspace assertion state did change: ").map {
        worded(Self.word($0), .workspace)
      }
    case 0x54:  // T
      if rest.starts("This process will not be managed") { return LogFact(.unmanaged) }
      if let reason = rest.behind("Terminating because ") {
        var fact = LogFact(.terminating)
        fact.other = name(reason.prefix(200))
        return fact
      }
      guard rest.starts("Terminating with context") || rest.starts("Termination requested") else {
        return nil
      }
      return context(rest, .terminating)
    case 0x74:  // t
      if rest.starts("termination reported by proc_exit") { return LogFact(.exited) }
      return rest.behind("termination reported by launchd (").flatMap { launchdExit($0) }
    case 0x73, 0x77:  // s, w
      guard rest.starts("suspended with locked") || rest.starts("was suspended with locked") else {
        return nil
      }
      expects = .lockedFiles
      return lockedFile(rest)
    default: return nil
    }
  }

  mutating func lockedFile(_ text: LogText) -> LogFact {
    var fact = LogFact(.lockedFile)
    if let slash = text.find(": /") { fact.text = name(text.dropFirst(slash + 2).trimmed) }
    return fact
  }

  mutating func target(_ text: LogText, _ pattern: LogPattern) -> LogFact? {
    guard let target = LogTarget(text) else { return nil }
    var fact = LogFact(pattern)
    fact.role = target.role
    fact.bundle = name(target.id)
    fact.pid = target.pid
    return fact
  }
}
