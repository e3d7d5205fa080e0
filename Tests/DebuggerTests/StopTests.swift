// SPDX-License-Identifier: Apache-2.0
import LifetraceReplay
import LifetraceRules
import LifetraceTrace
import Testing

@testable import LifetraceDebugger

/// Where `continue` stops, in both directions, and what is told there.
@Suite struct StopTests {
  private func said(_ session: Session, _ line: String) throws -> String {
    try session.say(line).joined(separator: "\n")
  }

  private func refusal(_ session: Session, _ line: String) -> CommandError? {
    do {
      _ = try session.say(line)
      return nil
    } catch {
      return error as? CommandError
    }
  }

  /// A session that stands at the start, in which no rule is asked.
  private func session() throws -> Session {
    let session = LostDraft().session()
    session.settings.judgement.rules = try RuleSelection("NQ01")
    _ = try session.say("goto start")
    return session
  }

  @Test func aBreakIsReachedInBothDirections() throws {
    let session = try session()
    #expect(
      try said(session, "break dirty if bytes > 1kB") == "Stop 1: where dirty if bytes > 1kB."
    )
    #expect(try said(session, "continue").contains("Stop 1: dirty if bytes > 1kB"))
    #expect(session.player.here.ordinal == 7)
    _ = try session.say("goto end")
    _ = try session.say("reverse-continue")
    #expect(session.player.here.ordinal == 7)
    #expect(try said(session, "break").contains("reached 2 times"))
    _ = try session.say("reverse-continue")
    #expect(session.player.here.ordinal == 0)
    #expect(try said(session, "continue").contains("#7"))
    #expect(try said(session, "continue").contains("No stop and no violation on the way."))
  }

  @Test func aTemporaryOneIsGoneAndADisabledOneIsPassed() throws {
    let session = try session()
    _ = try session.say("tbreak state")
    _ = try session.say("break suspend")
    _ = try session.say("disable 2")
    _ = try session.say("continue")
    #expect(session.player.here.ordinal == 2)
    #expect(session.player.stops.all.map(\.number) == [2])
    _ = try session.say("continue")
    #expect(session.player.here.ordinal == 16)
    _ = try session.say("enable 2")
    _ = try session.say("reverse-continue")
    #expect(session.player.here.ordinal == 14)
    #expect(try said(session, "delete") == "Forgot 1 stop.")
    #expect(refusal(session, "delete 2")?.message.contains("There is no stop 2") == true)
  }

  @Test func anIgnoredOneIsPassedSoManyTimes() throws {
    let session = try session()
    _ = try session.say("break state.transition")
    _ = try session.say("ignore 1 2")
    _ = try session.say("continue")
    #expect(session.player.here.ordinal == 8)
    _ = try session.say("continue")
    #expect(session.player.here.ordinal == 9)
  }

  @Test func untilHasATwinThatGoesBack() throws {
    let session = try session()
    _ = try session.say("goto end")
    let said = try said(session, "reverse-until count tasks > 0")
    #expect(said.contains("Held here last") && said.contains("#13 ended it"), "\(said)")
    #expect(session.player.here.ordinal == 12)
    #expect(refusal(session, "reverse-until count tasks > 0")?.message.contains("already") == true)
    _ = try session.say("reverse-until !(count tasks > 0)")
    #expect(session.player.here.ordinal == 10)
    _ = try session.say("goto end")
    _ = try session.say("reverse-until dirty && bytes > 1kB")
    #expect(session.player.here.ordinal == 7)
    #expect(refusal(session, "reverse-until count tasks > 7")?.message.contains("nowhere") == true)
    // Younger than 50 ms it was until 50 ms behind its begin, between two events.
    _ = try session.say("goto 12")
    let moving = try self.said(session, "reverse-until task(\"upload\").age < 50ms")
    #expect(moving.contains("Held last at +3.249"), "\(moving)")
    #expect(session.player.here.ordinal == 11)
  }

  @Test func aWatchTellsOldAndNew() throws {
    let session = try session()
    let set = try said(session, "watch data(\"draft.txt\").unsaved")
    #expect(set == "Stop 1: watching data(\"draft.txt\").unsaved of notes#1.")
    #expect(try said(session, "continue").contains("unsaved: nothing -> 900 bytes"))
    #expect(session.player.here.ordinal == 4)
    #expect(try said(session, "continue").contains("unsaved: 900 bytes -> 0 bytes"))
    #expect(session.player.here.ordinal == 6)
    #expect(try said(session, "continue").contains("unsaved: 0 bytes -> 1,204 bytes"))
    #expect(try said(session, "reverse-continue").contains("900 bytes -> 0 bytes"))
    #expect(session.player.here.ordinal == 6)
    #expect(refusal(session, "watch bytes")?.isUsage == true)
    #expect(refusal(session, "watch task(\"upload\").age")?.message.contains("until") == true)
  }

  @Test func aWatchStopsAtAGap() throws {
    var draft = LostDraft()
    for index in 8..<draft.events.count { draft.events[index].sequence = UInt64(index + 5) }
    for index in 0..<8 { draft.events[index].sequence = UInt64(index) }
    let session = draft.session()
    session.settings.judgement.rules = try RuleSelection("NQ01")
    _ = try session.say("goto 7")
    _ = try session.say("watch data(\"draft.txt\").unsaved")
    let said = try said(session, "continue")
    #expect(
      said.contains("1,204 bytes -> unknown, unknown since #9: events are missing"),
      "\(said)"
    )
  }

  @Test func commandsLookWhereItStopped() throws {
    let session = try session()
    _ = try session.say("break suspend")
    _ = try session.say("commands 1 print state; print count tasks")
    let said = try said(session, "continue")
    #expect(said.contains("state = suspended\ncount tasks = 0"), "\(said)")
    #expect(refusal(session, "commands 1 goto 3")?.isUsage == true)
    #expect(refusal(session, "commands 9 dirty")?.isUsage == false)
  }

  @Test func untilComputesTheInstantBetweenEvents() throws {
    let session = try session()
    let said = try said(session, "until data(\"draft.txt\").age > 300ms && state == background")
    // Edited at 2.104 s; in the background from 3.1 s on.
    #expect(session.player.here.ordinal == 9, "\(said)")
    #expect(said.contains("Became true here, of notes#1 and its next lives."))
    _ = try session.say("goto start")
    let between = try self.said(session, "until data(\"draft.txt\").age > 300ms")
    #expect(between.contains("Became true at +2.404000 s, between #7 and #8"), "\(between)")
    #expect(session.player.here.ordinal == 7)
    _ = try session.say("goto 11")
    let held = try self.said(session, "until task(\"upload\").age > 150ms")
    #expect(held.contains("+3.350000 s, between #12 and #13"), "\(held)")
    #expect(refusal(session, "until task(\"upload\").age > 1h")?.isUsage == false)
  }

  @Test func valuesAreToldWhereOneStands() throws {
    let session = try session()
    _ = try session.say("goto 11")
    #expect(try said(session, "print count tasks") == "count tasks = 1")
    #expect(try said(session, "print name").hasSuffix("applicationDidEnterBackground:") == false)
    #expect(try said(session, "print state") == "state = background")
    #expect(try said(session, "print granted") == "granted = 30 s")
    #expect(try said(session, "print data(\"draft.txt\").unsaved > 0").hasSuffix("= true"))
    #expect(try said(session, "expect any data where unsaved > 0").contains("It holds at #11"))
    let no = refusal(session, "expect all data where unsaved == 0")
    #expect(no?.isUnknown == false && no?.isUsage == false)
    _ = try session.say("display state")
    #expect(try said(session, "goto 14").contains("state = suspended"))
    #expect(try said(session, "display -d 1").contains("There are no displays"))
  }

  @Test func aHistoryListsEachChange() throws {
    let session = try session()
    let lines = try session.say("history data(\"draft.txt\").version")
    #expect(lines.count == 3, "\(lines)")
    #expect(lines[2].contains("2 ->  lost"), "\(lines)")
    #expect(lines[0].contains("nothing ->  1") && lines[1].contains("1 ->  2"), "\(lines)")
    #expect(try said(session, "history state").contains("background ->  suspended"))
    #expect(try said(session, "count dirty by object") == "2  draft.txt\n2 events.")
    #expect(try said(session, "count state.transition && to == background") == "1 event.")
  }

  @Test func aHistoryHasTheEndThatLostTheObject() throws {
    let lines = try session().say("history data(\"draft.txt\").unsaved")
    let lost = lines.firstIndex { $0.contains("->  lost") }
    #expect(lost.map { lines[$0].contains("state.purge") } == true, "\(lines)")
    #expect(lines.filter { $0.contains("lost") }.count == 1, "\(lines)")
    // It stands before what the next life begins with.
    #expect(lost == lines.count - 1 || lost.map { lines[$0 + 1].contains("process.start") } == true)
    #expect(try !said(session(), "history state").contains("lost"))
  }

  @Test func aViolationInWordsIsToldItsNumber() throws {
    let session = try session()
    #expect(refusal(session, "goto violation 2")?.message == "Violation 2 is #2: goto #2.")
    #expect(refusal(session, "goto violation #2")?.message == "Violation 2 is #2: goto #2.")
    #expect(refusal(session, "violations 2")?.message == "Violation 2 is #2: goto #2.")
    #expect(refusal(session, "goto event 4")?.message == "Event 4 is 4: goto 4.")
    #expect(refusal(session, "goto a b")?.message.contains("takes one place") == true)
  }

  @Test func whatLossesLeaveOpenIsNeitherTrueNorFalse() throws {
    var draft = LostDraft()
    for index in 8..<draft.events.count { draft.events[index].sequence = UInt64(index + 5) }
    for index in 0..<8 { draft.events[index].sequence = UInt64(index) }
    let session = draft.session()
    _ = try session.say("goto 14")
    let unknown = refusal(session, "expect all data where unsaved == 0")
    #expect(unknown?.isUnknown == true)
    #expect(try said(session, "print data(\"draft.txt\").unsaved").hasSuffix("= unknown"))
    let open = refusal(session, "find purge && all data where unsaved == 0")
    #expect(open?.message.contains("1 place on the way could not be decided") == true)
    session.settings.judgement.rules = try RuleSelection("NQ01")
    _ = try session.say("break purge if all data where unsaved == 0")
    #expect(try said(session, "continue").contains("No stop"))
    _ = try session.say("delete")
    _ = try session.say("goto 14")
    _ = try session.say("break --maybe purge if all data where unsaved == 0")
    #expect(try said(session, "continue").contains("it cannot be decided whether this holds"))
  }
}
