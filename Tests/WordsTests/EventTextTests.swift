// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords
import Testing

/// Events in words that a story does not show.
@Suite struct EventTextTests {
  private func exit(_ cause: String, _ code: UInt64, _ evidence: String) -> String {
    var names = Names()
    var event = Event(.processExit, at: HostTime(rawValue: 0))
    event[0] = UInt64(names.intern(cause).rawValue)
    event[1] = code
    event[2] = UInt64(names.intern(evidence).rawValue)
    event.argumentCount = 3
    return "\(EventText.sentence(event, names))"
  }

  @Test func anEndSaysItsCodeAsPeopleDo() {
    #expect(exit("signal", 11, "wait status") == "ended (signal), SIGSEGV")
    #expect(exit("purge", 9, "pidfd") == "ended (purge), SIGKILL")
    #expect(exit("exit", 9, "wait status") == "ended (exit), code 9")
    #expect(exit("exit", 0, "wait status") == "ended (exit)")
    #expect(exit("watchdog", 0x8bad_f00d, "log") == "ended (watchdog), code 0x8badf00d")
    // The kernel's reason of a jetsam kill is no signal.
    #expect(exit("jetsam", 9, "log") == "ended (jetsam), code 9")
  }

  @Test func aReportedCallIsToldByItsNameIfItHasOne() {
    var names = Names()
    func sentence(_ call: String) -> String {
      let report = Payload.WakeReported(id: 1, call: names.intern(call))
      return "\(EventText.sentence(Event(report, at: HostTime(rawValue: 0)), names))"
    }
    #expect(sentence("4711") == "incoming call reported (4711)")
    #expect(sentence("") == "incoming call reported")
  }

  @Test func aKindOfALaterVersionIsSaidToBeUnknown() {
    var names = Names()
    let event = Event(EventKind(rawValue: 250), at: HostTime(rawValue: 0))
    #expect(EventText.kind(event.kind, names) == "kind.250")
    #expect(
      "\(EventText.sentence(event, names))" == "an event of a kind that this version does not know"
    )
    // The recording itself may tell what it is.
    let cooled = EventKind(rawValue: 250)
    names.teach(KindInfo(describing: cooled, name: "cooling.begin", fields: [Field("fan", .int)]))
    var known = event
    known[0] = 3
    known.argumentCount = 1
    #expect(EventText.kind(known.kind, names) == "cooling.begin")
    #expect("\(EventText.sentence(known, names))" == "fan=3")
  }
}
