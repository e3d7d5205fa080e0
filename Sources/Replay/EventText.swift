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
    let id = event.identity
    switch event.kind {
    case .processStart:
      let start = Payload.ProcessStart(event)
      let version = names[start.version ?? .empty]
      return "launched\(because(start.reason, names))"
        + (version.isEmpty ? "" : ", version \(version)")
    case .processConfig:
      let config = Payload.ProcessConfig(event)
      return "\(names[config.key]) = \(names[config.value])"
    case .processExit: return exit(Payload.ProcessExit(event), names)
    case .transition:
      let change = Payload.Transition(event)
      return "\(state(change.from)) to \(state(change.to))\(because(change.cause, names))"
    case .suspend: return "suspended: no code runs from here"
    case .resume: return "resumed\(because(Payload.Resume(event).reason, names))"
    case .purge:
      return "purged\(because(Payload.Purge(event).cause, names)): everything in memory is gone"
    case .callbackBegin: return "\(or(name, "callback")) entered"
    case .callbackEnd: return "\(or(name, "callback")) returned"
    case .turnBegin: return "run loop takes \(or(name, "an item"))"
    case .turnEnd: return "run loop is done with \(or(name, "it"))"
    case .wakeBegin: return "woken\(because(Payload.WakeBegin(event).reason, names))"
    case .wakeCompletion: return "completion handler called"
    case .taskBegin:
      let task = names[Payload.TaskBegin(event).name]
      return "background task \(quoted(task)) granted, id \(id)"
    case .taskExpire: return "background task \(id) expires"
    case .taskEnd: return "background task \(id) ended"
    default: return data(event, names) ?? notification(event, names) ?? rest(event, names, name)
    }
  }

  private static func exit(_ exit: Payload.ProcessExit, _ names: Names) -> String {
    let (cause, evidence) = (names[exit.cause], names[exit.evidence])
    if let (place, reason) = ExitEvidence.words(evidence) {
      return "ended at some time \(place): \(reason)"
    }
    return "ended\(because(exit.cause, names))\(exitCode(exit.code, cause, evidence: evidence))"
  }

  private static func data(_ event: Event, _ names: Names) -> String? {
    func version(_ object: NameID, _ version: UInt64) -> String {
      "\(or(names[object], "data")) version \(version)"
    }
    switch event.kind {
    case .dataDirty:
      let edit = Payload.DataDirty(event)
      return "\(version(edit.object, edit.version)), \(Quantity.bytes(edit.bytes)), in memory only"
    case .dataFlushing:
      let flush = Payload.DataFlushing(event)
      return "\(version(flush.object, flush.version)) is being saved"
    case .dataDurable:
      let save = Payload.DataDurable(event)
      let level = Wording.level(save.level.value ?? .process)
      return "\(version(save.object, save.version)) has reached \(level)"
    case .dataRestored:
      let found = Payload.DataRestored(event)
      if found.version == 0 { return "nothing of \(or(names[found.object], "data")) found on disk" }
      return "\(version(found.object, found.version)) read back"
    case .dataFailed:
      let failure = Payload.DataFailed(event)
      let errno = failure.errno == 0 ? "" : ", errno \(UInt64(bitPattern: failure.errno))"
      return "\(version(failure.object, failure.version)) could not be saved\(errno)"
    case .dataDiscarded:
      let discarded = Payload.DataDiscarded(event)
      return "\(version(discarded.object, discarded.version)) given up on purpose"
    case .dataUnchanged:
      let same = Payload.DataUnchanged(event)
      return "\(version(same.object, same.version)) needs no save: its bytes stand there"
    case .dataCopied:
      let copy = Payload.DataCopied(event)
      return "\(version(copy.object, copy.version)) written to another file"
    case .dataRead:
      let read = Payload.DataRead(event)
      if read.version == 0 { return "a copy of \(or(names[read.object], "data")) read" }
      return "\(version(read.object, read.version)) read from another file"
    default: return nil
    }
  }

  private static func notification(_ event: Event, _ names: Names) -> String? {
    func about(_ type: NameID, _ key: NameID) -> String { names[type] + with(names[key]) }
    switch event.kind {
    case .notificationPosted:
      let posted = Payload.NotificationPosted(event)
      return "\(about(posted.type, posted.key)) posted"
    case .notificationCoalesced:
      let coalesced = Payload.NotificationCoalesced(event)
      return "\(about(coalesced.type, coalesced.key)) coalesced"
    case .notificationDelivered:
      let delivered = Payload.NotificationDelivered(event)
      return "\(about(delivered.type, delivered.key)) delivered"
    case .notificationHandled:
      let handled = Payload.NotificationHandled(event)
      return "\(about(handled.type, handled.key)) handled"
    case .notificationDropped:
      let dropped = Payload.NotificationDropped(event)
      return "\(about(dropped.type, dropped.key)) dropped"
    default: return nil
    }
  }

  private static func rest(_ event: Event, _ names: Names, _ name: String) -> String? {
    switch event.kind {
    case .workBegin:
      let work = Wording.work(Payload.WorkBegin(event).kind.value ?? .other)
      return "\(or(name, "work")) begins\(with(work))"
    case .workEnd: return "\(or(name, "work")) ends"
    case .waitBegin: return "waits for \(or(names[Payload.WaitBegin(event).on], "somebody"))"
    case .waitEnd: return "waits no longer"
    case .deadlineOpen:
      let deadline = Payload.DeadlineOpen(event)
      let budget = Quantity.duration(deadline.budget)
      return "\(or(names[deadline.what], "deadline")): \(budget) from here"
    case .deadlineClose: return "deadline met or given up"
    case .resourceAcquire:
      let acquired = Payload.ResourceAcquire(event)
      return resource(event.kind, acquired.class, names[acquired.name])
    case .resourceRelease:
      let released = Payload.ResourceRelease(event)
      return resource(event.kind, released.class, names[released.name])
    case .resourceUse:
      let used = Payload.ResourceUse(event)
      return resource(event.kind, used.class, names[used.name])
    case .device:
      let device = Payload.Device(event)
      let (what, value) = (names[device.what], names[device.value ?? .empty])
      return value.isEmpty ? what : "\(what): \(value)"
    case .touch: return "touch on \(or(names[Payload.Touch(event).view], "a view"))"
    case .memorySample:
      return "uses \(Quantity.bytes(Payload.MemorySample(event).footprint)) of memory"
    case .messageSend:
      let sent = Payload.MessageSend(event)
      return message("sent to", names[sent.peer], sent.bytes)
    case .messageReceive:
      let received = Payload.MessageReceive(event)
      return message("received from", names[received.peer], received.bytes)
    case .testBegin:
      let test = Payload.TestBegin(event)
      return "test \(names[test.suite]).\(names[test.name]) begins"
    case .testEnd: return "test ends: \(names[Payload.TestEnd(event).outcome])"
    case .mark: return or(name, "mark")
    case .log: return names[Payload.Log(event).text]
    case .end: return "the recording ends"
    case .loss: return loss(Payload.Loss(event), names)
    default: return nil
    }
  }

  private static func loss(_ loss: Payload.Loss, _ names: Names) -> String {
    let family = loss.family.value ?? .unknown
    let text = names[loss.why ?? .empty]
    let why = text.isEmpty ? "" : ": \(text)"
    // As with names that had no room: the events are there.
    if loss.count == 0, family != .unknown { return "\(family) is known in part\(why)" }
    return EventsLost(count: loss.count, isAtLeast: loss.count == 0).text + " (\(family))\(why)"
  }

  private static func message(_ verb: String, _ peer: String, _ bytes: UInt64) -> String {
    let size = bytes == 0 ? "" : " of \(Quantity.bytes(bytes))"
    return "message\(size) \(verb) \(or(peer, "a peer that is not named"))"
  }

  private static func resource(
    _ event: EventKind,
    _ coded: Coded<ResourceClass>,
    _ name: String
  ) -> String {
    let kind = coded.value ?? .other
    // Not a thing but an interval, as the import of a device's log makes it.
    if kind == .other, name == ResourceClass.suspensionPossible, event != .resourceUse {
      return event == .resourceAcquire
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
    switch (event, kind) {
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

  private static func state(_ state: Coded<AppState>) -> String {
    state.value.map(Wording.state) ?? "state \(state.rawValue)"
  }

  private static func because(_ cause: NameID, _ names: Names) -> String { with(names[cause]) }
  private static func with(_ text: String) -> String { text.isEmpty ? "" : " (\(text))" }

  private static func or(_ text: String, _ other: String) -> String { text.isEmpty ? other : text }
  private static func quoted(_ text: String) -> String { "\"\(text)\"" }
}
