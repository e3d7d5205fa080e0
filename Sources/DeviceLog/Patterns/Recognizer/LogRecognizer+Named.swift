// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// Lines that name a process in other ways than runningboardd does.
extension LogRecognizer {
  /// What a group in brackets says of the process: its bundle or executable, with or without a pid.
  ///
  ///     [com.example.notes:123] Setting jetsam priority to 10        assertiond
  ///     [Notes:123] Setting jetsam priority to 10                    assertiond
  ///     [com.example.notes] Provision violated for watchdog …        SpringBoard
  ///     [com.example.notes] com.example.notes application state changed to …
  mutating func recognizeNamed(_ group: LogText, _ rest: LogText) -> LogFact? {
    guard rest.count > 4, group.count <= LogTarget.idBytesMax else { return nil }
    if let colon = group.find(byte: 0x3A) {
      guard colon > 0, let pid = group.dropFirst(colon + 1).pid, var fact = targetedWords(rest)
      else { return nil }
      setExecutable(group.prefix(colon), &fact)
      fact.pid = pid
      return fact
    }
    guard group.find(byte: 0x2E) != nil, group.find(byte: 0x20) == nil else { return nil }
    if rest.count > group.count,
      let state = rest.dropFirst(group.count).behind(" application state changed to ")
    {
      guard var fact = reportedState(state) else { return nil }
      fact.bundle = name(group)
      return fact
    }
    guard var fact = targetedWords(rest) else { return nil }
    fact.bundle = name(group)
    fact.role = .app
    return fact
  }

  /// The name of an executable, or a bundle id, which has a dot.
  mutating func setExecutable(_ text: LogText, _ fact: inout LogFact) {
    fact.bundle = name(text)
    fact.role = text.find(byte: 0x2E) == nil ? .executable : .app
  }

  /// A description: `0x…; Notes; com.example.notes; pid: 893; …`, `0x…; Notes (com.example.notes); pid: 893>`
  /// or `0x…; app<com.example.notes>:893(v840F0)>`.
  mutating func described(_ text: LogText, _ pattern: LogPattern) -> LogFact? {
    guard let words = text.prefix(400).after("; ") else { return nil }
    if let target = LogTarget(words) {
      var fact = LogFact(pattern)
      fact.role = target.role
      fact.bundle = name(target.id)
      fact.pid = target.pid
      return fact
    }
    guard let parts = words.cut(at: "; pid: "), let pid = parts.behind.pid else { return nil }
    var id = parts.before
    if let second = id.after("; ") {
      id = second
    } else if let inner = id.after("(") {
      id = inner.until(0x29)
    }
    guard !id.isEmpty, id.find(byte: 0x2E) != nil, id.count <= LogTarget.idBytesMax else {
      return nil
    }
    var fact = LogFact(pattern)
    fact.bundle = name(id)
    fact.pid = pid
    return fact
  }

  /// A line about a scene; `id` begins with that of the app.
  mutating func sceneLine(_ message: LogText, _ id: LogText) -> LogFact? {
    guard let close = id.find(byte: 0x5D), var fact = sceneBundle(id) else { return nil }
    let rest = id.dropFirst(close + 1)
    if let state = rest.behind(" Scene lifecycle state did change: ") {
      let bundle = fact.bundle
      fact = worded(state.trimmed, .scene)
      fact.bundle = bundle
      return fact
    }
    if let mode = rest.behind(" Scene activity mode did change: ") {
      return sceneWord(mode.until(0x2E).trimmed, .sceneMode, fact)
    }
    if let action = rest.behind(" Sending scene action [") {
      var sent = sceneWord(action.until(0x5D), .sceneAction, fact)
      sent.a = action.after("(watchdog: ")?.seconds ?? 0
      return sent
    }
    if let action = rest.behind(" Scene action [") {
      guard let result = action.after(" completed with success: ")?.integer else { return nil }
      var done = sceneWord(action.until(0x5D), .sceneActionDone, fact)
      done.a = result
      return done
    }
    return message.starts("[(FBSceneManager):sceneID:") ? fact : nil
  }

  /// A fact about the app of `scene` that a word reports.
  private mutating func sceneWord(
    _ word: LogText,
    _ pattern: LogPattern,
    _ scene: LogFact
  ) -> LogFact {
    var fact = worded(word, pattern)
    fact.bundle = scene.bundle
    return fact
  }

  /// `Invalidating assertion 33-1621-6133 (target:[app<com.example.notes>:1621]) from originator …`.
  mutating func startingWithI(_ text: LogText) -> LogFact? {
    if let rest = text.behind("Invalidating assertion ") {
      return assertion(rest, .assertionDropped)
    }
    return identity(text)
  }

  /// `33-1621-6133 (target:[app<com.example.notes>:1621])`: an assertion of runningboardd's.
  mutating func assertion(_ text: LogText, _ pattern: LogPattern) -> LogFact? {
    guard let parts = text.prefix(600).cut(at: " (target:"), parts.before.count < 64,
      var fact = target(parts.behind, pattern)
    else { return nil }
    fact.text = name(parts.before)
    return fact
  }

  /// `[app<com.example.notes>:1621] from originator [app<…>:1621] with description
  /// <RBSAssertionDescriptor| "Shared Background Assertion 1 for com.example.notes" ID:33-1621-6133 …`:
  /// the app holds itself awake by a background task.
  mutating func assertionTaken(_ text: LogText) -> LogFact? {
    guard
      let rest = text.prefix(900).after("<RBSAssertionDescriptor| \"Shared Background Assertion "),
      let id = rest.after("\" ID:"), var fact = target(text, .assertionTaken)
    else { return nil }
    fact.text = name(id.until(0x20))
    return fact
  }

  /// `Identity resolved as app<com.example.notes(EEC5E5EC-…)>`: what a process learns of itself.
  mutating func identity(_ text: LogText) -> LogFact? {
    guard let rest = text.behind("Identity resolved as "), let target = LogTarget(rest),
      target.role == .app
    else { return nil }
    var fact = LogFact(.bundle)
    fact.bundle = name(target.id)
    return fact
  }

  /// `com.example.notes-1B8F959F-618F-4A0D-AD89-E09DEC0EAB34]`: only a process of that app says it.
  mutating func sceneBundle(_ text: LogText) -> LogFact? {
    let id = text.until(0x5D).until(0x20)
    var end = id.count
    if end > 37, id[end - 37] == 0x2D { end -= 37 }
    if let space = id.prefix(end).find("-default") { end = space }
    guard end > 0, end <= LogTarget.idBytesMax else { return nil }
    var fact = LogFact(.bundle)
    fact.bundle = name(id.prefix(end))
    return fact
  }

  // MARK: Other daemons' words for a state

  /// `{"msg":"… Application State Change Notification", "notification":"BackgroundTaskSuspended", "pid":5560, "bundleId":"…"}`.
  mutating func locationState(_ text: LogText) -> LogFact? {
    guard let rest = text.behind("{\"msg\":\""),
      rest.prefix(96).find("tate Change Notification") != nil
        || rest.starts("#CLIUA AppMonitor notification"),
      let state = rest.jsonString("\"notification\""), let id = rest.jsonString("\"bundleId\""),
      var fact = reportedState(state), !id.isEmpty
    else { return nil }
    fact.bundle = name(id.prefix(LogTarget.idBytesMax))
    fact.pid = rest.jsonValue("\"pid\"")?.pid ?? 0
    return fact
  }

  /// `-CMSessionMgr- …: Client com.example.notes with pid '897' is now Background Running. …`.
  mutating func audioState(_ text: LogText) -> LogFact? {
    guard text.starts("-CMSessionMgr- "), let rest = text.prefix(400).after("Client "),
      let parts = rest.cut(at: " with pid '"), let pid = parts.behind.pid,
      let state = parts.behind.after("' is now "), var fact = reportedState(state.until(0x2E))
    else { return nil }
    fact.bundle = name(parts.before)
    fact.pid = pid
    return fact
  }

  /// `897 com.example.notes: ForegroundRunning (most elevated: …)`, or a kernel's line with its time.
  mutating func startingWithDigit(_ text: LogText) -> LogFact? {
    guard text[1] != 0x78 else { return nil }
    let head = text.prefix(200)
    if let at = head.prefix(40).find(" memorystatus: ") { return kernel(text.dropFirst(at + 1)) }
    guard let parts = head.cut(at: " (most elevated: "), let pid = head.pid,
      let blank = parts.before.find(byte: 0x20),
      let named = parts.before.dropFirst(blank + 1).cut(at: ": "),
      var fact = reportedState(named.behind)
    else { return nil }
    fact.bundle = name(named.before)
    fact.pid = pid
    return fact
  }

  /// `ForegroundRunning`, `Background Task Suspended`, `<RBSProcessState| task:running-active …`:
  /// in runningboardd's words, the state in the text and the visibility behind it.
  private mutating func reportedState(_ text: LogText) -> LogFact? {
    var fact = LogFact(.reported)
    if let task = text.behind("<RBSProcessState| task:") {
      fact.text = name(Self.word(task))
      return fact
    }
    let isBackground = text.starts("Background")
    if text.starts("Foreground") {
      fact.text = names.intern("running-active")
      fact.other = names.intern("Visible")
    } else if isBackground, text.find("Running") != nil {
      fact.text = names.intern("running-active")
      fact.other = names.intern("NotVisible")
    } else if isBackground, text.find("Suspended") != nil {
      fact.text = names.intern("running-suspended")
      fact.other = names.intern("NotVisible")
    } else if text.starts("Terminated") {
      fact.text = names.intern("none")
    } else {
      return nil
    }
    return fact
  }
}
