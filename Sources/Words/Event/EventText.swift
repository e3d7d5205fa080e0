// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// An event in words, without its time and writer.
///
///     EventText.sentence(event, names)      // draft.txt version 3, 1,204 bytes, in memory only
package enum EventText {
  /// The sentence that says what happened.
  package static func sentence(_ event: Event, _ names: Names) -> Sentence {
    life(event, names) ?? data(event, names) ?? notification(event, names) ?? doing(event, names)
      ?? thing(event, names) ?? generic(event, names)
  }

  /// The dotted name of the kind; a number for one this version does not know.
  ///
  /// A recording of a later version may describe its own kinds; `names` knows those.
  package static func kind(_ kind: EventKind, _ names: Names) -> String {
    names.info(of: kind)?.name ?? KindInfo.unknownName(kind)
  }

  /// `Editor.swift:41`, or nothing; printable.
  package static func source(_ site: SiteID, _ names: Names) -> String {
    SourcePlace(site, names).map { Printable.line($0.short) } ?? ""
  }

  /// The life of a process, its callbacks, wakes and tasks.
  private static func life(_ event: Event, _ names: Names) -> Sentence? {
    let name = names[names[event.site].name]
    switch event.kind {
    case .processStart:
      let start = Payload.ProcessStart(event)
      let version = names[start.version ?? .empty]
      return "launched\(because(start.reason, names))"
        + (version.isEmpty ? "" : ", version \(name: version)")
    case .processConfig:
      let config = Payload.ProcessConfig(event)
      return "\(name: names[config.key]) = \(name: names[config.value])"
    case .processExit: return exit(Payload.ProcessExit(event), names)
    case .processSeen:
      let seen = Payload.ProcessSeen(event)
      let command = or(names[seen.command], "a process that was gone at once")
      return "\(command), pid \(seen.pid) below \(seen.parent), \(SeenStatus.words(seen.status)) "
        + "after \(duration: seen.lasted)"
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
    case .wakeReported:
      return "incoming call reported\(with(names[Payload.WakeReported(event).call]))"
    case .taskBegin:
      let begin = Payload.TaskBegin(event)
      let task = names[begin.name]
      if begin.id == 0, begin.granted == 0 { return "background task \"\(name: task)\" refused" }
      return "background task \"\(name: task)\" granted, id \(event.identity)"
    case .taskExpire: return "background task \(event.identity) expires"
    case .taskEnd: return "background task \(event.identity) ended"
    default: return nil
    }
  }

  private static func exit(_ exit: Payload.ProcessExit, _ names: Names) -> Sentence {
    let (cause, evidence) = (names[exit.cause], names[exit.evidence])
    if let (place, reason) = ExitEvidence.words(evidence) {
      return "ended at some time \(place): \(reason)"
    }
    // Words of ours, and no name of the recording's.
    let isOver = Wording.endCause(cause) != cause
    let why: Sentence = isOver ? " (scenario over)" : with(cause)
    return "ended\(why)\(exitCode(exit.code, cause, evidence: evidence))"
  }

  /// A signal by its name, a program's own code as a number, a code of the system as reports show it.
  private static func exitCode(_ code: UInt64, _ cause: String, evidence: String) -> String {
    // A process that the host kills ends by a signal, whatever it was killed for.
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

  /// `name key=value …`, for kinds without a sentence of their own.
  private static func generic(_ event: Event, _ names: Names) -> Sentence {
    var words: [Sentence] = []
    if event.kind.info == nil, names.info(of: event.kind) == nil {
      words.append("an event of a kind that this version does not know")
    }
    let name = names[names[event.site].name]
    if !name.isEmpty { words.append("\(name: name)") }
    for (label, value) in event.values(names) { words.append("\(name: label)=\(value)") }
    return words.joined(separator: " ")
  }

  private static func state(_ state: Coded<AppState>) -> String {
    state.value.map(Wording.state) ?? "state \(state.rawValue)"
  }

  private static func because(_ cause: NameID, _ names: Names) -> Sentence { with(names[cause]) }

  static func with(_ name: String) -> Sentence { name.isEmpty ? "" : " (\(name: name))" }

  static func or(_ name: String, _ other: Sentence) -> Sentence {
    name.isEmpty ? other : "\(name: name)"
  }
}
