// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// Lines that an app writes itself.
extension LogRecognizer {
  mutating func startingWithD(_ text: LogText) -> LogFact? {
    text.starts("Darwin Kernel Version ") ? LogFact(.boot) : deactivation(text)
  }

  /// Reads `Deactivation reason added: 12; deactivation reasons: 1 -> 4097; …`.
  func deactivation(_ text: LogText) -> LogFact? {
    let added = text.behind("Deactivation reason added: ")
    guard let rest = added ?? text.behind("Deactivation reason removed: "),
      let reason = rest.integer, let masks = rest.after("deactivation reasons: "),
      let before = masks.integer, let after = masks.after("-> ")?.integer
    else { return nil }
    var fact = LogFact(added == nil ? .deactivationRemoved : .deactivationAdded)
    fact.a = reason
    fact.b = before
    fact.c = after
    return fact
  }

  mutating func startingWithC(_ text: LogText) -> LogFact? {
    if text.starts("Created background task <_UIBackgroundTaskInfo") {
      return taskDescription(text, .taskCreated)
    }
    // UIKit numbers tasks one by one: which this is follows from those that are named.
    if text.starts("Created background task <private>") {
      var fact = LogFact(.taskCreated)
      fact.a = -1
      return fact
    }
    if let rest = text.behind("Calling expiration handler for task: ") {
      return taskDescription(rest, .taskExpiring)
    }
    if text.starts("Created new background assertion") { return LogFact(.assertionCreated) }
    if let rest = text.behind("Calculated state for ") { return calculatedState(rest) }
    if let rest = text.behind(
      "Can't end BackgroundTask: no background task exists with identifier "
    ) {
      return identified(rest.trimmedLeft, .taskUnknown)
    }
    if let rest = text.behind("Creating and launching job for: ") {
      guard var fact = target(rest, .launchRequest) else { return nil }
      fact.a = 1
      return fact
    }
    return nil
  }

  mutating func startingWithE(_ text: LogText) -> LogFact? {
    if let rest = text.behind("Ending background task with UIBackgroundTaskIdentifier: ") {
      return identified(rest, .taskEnding)
    }
    if let rest = text.behind("Ending task with identifier ") {
      return taskDescription(text, .taskEndingDescription)
        ?? identified(rest, .taskEndingDescription)
    }
    if let rest = text.behind("EXC_RESOURCE -> ") { return memoryLimit(rest) }
    if let rest = text.behind("Executing launch request for ") {
      return target(rest, .launchRequest)
    }
    return nil
  }

  /// A fact about the task whose id `text` begins with.
  private func identified(_ text: LogText, _ pattern: LogPattern) -> LogFact? {
    guard let id = text.integer else { return nil }
    var fact = LogFact(pattern)
    fact.a = id
    return fact
  }

  mutating func startingWithW(_ text: LogText) -> LogFact? {
    if text.starts("Will invalidate assertion: ") {
      var fact = LogFact(.assertionInvalidated)
      fact.a = text.after("task identifier: ")?.integer ?? -1
      return fact
    }
    guard
      let parts = text.behind("Will add backgroundTask with taskName: ")?
        .cut(at: ", expirationHandler: ")
    else { return nil }
    var fact = LogFact(.taskAdding)
    fact.text = name(parts.before)
    fact.a = parts.behind.starts("(null)") ? 0 : 1
    return fact
  }

  /// Reads `Background Task 5 ("Name"), was created over 30 seconds ago` and `… still not ended …`.
  mutating func startingWithB(_ text: LogText) -> LogFact? {
    if text.starts("Background task still not ended after expiration handlers were called") {
      return taskDescription(text, .taskNotEnded)
    }
    if let rest = text.behind("Bootstrapping ") {
      // By its bundle id, or, since iOS 18, as `app<org.example.notes>`.
      return target(rest, .launchRequest) ?? bundled(rest, " with ", .launchRequest)
    }
    guard let rest = text.behind("Background Task "), let id = rest.integer,
      let parts = rest.cut(at: "), was created over "), let named = parts.before.after("(")
    else { return nil }
    var fact = LogFact(.taskOld)
    fact.a = id
    fact.b = parts.behind.integer ?? 30
    let isQuoted = named.count >= 2 && named[0] == 0x22
    fact.text = name(isQuoted ? named.prefix(named.count - 1).dropFirst(1) : named)
    return fact
  }

  /// `taskID = 3, taskName = N, creationTime = 640139 (elapsed = 0)`.
  mutating func taskDescription(_ text: LogText, _ pattern: LogPattern)
    -> LogFact?
  {
    guard let rest = text.after("taskID = "), let id = rest.integer,
      let named = rest.after("taskName = ")
    else { return nil }
    var fact = LogFact(pattern)
    fact.a = id
    let end = named.find(", creationTime = ") ?? named.find(byte: 0x2C) ?? named.count
    fact.text = name(named.prefix(end))
    fact.b = named.dropFirst(end).after("elapsed = ")?.integer ?? 0
    return fact
  }

  mutating func diagnostics(_ text: LogText) -> LogFact? {
    guard text.starts("__delegate_identifier__:Performance Diagnostics__") else { return nil }
    var fact = LogFact(.diagnostics)
    fact.text = name(Self.json(text, "\"message\":\""))
    fact.other = name(Self.json(text, "\"antipattern trigger\":\""))
    return fact
  }

  /// The text value behind `key` of a JSON object on one line.
  static func json(_ text: LogText, _ key: StaticString) -> LogText {
    guard let value = text.after(key) else { return text.prefix(0) }
    var end = 0
    while end < value.count, value[end] != 0x22 { end += value[end] == 0x5C ? 2 : 1 }
    return value.prefix(end)
  }

  mutating func startingWithS(_ text: LogText) -> LogFact? {
    if text.starts("Snapshot request ") { return LogFact(.snapshot) }
    if text.starts("Sending UIEvent type: 0; subtype: 0;") { return LogFact(.touch) }
    if let rest = text.behind("Scene lifecycle state did change: ") {
      return worded(rest.trimmed, .scene)
    }
    if let rest = text.behind("Setting process visibility to: ") {
      return worded(rest.trimmed, .visibility)
    }
    if let rest = text.behind("SpringBoard ") { return recognizePlainTail(rest) }
    if let rest = text.behind("Submitted job with label: UIKitApplication:") {
      return bundled(rest, "[", .launchRequest)
    }
    if let rest = text.behind("Submitting new job for \"") {
      return bundled(rest, "\"", .launchRequest)
    }
    if let rest = text.behind("Starting task: <BG") { return wake(rest, .wake) }
    return nil
  }

  /// A fact about the bundle whose id stands before `end`.
  mutating func bundled(
    _ text: LogText,
    _ end: StaticString,
    _ pattern: LogPattern
  ) -> LogFact? {
    guard let id = text.prefix(LogTarget.idBytesMax).cut(at: end)?.before, !id.isEmpty,
      id.find(byte: 0x20) == nil
    else { return nil }
    var fact = LogFact(pattern)
    fact.bundle = name(id)
    return fact
  }

  /// `AppRefreshTask: com.example.notes.refresh>`: a task of BackgroundTasks.
  mutating func wake(_ text: LogText, _ pattern: LogPattern) -> LogFact? {
    guard let parts = text.prefix(300).cut(at: "Task: "), let end = parts.behind.find(byte: 0x3E)
    else { return nil }
    var fact = LogFact(pattern)
    fact.text = name(parts.behind.prefix(end))
    fact.other = name(parts.before)
    fact.a = parts.behind.after("with success: ")?.integer ?? 1
    return fact
  }

  mutating func startingWithMN(_ text: LogText) -> LogFact? {
    // The task of an app that has let go of it.
    if let rest = text.behind("Marking task (null) complete with success: ") {
      var fact = LogFact(.wakeDone)
      fact.a = rest.integer ?? 1
      return fact
    }
    if let rest = text.behind("Marking task <BG")
      ?? text.behind("Marking simulated task complete: <BG")
    {
      return wake(rest, .wakeDone)
    }
    if let rest = text.behind("Now tracking process: ") { return target(rest, .tracked) }
    if let rest = text.behind("Now tracking process <BKProcess: ") {
      return described(rest, .tracked)
    }
    return nil
  }

  /// A fact that one word, or a few, report.
  mutating func worded(_ words: LogText, _ pattern: LogPattern) -> LogFact {
    var fact = LogFact(pattern)
    fact.text = name(words)
    return fact
  }

  mutating func recognizePlainTail(_ text: LogText) -> LogFact? {
    guard text.count > 8, text[0] == 0x50 else { return nil }
    return startingWithP(text)
  }

  mutating func startingWithP(_ text: LogText) -> LogFact? {
    if text.starts("Performing snapshot request ") { return LogFact(.snapshot) }
    if let rest = text.behind("Process exited: ") { return exited(rest) }
    // ReportSystemMemory, some time after the kernel.
    guard let rest = text.behind("Process ")?.prefix(200),
      let parts = rest.cut(at: "] killed by jetsam reason "),
      let open = parts.before.find(byte: 0x5B)
    else { return nil }
    var fact = LogFact(.memoryKill)
    fact.pid = parts.before.dropFirst(open + 1).pid ?? 0
    setExecutable(parts.before.prefix(open).trimmed.prefix(64), &fact)
    fact.text = name(Self.word(parts.behind))
    return fact.pid == 0 ? nil : fact
  }
}
