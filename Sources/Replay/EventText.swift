// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// An event in words, without its time and writer.
///
///     EventText.sentence(event, names)      // "draft.txt version 3, 1,204 bytes, in memory only"
package enum EventText {
  /// What happened, on one line.
  ///
  /// Text from the recording is made printable.
  package static func sentence(_ event: Event, _ names: Names) -> String {
    Printable.line(known(event, names) ?? generic(event, names))
  }

  /// The dotted name of the kind; a number for one this version does not know.
  ///
  /// A recording of a later version may describe its own kinds; `names` knows those.
  package static func kind(_ kind: EventKind, _ names: Names) -> String {
    names.info(of: kind)?.name ?? KindInfo.unknownName(kind)
  }

  /// `Editor.swift:41`, or nothing.
  package static func source(_ site: SiteID, _ names: Names) -> String {
    let site = names[site]
    guard site.file != .empty else { return "" }
    let file = names[site.file].split(separator: "/").last.map(String.init) ?? names[site.file]
    return Printable.line(site.line == 0 ? file : "\(file):\(site.line)")
  }

  private static func known(_ event: Event, _ names: Names) -> String? {
    let name = names[names[event.site].name]
    let subject = names[event.identityName]
    func argument(_ index: Int) -> String {
      names[NameID(rawValue: UInt32(truncatingIfNeeded: event[index]))]
    }
    func because(_ index: Int) -> String {
      let cause = argument(index)
      return cause.isEmpty ? "" : " (\(cause))"
    }
    switch event.kind {
    case .processStart:
      let version = argument(2)
      return "launched\(because(0))" + (version.isEmpty ? "" : ", version \(version)")
    case .processConfig: return "\(subject) = \(argument(0))"
    case .processExit:
      let evidence = argument(2)
      if let (place, reason) = ExitEvidence.words(evidence) {
        return "ended at some time \(place): \(reason)"
      }
      return "ended\(because(0))\(exitCode(event.arguments.1, argument(0), evidence: evidence))"
    case .transition:
      return "\(state(event.arguments.0)) to \(state(event.arguments.1))\(because(2))"
    case .suspend: return "suspended: no code runs from here"
    case .resume: return "resumed\(because(0))"
    case .purge: return "purged\(because(0)): everything in memory is gone"
    case .callbackBegin: return "\(or(name, "callback")) entered"
    case .callbackEnd: return "\(or(name, "callback")) returned"
    case .turnBegin: return "run loop takes \(or(name, "an item"))"
    case .turnEnd: return "run loop is done with \(or(name, "it"))"
    case .wakeBegin: return "woken\(because(0))"
    case .wakeCompletion: return "completion handler called"
    case .taskBegin: return "background task \(quoted(argument(0))) granted, id \(event.identity)"
    case .taskExpire: return "background task \(event.identity) expires"
    case .taskEnd: return "background task \(event.identity) ended"
    default: return data(event, subject) ?? rest(event, names, name, subject, argument)
    }
  }

  private static func data(_ event: Event, _ object: String) -> String? {
    let version = "\(or(object, "data")) version \(event.arguments.0)"
    switch event.kind {
    case .dataDirty: return "\(version), \(Quantity.bytes(event.arguments.1)), in memory only"
    case .dataFlushing: return "\(version) is being saved"
    case .dataDurable:
      let level = DurabilityLevel(rawValue: UInt8(clamping: event.arguments.1)) ?? .process
      return "\(version) has reached \(Wording.level(level))"
    case .dataRestored where event.arguments.0 == 0:
      return "nothing of \(or(object, "data")) found on disk"
    case .dataRestored: return "\(version) read back"
    case .dataFailed:
      let errno = event.arguments.1 == 0 ? "" : ", errno \(event.arguments.1)"
      return "\(version) could not be saved\(errno)"
    case .dataDiscarded: return "\(version) given up on purpose"
    case .dataUnchanged: return "\(version) needs no save: its bytes stand there"
    case .dataCopied: return "\(version) written to another file"
    case .dataRead where event.arguments.0 == 0: return "a copy of \(or(object, "data")) read"
    case .dataRead: return "\(version) read from another file"
    default: return nil
    }
  }

  private static func rest(
    _ event: Event,
    _ names: Names,
    _ name: String,
    _ subject: String,
    _ argument: (Int) -> String
  ) -> String? {
    func with(_ key: String) -> String { key.isEmpty ? "" : " (\(key))" }
    switch event.kind {
    case .notificationPosted: return "\(subject)\(with(argument(0))) posted"
    case .notificationCoalesced: return "\(subject)\(with(argument(0))) coalesced"
    case .notificationDelivered: return "\(subject)\(with(argument(0))) delivered"
    case .notificationHandled: return "\(subject)\(with(argument(0))) handled"
    case .notificationDropped: return "\(subject)\(with(argument(0))) dropped"
    case .workBegin:
      let work = Wording.work(WorkKind(rawValue: UInt8(clamping: event.arguments.0)) ?? .other)
      return "\(or(name, "work")) begins\(with(work))"
    case .workEnd: return "\(or(name, "work")) ends"
    case .waitBegin: return "waits for \(or(argument(0), "somebody"))"
    case .waitEnd: return "waits no longer"
    case .deadlineOpen:
      let budget = Quantity.duration(Int64(clamping: event.arguments.1))
      return "\(or(argument(0), "deadline")): \(budget) from here"
    case .deadlineClose: return "deadline met or given up"
    case .resourceAcquire, .resourceRelease, .resourceUse: return resource(event, subject)
    case .device:
      let value = argument(0)
      return value.isEmpty ? subject : "\(subject): \(value)"
    case .touch: return "touch on \(or(argument(0), "a view"))"
    case .memorySample: return "uses \(Quantity.bytes(event.arguments.0)) of memory"
    case .messageSend: return message("sent to", argument(0), event.arguments.1)
    case .messageReceive: return message("received from", argument(0), event.arguments.1)
    case .testBegin: return "test \(argument(0)).\(argument(1)) begins"
    case .testEnd: return "test ends: \(argument(0))"
    case .mark: return or(name, "mark")
    case .log: return argument(0)
    case .end: return "the recording ends"
    case .loss:
      let family = EventFamily(rawValue: UInt8(clamping: event.arguments.0)) ?? .unknown
      let why = argument(3).isEmpty ? "" : ": \(argument(3))"
      // As with names that had no room: the events are there.
      if event.arguments.1 == 0, family != .unknown { return "\(family) is known in part\(why)" }
      return EventsLost(count: event.arguments.1, isAtLeast: event.arguments.1 == 0).text
        + " (\(family))\(why)"
    default: return nil
    }
  }

  private static func message(_ verb: String, _ peer: String, _ bytes: UInt64) -> String {
    let size = bytes == 0 ? "" : " of \(Quantity.bytes(bytes))"
    return "message\(size) \(verb) \(or(peer, "a peer that is not named"))"
  }

  private static func resource(_ event: Event, _ name: String) -> String {
    let kind = ResourceClass(rawValue: UInt8(clamping: event.arguments.0)) ?? .other
    // Not a thing but an interval, as the import of a device's log makes it.
    if kind == .other, name == ResourceClass.suspensionPossible, event.kind != .resourceUse {
      return event.kind == .resourceAcquire
        ? "nothing keeps the app awake: it may be suspended from here"
        : "the app may not be suspended any more"
    }
    let thing =
      switch kind {
      case .other: or(name, "resource")
      case .gl: "GL \(name)"
      case .temporaryFile: "temporary file \(name)"
      case .pendingSave: "deferred save of \(name)"
      default: "\(kind) \(name)"
      }
    switch (event.kind, kind) {
    case (.resourceAcquire, .pendingSave): return "save of \(name) deferred"
    case (.resourceRelease, .pendingSave): return "\(thing) is pending no more"
    case (.resourceAcquire, .view), (.resourceAcquire, .alert): return "\(thing) shown"
    case (.resourceRelease, .view), (.resourceRelease, .alert): return "\(thing) hidden"
    case (.resourceAcquire, .timer): return "\(thing) started"
    case (.resourceRelease, .timer): return "\(thing) stopped"
    case (.resourceUse, .timer): return "\(thing) fired"
    case (.resourceAcquire, _): return "\(thing) taken"
    case (.resourceRelease, _): return "\(thing) given back"
    default: return "\(thing) used"
    }
  }

  /// `name key=value …`, for kinds without a sentence of their own.
  private static func generic(_ event: Event, _ names: Names) -> String {
    let site = names[event.site]
    var words = [names[site.name]].filter { !$0.isEmpty }
    if event.kind.info == nil, names.info(of: event.kind) == nil {
      words.insert("an event of a kind that this version does not know", at: 0)
    }
    for (label, value) in Fields.pairs(of: event, names) { words.append("\(label)=\(value)") }
    return words.joined(separator: " ")
  }

  /// A signal by its name, a program's own code as a number, a code of the system as reports show it.
  private static func exitCode(_ code: UInt64, _ cause: String, evidence: String) -> String {
    // Whom the host kills ends by a signal, whatever it was killed for.
    let isKilled = code == 9 && cause != "exit" && killers.contains(evidence)
    let isSignal = cause == "signal" || isKilled
    if isSignal, let name = SignalName.of(code) { return ", \(name)" }
    switch code {
    case 0: return ""
    case 1..<256: return ", code \(code)"
    default: return ", code 0x\(String(code, radix: 16))"
    }
  }

  /// Evidence of a process of this machine, or of a simulated one.
  private static let killers = ["wait status", "pidfd", "kernel", "sampled", "simulated"]

  private static func state(_ code: UInt64) -> String {
    AppState(rawValue: UInt8(clamping: code)).map(Wording.state) ?? "state \(code)"
  }

  private static func or(_ text: String, _ other: String) -> String { text.isEmpty ? other : text }
  private static func quoted(_ text: String) -> String { "\"\(text)\"" }
}
