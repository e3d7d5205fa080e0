// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import Lifetrace
import Testing
import LifetraceTrace

@Suite struct SwiftAPITests {
  @Test func spanHasOneIdentityAndTheSiteOfItsCall() throws {
    let simulation = Simulation()
    let line: UInt32 = #line + 2
    let result = simulation.run {
      Lifetrace.work("load", kind: .file, queue: "store") { 42 }
    }
    #expect(result == 42)
    #expect(simulation.kinds == [.workBegin, .workEnd])
    let (begin, end) = (simulation.events[0], simulation.events[1])
    #expect(begin.identity == end.identity && begin.identity != 0)
    #expect(begin.site == end.site)
    #expect(begin.arg.0 == UInt64(WorkKind.file.rawValue))
    #expect(Lifetrace.Name(number: begin.arg.1).string == "store")
    let site = try #require(Lifetrace.Site(of: begin).parts)
    #expect(site.name == "load")
    #expect(site.file == "LifetraceTests/SwiftAPITests.swift")
    #expect(site.line == line)
  }

  @Test func spanEndsWhenItsBodyThrows() {
    struct Stop: Error {}
    let simulation = Simulation()
    #expect(throws: Stop.self) {
      try simulation.run { try Lifetrace.work("stop") { throw Stop() } }
    }
    #expect(simulation.kinds == [.workBegin, .workEnd])
  }

  @Test func callSitesOfOneLineAreToldApart() {
    let simulation = Simulation()
    simulation.run {
      for _ in 1...3 { Lifetrace.mark("a", .int("x", 1)); Lifetrace.mark("b", .int("x", 2)) }
      for _ in 1...3 { Lifetrace.mark("a", .int("y", 1)); Lifetrace.mark("a", .hex("y", 2)) }
    }
    let sites = simulation.events.map(\.site)
    #expect(Set(sites).count == 4)
    #expect(Set(sites[..<6]).count == 2 && sites[0] == sites[2] && sites[1] == sites[5])
    let labels = simulation.events.suffix(2).compactMap { Lifetrace.Site(of: $0).parts?.labels }
    #expect(labels == ["y:int", "y:hex"])
  }

  @Test func namesOfEqualStringsAreEqual() {
    let built = ["dra", "ft"].joined()
    #expect(Lifetrace.Name(built) == "draft")
    #expect(Lifetrace.Name(built).string == "draft")
    #expect(Lifetrace.Name("") == .none)
    let long = String(repeating: "å", count: 4096)
    #expect(Lifetrace.Name(long).string == String(repeating: "å", count: 2048), "cut whole")
  }

  @Test func manyNamesKeepTheirIds() {
    let names = (0..<5000).map { Lifetrace.Name("name-\($0)") }
    #expect(Set(names).count == 5000)
    for (number, name) in names.enumerated() where number % 97 == 0 {
      #expect(name.string == "name-\(number)")
      #expect(Lifetrace.Name("name-\(number)") == name)
    }
  }

  @Test func simulatedAppsShareNothing() {
    let (first, second) = (Simulation(), Simulation())
    let object = Lifetrace.Object("shared")
    #expect(first.run { object.dirty(bytes: 1) } == 1)
    #expect(first.run { object.dirty(bytes: 1) } == 2)
    #expect(second.run { object.dirty(bytes: 1) } == 1)
    #expect(second.run { Lifetrace.beginWork("one").id } == 1)
    #expect(first.run { Lifetrace.beginWork("one").id } == 1)
    #expect(first.events.count == 3 && second.events.count == 2)
    #expect(first.events.map(\.tick) == [1, 2, 3], "times are virtual")
  }

  @Test func receiveIsLaterThanItsSendOnTheLogicalClock() {
    let (sender, receiver) = (Simulation(), Simulation())
    let stamp = sender.run { () -> Lifetrace.MessageContext in
      for _ in 1...9 { _ = Lifetrace.send(to: "other", bytes: 1) }
      return Lifetrace.send(to: "receiver", bytes: 1)
    }
    receiver.run { Lifetrace.receive(stamp, from: "sender", bytes: 1) }
    let sends = sender.events.filter { $0.kind == LT_KIND_MESSAGE_SEND.rawValue }
    #expect(receiver.events[0].identity == sends[9].identity)
    #expect(receiver.events[0].arg.2 > sends[9].arg.2)
    // An hour ahead is not believed.
    let lie = Lifetrace.MessageContext(traceHigh: 0, traceLow: 1, flow: 1, clock: .max)
    receiver.run { Lifetrace.receive(lie, from: "liar", bytes: 1) }
    #expect(receiver.events[2].identity == 1 && receiver.events[2].arg.2 < 1 << 40)
  }

  @Test func asyncWorkKeepsItsIdentity() async {
    // Nobody listens on these threads, so it is the value and the isolation that are tested.
    let value = await Lifetrace.work("load", kind: .network) { () async -> Int in
      await Task.yield()
      return 7
    }
    #expect(value == 7)
  }

  @Test func everyFunctionSaysItsKind() {
    let simulation = Simulation()
    simulation.run {
      Lifetrace.transition(from: .inactive, to: .active, cause: "launch")
      Lifetrace.config("UIBackgroundModes", "fetch")
      Lifetrace.callback("applicationDidBecomeActive:") {
        Lifetrace.turn("timer") { Lifetrace.wait("store", on: "lock") {} }
      }
      let task = Lifetrace.beginBackgroundTask("save", granted: .seconds(30))
      task.expire()
      task.end()
      Lifetrace.openDeadline("launch", budget: .seconds(5)).close()
      let wake = Lifetrace.beginWake(reason: "voip", budget: .seconds(30))
      wake.report(call: "4711")
      wake.complete()
      Lifetrace.beginTest(suite: "Suite", name: "test").end(outcome: "passed")
      Lifetrace.notificationPosted("locale", key: "identifier", value: "sv", origin: "system")
      Lifetrace.notificationCoalesced("locale", posts: 2)
      Lifetrace.notificationDelivered("locale")
      Lifetrace.notificationHandled("locale", took: .milliseconds(1))
      Lifetrace.notificationDropped("locale", why: "purge")
      Lifetrace.device("battery", number: 20)
      Lifetrace.touch("editor")
      let lock = Lifetrace.Resource("notes.db", .lock, attribute: "shared")
      lock.acquire()
      lock.use()
      lock.release()
      Lifetrace.sampleMemory()
      Lifetrace.sampleCPU(since: Lifetrace.startCPUSample())
      Lifetrace.log("well", level: .notice)
      Lifetrace.mark("end")
    }
    #expect(
      simulation.kinds == [
        .transition, .processConfig, .callbackBegin, .turnBegin, .waitBegin, .waitEnd, .turnEnd,
        .callbackEnd, .taskBegin, .taskExpire, .taskEnd, .deadlineOpen, .deadlineClose,
        .wakeBegin, .wakeReported, .wakeCompletion, .testBegin, .testEnd, .notificationPosted,
        .notificationCoalesced, .notificationDelivered, .notificationHandled,
        .notificationDropped, .device, .touch, .resourceAcquire, .resourceUse, .resourceRelease,
        .memorySample, .cpuSample, .log, .mark,
      ]
    )
    // As many arguments as the format names for the kind.
    for event in simulation.events {
      let info = EventKind(rawValue: event.kind).info
      #expect(Int(event.arg_count) == info?.fields.count, "\(info?.name ?? "?")")
    }
  }
}
