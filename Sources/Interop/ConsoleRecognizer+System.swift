// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// Lines of daemons about a process.
extension ConsoleRecognizer {
  mutating func startingWithA(_ text: ConsoleText) -> ConsoleFact? {
    if text.starts("App transitioned to background, suspending HangTracing") {
      return ConsoleFact(.hangTracing)
    }
    if let rest = text.behind("App with bundleID:") {
      var fact = ConsoleFact(.bundle)
      fact.bundle = name(rest.until(0x20))
      return fact
    }
    if let rest = text.behind("Assertions for process will expire soon: ") {
      return target(rest, .expireSoon)
    }
    guard let rest = text.behind("Application process state changed for "),
      let bundle = rest.cut(at: ": <")?.before, bundle.count <= ConsoleTarget.idBytesMax
    else { return nil }
    var fact = ConsoleFact(.applicationState)
    fact.bundle = name(bundle)
    fact.pid = rest.after("pid: ")?.pid ?? 0
    fact.text = name(Self.word(rest.after("taskState: ")))
    fact.other = name(Self.word(rest.after("visibility: ")))
    return fact
  }

  mutating func startingWithR(_ text: ConsoleText) -> ConsoleFact? {
    if let rest = text.behind("Received state update for ") { return stateUpdate(rest) }
    if let rest = text.behind("Removing assertions for terminated process: ") {
      return target(rest, .gone)
    }
    if text.starts("Received memory warning") { return ConsoleFact(.memoryWarning) }
    return nil
  }

  /// `36996 (app<com.example.notes(EEC5E5EC-…)>, running-active-Visible`.
  mutating func stateUpdate(_ text: ConsoleText) -> ConsoleFact? {
    guard let pid = text.pid, let open = text.find(byte: 0x28), open < 16,
      let target = ConsoleTarget(text.dropFirst(open + 1)), let words = target.rest.behind(", ")
    else { return nil }
    var end = 0
    while end < words.count,
      words[end] | 0x20 >= 0x61 && words[end] | 0x20 <= 0x7A || words[end] == 0x2D
    {
      end += 1
    }
    var state = words.prefix(end)
    var fact = ConsoleFact(.stateUpdate)
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
  mutating func calculatedState(_ text: ConsoleText) -> ConsoleFact? {
    guard let target = ConsoleTarget(text), let rest = target.rest.behind(": ") else { return nil }
    var fact = ConsoleFact(.calculatedState)
    fact.role = target.role
    fact.bundle = name(target.id)
    fact.pid = target.pid
    fact.text = name(Self.word(rest))
    if let role = rest.after("(role: ") { fact.other = name(role.until(0x29)) }
    return fact
  }

  /// What runningboardd and SpringBoard say of the process in brackets before.
  mutating func recognizeTargeted(_ target: ConsoleTarget) -> ConsoleFact? {
    let rest = target.rest.trimmedLeft
    guard var fact = targetedWords(rest) else { return nil }
    fact.role = target.role
    fact.bundle = name(target.id)
    fact.pid = target.pid
    return fact
  }

  mutating func targetedWords(_ rest: ConsoleText) -> ConsoleFact? {
    guard rest.count > 4 else { return nil }
    switch rest[0] {
    case 0x52:  // R
      return rest.starts("Resuming task") ? ConsoleFact(.resuming) : nil
    case 0x53:  // S
      if rest.starts("Suspending task") { return ConsoleFact(.suspending) }
      if let priority = rest.behind("Set jetsam priority to ")?.integer {
        var fact = ConsoleFact(.jetsamPriority)
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
      return rest.starts("Bootstrap success") ? ConsoleFact(.bootstrap) : nil
    case 0x50:  // P
      return rest.behind("Process exited: ").flatMap { exited($0) }
    case 0x54:  // T
      guard rest.starts("Terminating with context") || rest.starts("Termination requested") else {
        return nil
      }
      return context(rest, .terminating)
    case 0x74:  // t
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

  /// `com.example.notes:123` in brackets, as older systems write.
  mutating func recognizeColonPid(_ group: ConsoleText, _ rest: ConsoleText)
    -> ConsoleFact?
  {
    guard let colon = group.find(byte: 0x3A), colon > 0, colon <= ConsoleTarget.idBytesMax,
      let pid = group.dropFirst(colon + 1).pid, group.prefix(colon).find(byte: 0x2E) != nil,
      var fact = targetedWords(rest)
    else { return nil }
    fact.bundle = name(group.prefix(colon))
    fact.pid = pid
    return fact
  }

  /// `<FBApplicationProcess; app<com.example.notes>:747> -> <RBSProcessExitContext| …domain:jetsam(1) code:17`.
  mutating func exited(_ text: ConsoleText) -> ConsoleFact? {
    guard var fact = context(text, .exited) else { return nil }
    for word in ["app<", "application<", "xpcservice<"] as [StaticString] {
      guard let at = text.find(word), let target = ConsoleTarget(text.dropFirst(at)) else {
        continue
      }
      fact.bundle = name(target.id)
      fact.pid = target.pid
      fact.role = target.role
      break
    }
    if fact.bundle == .empty { pidInDescription(text, &fact) }
    return fact
  }

  /// `<FBApplicationProcess: 0x1394b57d0; Notes; pid: 4146>`.
  mutating func pidInDescription(_ text: ConsoleText, _ fact: inout ConsoleFact) {
    guard let pid = text.after("pid: ")?.pid else { return }
    fact.pid = pid
    guard let named = text.after("; "), let end = named.find(byte: 0x3B) else { return }
    fact.bundle = name(named.prefix(min(end, ConsoleTarget.idBytesMax)))
  }

  /// `domain:jetsam(1) code:17`: the domain in `a`, the code in `b`, their words in the texts.
  mutating func context(_ text: ConsoleText, _ pattern: ConsolePattern) -> ConsoleFact? {
    var fact = ConsoleFact(pattern)
    guard let domain = text.after("domain:") else { return pattern == .exited ? fact : nil }
    fact.text = name(domain.prefix(Self.wordLength(domain)))
    if let number = domain.prefix(32).after("(")?.integer ?? domain.integer { fact.a = number }
    guard let code = domain.after("code:") else { return fact }
    if let value = code.code {
      fact.b = Int64(bitPattern: value)
    } else {
      fact.other = name(code.prefix(Self.wordLength(code)))
      if let number = code.prefix(32).after("(")?.integer { fact.b = number }
    }
    if let reason = text.after("explanation:") {
      fact.other = name(reason.until(0x3E).prefix(200))
    }
    return fact
  }

  mutating func lockedFile(_ text: ConsoleText) -> ConsoleFact {
    var fact = ConsoleFact(.lockedFile)
    if let slash = text.find(": /") { fact.text = name(text.dropFirst(slash + 2).trimmed) }
    return fact
  }

  /// Reads `Forcing crash report of <FBApplicationProcess: 0x…; Notes; pid: 4146> (description: …`.
  mutating func forcedCrash(_ text: ConsoleText) -> ConsoleFact? {
    guard text.starts("Forcing crash report of <"), text.find("with locked system files") != nil
    else { return nil }
    expects = .lockedFiles
    var fact = lockedFile(text)
    pidInDescription(text, &fact)
    return fact
  }

  /// `<BKNewProcess: 0x…; com.example.notes; pid: 1526; hostpid: -1> has active assertions beyond permitted time`.
  mutating func beyondPermitted(_ text: ConsoleText) -> ConsoleFact? {
    guard text.find("has active assertions beyond permitted time") != nil else { return nil }
    var fact = ConsoleFact(.beyondPermitted)
    pidInDescription(text, &fact)
    permittedTime(text, &fact)
    expects = .permittedTime
    return fact
  }

  /// Reads `permittedBackgroundDuration: 180.000000` and the name of the assertion.
  mutating func permittedTime(_ text: ConsoleText, _ fact: inout ConsoleFact) {
    if let duration = text.after("permittedBackgroundDuration: ")?.seconds { fact.a = duration }
    guard let named = text.after(" name: ") ?? text.after(" identifier: ") else { return }
    fact.text = name(named.prefix(named.find(" process: ") ?? named.count))
  }

  /// `2, 9, 9)`: the domain, the code, and how the process ended as `wait` tells it.
  mutating func launchdExit(_ text: ConsoleText) -> ConsoleFact? {
    guard let domain = text.integer, let second = text.after(", "), let code = second.integer,
      let status = second.after(", ")?.integer
    else { return nil }
    var fact = ConsoleFact(.exited)
    let signal = status & 0x7F
    switch domain {
    case 0 where signal != 0: (fact.a, fact.b) = (2, signal)
    case 0: (fact.a, fact.b) = (0, status >> 8 & 0xFF)
    default: (fact.a, fact.b) = (domain, code)
    }
    switch fact.a {
    case 0: break
    case 1: fact.text = names.intern("jetsam")
    case 2: fact.text = names.intern("signal")
    case 6: fact.text = names.intern("dyld")
    case 10: fact.text = names.intern("frontboard")
    case 15: fact.text = names.intern("runningboard")
    default: fact.text = names.intern("domain \(fact.a)")
    }
    return fact
  }

  /// The kernel's word when memory is short, in its two forms.
  ///
  ///     memorystatus: killing_specific_process pid 1879 [Tunnel] (per-process-limit 100) 51200KB
  ///     memorystatus: killing process 4411 [Notes] in high band FOREGROUND (100)
  mutating func kernel(_ text: ConsoleText) -> ConsoleFact? {
    var rest = text
    rest = rest.behind("kernel: ") ?? rest
    rest = (rest.behind("memorystatus: ") ?? rest).prefix(200)
    let plain = rest.behind("killing process ")
    guard plain != nil || rest.starts("killing_") || rest.starts("killing "),
      let words = plain ?? rest.after("pid "), let pid = words.pid
    else { return nil }
    var fact = ConsoleFact(.memoryKill)
    fact.pid = pid
    if let open = words.find(byte: 0x5B) {
      fact.bundle = name(words.dropFirst(open + 1).until(0x5D).prefix(64))
    }
    // In the plain form the priority stands there.
    if plain == nil, let open = words.find(byte: 0x28) {
      fact.text = name(words.dropFirst(open + 1).until(0x29).until(0x20).prefix(64))
    }
    return fact
  }

  mutating func target(_ text: ConsoleText, _ pattern: ConsolePattern) -> ConsoleFact? {
    guard let target = ConsoleTarget(text) else { return nil }
    var fact = ConsoleFact(pattern)
    fact.role = target.role
    fact.bundle = name(target.id)
    fact.pid = target.pid
    return fact
  }

  /// `com.example.notes-1B8F959F-618F-4A0D-AD89-E09DEC0EAB34]`: only a process of that app says it.
  mutating func sceneBundle(_ text: ConsoleText) -> ConsoleFact? {
    let id = text.until(0x5D)
    var end = id.count
    if end > 37, id[end - 37] == 0x2D { end -= 37 }
    if let space = id.prefix(end).find("-default") { end = space }
    guard end > 0, end <= ConsoleTarget.idBytesMax else { return nil }
    var fact = ConsoleFact(.bundle)
    fact.bundle = name(id.prefix(end))
    return fact
  }
}
