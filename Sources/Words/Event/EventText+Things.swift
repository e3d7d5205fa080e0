// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

extension EventText {
  /// Work, waits, deadlines, messages, and what is said of the recording itself.
  static func doing(_ event: Event, _ names: Names) -> Sentence? {
    let name = names[names[event.site].name]
    switch event.kind {
    case .workBegin:
      let kind = Wording.work(Payload.WorkBegin(event).kind.value ?? .other)
      return "\(or(name, "work")) begins\(kind.isEmpty ? "" : " (\(kind))")"
    case .workEnd: return "\(or(name, "work")) ends"
    case .waitBegin: return "waits for \(or(names[Payload.WaitBegin(event).on], "somebody"))"
    case .waitEnd: return "waits no longer"
    case .deadlineOpen:
      let deadline = Payload.DeadlineOpen(event)
      return "\(or(names[deadline.what], "deadline")): \(duration: deadline.budget) from here"
    case .deadlineClose: return "deadline met or given up"
    case .messageSend:
      let sent = Payload.MessageSend(event)
      return message("sent to", names[sent.peer], sent.bytes)
    case .messageReceive:
      let received = Payload.MessageReceive(event)
      return message("received from", names[received.peer], received.bytes)
    case .messageTrace:
      let trace = Payload.MessageTrace(event)
      let id = Wording.trace(high: trace.high, low: trace.low)
      return "message \(name: Wording.flow(trace.flow)) belongs to trace \(name: id)"
    case .testBegin:
      let test = Payload.TestBegin(event)
      return "test \(name: names[test.suite]).\(name: names[test.name]) begins"
    case .testEnd: return "test ends: \(names[Payload.TestEnd(event).outcome])"
    case .mark: return or(name, "mark")
    case .log: return Sentence(names[Payload.Log(event).text])
    case .end: return "the recording ends"
    case .scenario:
      let file = names[Payload.Scenario(event).file]
      return "the scenario\(file.isEmpty ? "" : " ")\(name: file) is played"
    case .loss: return loss(Payload.Loss(event), names)
    default: return nil
    }
  }

  /// What is held, shown or measured, and the device.
  static func thing(_ event: Event, _ names: Names) -> Sentence? {
    switch event.kind {
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
      return value.isEmpty ? "\(name: what)" : "\(name: what): \(name: value)"
    case .touch: return "touch on \(or(names[Payload.Touch(event).view], "a view"))"
    case .memorySample:
      return "uses \(bytes: Payload.MemorySample(event).footprint) of memory"
    default: return nil
    }
  }

  private static func loss(_ loss: Payload.Loss, _ names: Names) -> Sentence {
    let family = loss.family.value ?? .unknown
    let text = names[loss.why ?? .empty]
    let why = text.isEmpty ? "" : ": \(text)"
    // As with names that had no room: the events are there.
    if loss.count == 0, family != .unknown { return "\("\(family)") is known in part\(why)" }
    let lost = EventsLost(count: loss.count, isAtLeast: loss.count == 0)
    return "\(lost.text) (\("\(family)"))\(why)"
  }

  private static func message(_ verb: String, _ peer: String, _ bytes: UInt64) -> Sentence {
    let size: Sentence = bytes == 0 ? "" : " of \(bytes: bytes)"
    return "message\(size) \(verb) \(or(peer, "a peer that is not named"))"
  }

  private static func resource(
    _ event: EventKind,
    _ coded: Coded<ResourceClass>,
    _ name: String
  ) -> Sentence {
    let kind = coded.value ?? .other
    // Not a thing but an interval, as the import of a device's log makes it.
    if kind == .other, name == ResourceClass.suspensionPossible, event != .resourceUse {
      return event == .resourceAcquire
        ? "nothing keeps the app awake: it may be suspended from here"
        : "the app may not be suspended any more"
    }
    let thing: Sentence =
      switch kind {
      case .other: or(name, "resource")
      case .gl: "GL \(name: name)"
      case .temporaryFile: "temporary file \(name: name)"
      case .pendingSave: "deferred save of \(object: name)"
      case .delayedWork: "work put off on \(name: name)"
      default: "\("\(kind)") \(name: name)"
      }
    return switch (event, kind) {
    case (.resourceAcquire, .pendingSave): "save of \(object: name) deferred"
    case (.resourceRelease, .pendingSave): "\(thing) is pending no more"
    case (.resourceAcquire, .delayedWork): thing
    case (.resourceRelease, .delayedWork): "\(thing) is pending no more"
    case (.resourceUse, .delayedWork): "\(thing) begins"
    case (.resourceAcquire, .view), (.resourceAcquire, .alert): "\(thing) shown"
    case (.resourceRelease, .view), (.resourceRelease, .alert): "\(thing) hidden"
    case (.resourceAcquire, .timer): "\(thing) started"
    case (.resourceRelease, .timer): "\(thing) stopped"
    case (.resourceUse, .timer): "\(thing) fired"
    case (.resourceAcquire, _): "\(thing) taken"
    case (.resourceRelease, _): "\(thing) given back"
    default: "\(thing) used"
    }
  }
}
