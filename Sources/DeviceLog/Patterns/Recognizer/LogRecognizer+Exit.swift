// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// Lines that report how a process ends, and why.
extension LogRecognizer {
  /// `<FBApplicationProcess; app<com.example.notes>:747> -> <RBSProcessExitContext| …domain:jetsam(1) code:17`.
  mutating func exited(_ text: LogText) -> LogFact? {
    guard var fact = context(text, .exited) else { return nil }
    for word in Self.targetWords {
      guard let at = text.find(word), let target = LogTarget(text.dropFirst(at)) else {
        continue
      }
      fact.bundle = name(target.id)
      fact.pid = target.pid
      fact.role = target.role
      break
    }
    if fact.bundle == .empty { pidInDescription(text, &fact) }
    guard fact.text == .empty else { return fact }
    // In words: `<RBSProcessExitContext| voluntary>`, `<FBProcessExitContext; watchdog ("…")>`.
    if text.find("voluntary") != nil {
      fact.text = names.intern("exit")
    } else if text.find("; watchdog") != nil {
      fact.text = names.intern("frontboard")
      fact.b = 0x8bad_f00d
    } else if text.find("force-quit") != nil || text.find("user initiated quit") != nil {
      fact.text = names.intern("frontboard")
      fact.a = 10
      fact.other = names.intern("force-quit")
    }
    return fact
  }

  static let targetWords: [StaticString] = ["app<", "application<", "xpcservice<"]

  /// `Firing exit handlers for 354 with context <RBSProcessExitContext| …>`.
  private mutating func exitHandlers(_ text: LogText) -> LogFact? {
    guard let pid = text.pid, text.find("with context ") != nil, var fact = exited(text) else {
      return nil
    }
    fact.pid = pid
    return fact
  }

  /// `<FBApplicationProcess: 0x1394b57d0; Notes; pid: 4146>`, or with the bundle id behind the name.
  mutating func pidInDescription(_ text: LogText, _ fact: inout LogFact) {
    guard let pid = text.after("pid: ")?.pid else { return }
    fact.pid = pid
    guard let named = text.after("; "), let end = named.find(byte: 0x3B) else { return }
    let second = named.dropFirst(end + 1).trimmedLeft.until(0x3B)
    let isBundle = second.find(byte: 0x2E) != nil && second.find(byte: 0x20) == nil
    let id = isBundle ? second : named.prefix(end)
    setExecutable(id.prefix(LogTarget.idBytesMax), &fact)
  }

  /// `domain:jetsam(1) code:17`: the domain in `a`, the code in `b`, their words in the texts.
  mutating func context(_ text: LogText, _ pattern: LogPattern) -> LogFact? {
    var fact = LogFact(pattern)
    if let domain = text.after("domain:") {
      fact.text = name(domain.prefix(Self.wordLength(domain)))
      if let number = domain.prefix(32).after("(")?.integer ?? domain.integer { fact.a = number }
    }
    if let code = (text.after("domain:") ?? text).after("code:") {
      if let value = code.code {
        fact.b = Int64(bitPattern: value)
      } else {
        fact.other = name(code.prefix(Self.wordLength(code)))
        if let number = code.prefix(32).after("(")?.integer { fact.b = number }
      }
    }
    if let reason = text.after("explanation:") {
      let end = reason.find(" reportType:") ?? reason.find(byte: 0x3E) ?? reason.count
      fact.other = name(reason.prefix(min(end, 200)).trimmed)
    }
    let isEmpty = fact.text == .empty && fact.other == .empty && fact.b == 0
    return isEmpty && pattern != .exited ? nil : fact
  }

  // MARK: Requests

  /// `[osservice<com.apple.dasd>:76] on <RBSProcessPredicate …| app<com.example.notes>:293>> with context <…>`.
  mutating func terminationRequest(_ text: LogText) -> LogFact? {
    guard let parts = text.cut(at: " with context "), let asked = parts.before.cut(at: " on <"),
      var fact = context(parts.behind, .terminating),
      let target = Self.targetWords.lazy.compactMap({ word in
        asked.behind.find(word).flatMap { LogTarget(asked.behind.dropFirst($0)) }
      }).first
    else { return nil }
    fact.bundle = name(target.id)
    fact.pid = target.pid
    fact.role = target.role
    if let asker = LogTarget(asked.before) {
      let reason = names[fact.other]
      fact.other = names.intern("\(asker.id.string): \(reason.isEmpty ? "no reason" : reason)")
    }
    return fact
  }

  /// `… with request: <FBSProcessTerminationRequest: 0x1; label: "…"; exceptionCode: "… (0x8BADF00D)"; explanation: "…">`.
  mutating func terminationForReason(_ text: LogText) -> LogFact? {
    var fact = LogFact(.terminating)
    let label = text.after("label: \"")?.until(0x22)
    if let code = text.after("exceptionCode: \"")?.until(0x22).after("(0x") {
      fact.b = Int64(bitPattern: code.until(0x29).hexadecimal ?? 0)
    }
    if let label, label.find("user") != nil, label.find("quit") != nil {
      (fact.a, fact.other) = (10, names.intern("force-quit"))
    } else if let reason = text.after("explanation: \"")?.until(0x22) ?? label {
      fact.other = name(reason.prefix(200))
    }
    return fact.b == 0 && fact.other == .empty ? nil : fact
  }

  /// `process-launch: <FBSProcessResourceProvision: …; type: realTime; timeValue: 20.0s>; violated: YES>`.
  mutating func violated(_ text: LogText) -> LogFact {
    var fact = LogFact(.violated)
    fact.text = name(text.until(0x3A).prefix(64))
    fact.a = text.after("timeValue: ")?.seconds ?? 0
    return fact
  }

  /// A task that assertiond, before iOS 13, found to be held for too long, in both its forms.
  ///
  ///     <BKNewProcess: 0x…; com.example.notes; pid: 1526; hostpid: -1> has active assertions beyond permitted time:
  ///     [Notes:1526] Forcing crash report with description: Notes:1526 has active assertions beyond permitted time:
  mutating func beyondPermitted(_ text: LogText) -> LogFact? {
    guard text.find("has active assertions beyond permitted time") != nil else { return nil }
    var fact = LogFact(.beyondPermitted)
    pidInDescription(text, &fact)
    permittedTime(text, &fact)
    expects = .permittedTime
    return fact
  }

  /// Reads `permittedBackgroundDuration: 180.000000`, or `(finishTask:180s)`, and the name of the assertion.
  mutating func permittedTime(_ text: LogText, _ fact: inout LogFact) {
    if let duration = (text.after("permittedBackgroundDuration: ") ?? text.after("(finishTask:"))?
      .seconds
    {
      fact.a = duration
    }
    if let quoted = text.after("<BKProcessAssertion: ")?.after("; \"") {
      fact.text = name(quoted.until(0x22))
      return
    }
    guard let named = text.after(" name: ") ?? text.after(" identifier: ") else { return }
    fact.text = name(named.prefix(named.find(" process: ") ?? named.count))
  }

  // MARK: launchd

  /// `2, 9, 9)`: the domain, the code, and how the process ended as `wait` reports it.
  mutating func launchdExit(_ text: LogText) -> LogFact? {
    guard let domain = text.integer, let second = text.after(", "), let code = second.integer,
      let status = second.after(", ")?.integer
    else { return nil }
    var fact = LogFact(.exited)
    let signal = status & 0x7F
    switch domain {
    case 0 where signal != 0: (fact.a, fact.b) = (2, signal)
    case 0: (fact.a, fact.b) = (0, status >> 8 & 0xFF)
    default: (fact.a, fact.b) = (domain, code)
    }
    switch fact.a {
    case 0: fact.text = names.intern("exit")
    case 1: fact.text = names.intern("jetsam")
    case 2: fact.text = names.intern("signal")
    case 6: fact.text = names.intern("dyld")
    case 10: fact.text = names.intern("frontboard")
    case 15: fact.text = names.intern("runningboard")
    default: fact.text = names.intern("domain \(fact.a)")
    }
    return fact
  }

  /// `com.example.notes[0x76c5][13309]` and `Service exited due to signal: Killed: 9 sent by …`.
  mutating func launchdExit(_ label: LogText, _ text: LogText) -> LogFact? {
    guard let words = text.prefix(200).after("xited"), let end = label.find(byte: 0x5B), end > 0
    else { return nil }
    var fact = LogFact(.exited)
    fact.bundle = name(label.prefix(min(end, LogTarget.idBytesMax)))
    // Behind the hash stands the submitter of the job; the process itself comes third.
    if let third = label.dropFirst(end).after("][")?.after("][") { fact.pid = third.pid ?? 0 }
    exitWords(words, &fact)
    return fact
  }

  /// `Application 'UIKitApplication:com.example.notes[0x57b0]' exited abnormally with signal 9: Killed: 9`.
  mutating func oldExit(_ text: LogText) -> LogFact? {
    guard let quoted = text.behind("Application ")?.prefix(400) else { return nil }
    let isKilled = quoted.find("was killed by jetsam") != nil
    let hasCrashed = quoted.find(" crashed.") != nil
    guard isKilled || hasCrashed || quoted.find(" exited") != nil else { return nil }
    // The quotes are straight or round.
    let label = quoted.after("UIKitApplication:") ?? quoted.dropFirst(quoted[0] < 0x80 ? 1 : 3)
    var end = 0
    while end < label.count, label[end] != 0x5B, label[end] != 0x27, label[end] < 0x80 { end += 1 }
    guard end > 0, end < label.count else { return nil }
    var fact = LogFact(.exited)
    setExecutable(label.prefix(end), &fact)
    if isKilled {
      (fact.a, fact.text) = (1, names.intern("jetsam"))
    } else if hasCrashed {
      fact.text = names.intern("crash")
    } else if let words = label.after(" exited") {
      exitWords(words, &fact)
    }
    return fact
  }

  /// `due to signal: Killed: 9`, `abnormally with signal 9`, `due to SIGKILL`, `voluntarily`.
  private mutating func exitWords(_ text: LogText, _ fact: inout LogFact) {
    if let words = text.after("signal") ?? text.after("bnormally") ?? text.behind(": ") {
      var rest = words
      while rest.count > 0, rest[0] &- 0x30 > 9 { rest = rest.dropFirst(1) }
      if let signal = rest.integer, (1...31).contains(signal) {
        (fact.a, fact.b, fact.text) = (2, signal, names.intern("signal"))
      }
    } else if text.find("SIGKILL") != nil {
      (fact.a, fact.b, fact.text) = (2, 9, names.intern("signal"))
    } else if text.find("SIGTERM") != nil {
      (fact.a, fact.b, fact.text) = (2, 15, names.intern("signal"))
    } else if text.find("oluntarily") != nil {
      fact.text = names.intern("exit")
    }
  }

  // MARK: Memory and crashes

  /// The kernel's word when memory is short, in its forms.
  ///
  ///     memorystatus: killing_specific_process pid 1879 [Tunnel] (per-process-limit 100) 51200KB
  ///     memorystatus: killing process 4411 [Notes] in high band FOREGROUND (100)
  ///     memorystatus: killing largest compressed process Notes [4411] 1769 MB
  ///     memorystatus: Tunnel [1879] exceeded mem limit: ActiveHard 50 MB (fatal)
  mutating func kernel(_ text: LogText) -> LogFact? {
    var rest = text
    rest = rest.behind("kernel: ") ?? rest
    rest = (rest.behind("memorystatus: ") ?? rest).prefix(200)
    if let largest = rest.behind("killing largest compressed process ") {
      guard let open = largest.find(byte: 0x5B), let pid = largest.dropFirst(open + 1).pid else {
        return nil
      }
      var fact = LogFact(.memoryKill)
      fact.pid = pid
      setExecutable(largest.prefix(open).trimmed.prefix(64), &fact)
      return fact
    }
    let plain = rest.behind("killing process ")
    guard plain != nil || rest.starts("killing_") || rest.starts("killing ") else {
      return rest.count < text.count ? memoryLimit(rest) : nil
    }
    guard let words = plain ?? rest.after("pid "), let pid = words.pid else { return nil }
    var fact = LogFact(.memoryKill)
    fact.pid = pid
    if let open = words.find(byte: 0x5B) {
      setExecutable(words.dropFirst(open + 1).until(0x5D).prefix(64), &fact)
    }
    // In the plain form the priority stands there.
    if plain == nil, let open = words.find(byte: 0x28) {
      fact.text = name(words.dropFirst(open + 1).until(0x29).until(0x20).prefix(64))
    }
    return fact
  }

  /// `Tunnel [1879] exceeded mem limit: ActiveHard 50 MB (fatal)`.
  mutating func memoryLimit(_ text: LogText) -> LogFact? {
    guard let parts = text.prefix(200).cut(at: "] exceeded mem limit: "),
      let open = parts.before.find(byte: 0x5B), let pid = parts.before.dropFirst(open + 1).pid
    else { return nil }
    var fact = LogFact(.memoryLimit)
    fact.pid = pid
    setExecutable(parts.before.prefix(open).trimmed.prefix(64), &fact)
    fact.text = name(parts.behind.trimmed)
    fact.a = parts.behind.find("(fatal)") == nil ? 0 : 1
    return fact
  }

  mutating func startingWithF(_ text: LogText) -> LogFact? {
    if let rest = text.behind("Firing exit handlers for ") { return exitHandlers(rest) }
    if text.starts("Firing background task expiration handlers") {
      return LogFact(.tasksExpiring)
    }
    guard let rest = text.behind("Formulating ") else { return forcedCrash(text) }
    // `fatal 309 report for corpse[19035] Notes`, and older `report for corpse[19035] Notes` and
    // `crash report for process Notes[19035]`.
    let anyReport = rest.behind("fatal ")?.after(" report for corpse[")
    if let corpse = anyReport ?? rest.behind("report for corpse["), let pid = corpse.pid,
      let named = corpse.after("] ")
    {
      return crashed(pid, named)
    }
    guard let named = rest.behind("crash report for process "), let open = named.find(byte: 0x5B),
      let pid = named.dropFirst(open + 1).pid
    else { return nil }
    return crashed(pid, named.prefix(open))
  }

  private mutating func crashed(_ pid: UInt32, _ named: LogText) -> LogFact {
    var fact = LogFact(.crashed)
    fact.pid = pid
    setExecutable(named.trimmed.prefix(64), &fact)
    return fact
  }

  /// Reads `Forcing crash report of <FBApplicationProcess: 0x…; Notes; pid: 4146> (description: …`.
  private mutating func forcedCrash(_ text: LogText) -> LogFact? {
    guard text.starts("Forcing crash report of <"), text.find("with locked system files") != nil
    else { return nil }
    expects = .lockedFiles
    var fact = lockedFile(text)
    pidInDescription(text, &fact)
    return fact
  }
}
