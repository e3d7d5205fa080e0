// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// Lines that an app writes itself.
extension ConsoleRecognizer {
  /// Reads `Deactivation reason added: 12; deactivation reasons: 1 -> 4097; …`.
  func deactivation(_ text: ConsoleText) -> ConsoleFact? {
    let added = text.behind("Deactivation reason added: ")
    guard let rest = added ?? text.behind("Deactivation reason removed: "),
      let reason = rest.integer, let masks = rest.after("deactivation reasons: "),
      let before = masks.integer, let after = masks.after("-> ")?.integer
    else { return nil }
    var fact = ConsoleFact(added == nil ? .deactivationRemoved : .deactivationAdded)
    fact.a = reason
    fact.b = before
    fact.c = after
    return fact
  }

  mutating func startingWithC(_ text: ConsoleText) -> ConsoleFact? {
    if text.starts("Created background task <_UIBackgroundTaskInfo") {
      return taskDescription(text, .taskCreated)
    }
    if text.starts("Created new background assertion") { return ConsoleFact(.assertionCreated) }
    if let rest = text.behind("Calculated state for ") { return calculatedState(rest) }
    if let rest = text.behind(
      "Can't end BackgroundTask: no background task exists with identifier "
    ) {
      return identified(rest.trimmedLeft, .taskUnknown)
    }
    if let rest = text.behind("Creating and launching job for: ") {
      return target(rest, .launchRequest)
    }
    return nil
  }

  mutating func startingWithE(_ text: ConsoleText) -> ConsoleFact? {
    if let rest = text.behind("Ending background task with UIBackgroundTaskIdentifier: ") {
      return identified(rest, .taskEnding)
    }
    if text.starts("Ending task with identifier ") {
      return taskDescription(text, .taskEndingDescription)
    }
    if let rest = text.behind("Executing launch request for ") {
      return target(rest, .launchRequest)
    }
    return nil
  }

  /// A fact about the task whose id `text` begins with.
  private func identified(_ text: ConsoleText, _ pattern: ConsolePattern) -> ConsoleFact? {
    guard let id = text.integer else { return nil }
    var fact = ConsoleFact(pattern)
    fact.a = id
    return fact
  }

  mutating func startingWithW(_ text: ConsoleText) -> ConsoleFact? {
    if text.starts("Will invalidate assertion: ") {
      var fact = ConsoleFact(.assertionInvalidated)
      fact.a = text.after("task identifier: ")?.integer ?? -1
      return fact
    }
    guard
      let parts = text.behind("Will add backgroundTask with taskName: ")?
        .cut(at: ", expirationHandler: ")
    else { return nil }
    var fact = ConsoleFact(.taskAdding)
    fact.text = name(parts.before)
    fact.a = parts.behind.starts("(null)") ? 0 : 1
    return fact
  }

  /// Reads `Background Task 5 ("Name"), was created over 30 seconds ago` and `… still not ended …`.
  mutating func oldTask(_ text: ConsoleText) -> ConsoleFact? {
    if text.starts("Background task still not ended after expiration handlers were called") {
      return taskDescription(text, .taskNotEnded)
    }
    guard let rest = text.behind("Background Task "), let id = rest.integer,
      let parts = rest.cut(at: "\"), was created over "), let named = parts.before.after("(\"")
    else { return nil }
    var fact = ConsoleFact(.taskOld)
    fact.a = id
    fact.b = parts.behind.integer ?? 30
    fact.text = name(named)
    return fact
  }

  /// `taskID = 3, taskName = N, creationTime = 640139 (elapsed = 0)`.
  mutating func taskDescription(_ text: ConsoleText, _ pattern: ConsolePattern)
    -> ConsoleFact?
  {
    guard let rest = text.after("taskID = "), let id = rest.integer,
      let named = rest.after("taskName = ")
    else { return nil }
    var fact = ConsoleFact(pattern)
    fact.a = id
    let end = named.find(", creationTime = ") ?? named.find(byte: 0x2C) ?? named.count
    fact.text = name(named.prefix(end))
    fact.b = named.dropFirst(end).after("elapsed = ")?.integer ?? 0
    return fact
  }

  mutating func diagnostics(_ text: ConsoleText) -> ConsoleFact? {
    guard text.starts("__delegate_identifier__:Performance Diagnostics__") else { return nil }
    var fact = ConsoleFact(.diagnostics)
    fact.text = name(Self.json(text, "\"message\":\""))
    fact.other = name(Self.json(text, "\"antipattern trigger\":\""))
    return fact
  }

  /// The text value behind `key` of a JSON object on one line.
  static func json(_ text: ConsoleText, _ key: StaticString) -> ConsoleText {
    guard let value = text.after(key) else { return text.prefix(0) }
    var end = 0
    while end < value.count, value[end] != 0x22 { end += value[end] == 0x5C ? 2 : 1 }
    return value.prefix(end)
  }

  mutating func startingWithS(_ text: ConsoleText) -> ConsoleFact? {
    if text.starts("Snapshot request ") { return ConsoleFact(.snapshot) }
    if text.starts("Sending UIEvent type: 0; subtype: 0;") { return ConsoleFact(.touch) }
    if let rest = text.behind("Scene lifecycle state did change: ") {
      return worded(rest.trimmed, .scene)
    }
    if let rest = text.behind("Setting process visibility to: ") {
      return worded(rest.trimmed, .visibility)
    }
    if let rest = text.behind("SpringBoard ") { return recognizePlainTail(rest) }
    return nil
  }

  /// A fact that one word, or a few, tell.
  mutating func worded(_ words: ConsoleText, _ pattern: ConsolePattern) -> ConsoleFact {
    var fact = ConsoleFact(pattern)
    fact.text = name(words)
    return fact
  }

  mutating func recognizePlainTail(_ text: ConsoleText) -> ConsoleFact? {
    guard text.count > 8, text[0] == 0x50 else { return nil }
    return startingWithP(text)
  }

  mutating func startingWithP(_ text: ConsoleText) -> ConsoleFact? {
    if text.starts("Performing snapshot request ") { return ConsoleFact(.snapshot) }
    guard let rest = text.behind("Process exited: ") else { return nil }
    return exited(rest)
  }
}
