// SPDX-License-Identifier: Apache-2.0
internal import Trace

/// Lines that an app writes itself.
extension ConsoleRecognizer {
  /// Reads `Deactivation reason added: 12; deactivation reasons: 1 -> 4097; …`.
  func deactivation(_ text: ConsoleText) -> ConsoleFact? {
    let added = text.starts("Deactivation reason added: ")
    guard added || text.starts("Deactivation reason removed: ") else { return nil }
    let rest = text.dropFirst(added ? 27 : 29)
    guard let reason = rest.integer, let masks = rest.after("deactivation reasons: "),
      let before = masks.integer, let after = masks.after("-> ")?.integer
    else { return nil }
    var fact = ConsoleFact(added ? .deactivationAdded : .deactivationRemoved)
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
    if text.starts("Calculated state for ") {
      return calculatedState(text.dropFirst(21))
    }
    if text.starts("Can't end BackgroundTask: no background task exists with identifier ") {
      guard let id = text.dropFirst(69).trimmedLeft.integer else { return nil }
      var fact = ConsoleFact(.taskUnknown)
      fact.a = id
      return fact
    }
    if text.starts("Creating and launching job for: ") {
      return target(text.dropFirst(32), .launchRequest)
    }
    return nil
  }

  mutating func startingWithE(_ text: ConsoleText) -> ConsoleFact? {
    if text.starts("Ending background task with UIBackgroundTaskIdentifier: ") {
      guard let id = text.dropFirst(56).integer else { return nil }
      var fact = ConsoleFact(.taskEnding)
      fact.a = id
      return fact
    }
    if text.starts("Ending task with identifier ") {
      return taskDescription(text, .taskEndingDescription)
    }
    if text.starts("Executing launch request for ") {
      return target(text.dropFirst(29), .launchRequest)
    }
    return nil
  }

  mutating func startingWithW(_ text: ConsoleText) -> ConsoleFact? {
    if text.starts("Will invalidate assertion: ") {
      var fact = ConsoleFact(.assertionInvalidated)
      fact.a = text.after("task identifier: ")?.integer ?? -1
      return fact
    }
    guard text.starts("Will add backgroundTask with taskName: ") else { return nil }
    let rest = text.dropFirst(39)
    guard let end = rest.find(", expirationHandler: ") else { return nil }
    var fact = ConsoleFact(.taskAdding)
    fact.text = name(rest.prefix(end))
    fact.a = rest.dropFirst(end + 21).starts("(null)") ? 0 : 1
    return fact
  }

  /// Reads `Background Task 5 ("Name"), was created over 30 seconds ago` and `… still not ended …`.
  mutating func oldTask(_ text: ConsoleText) -> ConsoleFact? {
    if text.starts("Background task still not ended after expiration handlers were called") {
      return taskDescription(text, .taskNotEnded)
    }
    guard text.starts("Background Task "), let id = text.dropFirst(16).integer,
      let end = text.find("\"), was created over "),
      let start = text.find("(\""), start + 2 <= end
    else { return nil }
    var fact = ConsoleFact(.taskOld)
    fact.a = id
    fact.b = text.dropFirst(end + 21).integer ?? 30
    fact.text = name(text.prefix(end).dropFirst(start + 2))
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
    if text.starts("Scene lifecycle state did change: ") {
      var fact = ConsoleFact(.scene)
      fact.text = name(text.dropFirst(34).trimmed)
      return fact
    }
    if text.starts("Setting process visibility to: ") {
      var fact = ConsoleFact(.visibility)
      fact.text = name(text.dropFirst(31).trimmed)
      return fact
    }
    if text.starts("SpringBoard ") { return recognizePlainTail(text.dropFirst(12)) }
    return nil
  }

  mutating func recognizePlainTail(_ text: ConsoleText) -> ConsoleFact? {
    guard text.count > 8, text[0] == 0x50 else { return nil }
    return startingWithP(text)
  }

  mutating func startingWithP(_ text: ConsoleText) -> ConsoleFact? {
    if text.starts("Performing snapshot request ") { return ConsoleFact(.snapshot) }
    guard text.starts("Process exited: ") else { return nil }
    return exited(text.dropFirst(16))
  }
}
