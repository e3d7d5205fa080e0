// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import Testing

@testable import LifetraceDebugger

/// Questions about the state of another writer at the same instant.
@Suite struct OtherWriterTests {
  /// That a process is no app is said of each expression that asks for the state of one.
  @Test(arguments: ["print state", "print before.state", "print state == active"])
  func aProcessThatIsNoAppIsSaidToBeNone(line: String) throws {
    let story = """
      app syncd#1 role=daemon
      +0s syncd#1 main process.start reason=boot app=syncd
      +1s syncd#1 main callback.begin syncNow id=1
      +2s syncd#1 main callback.end id=1

      """
    let said = try TranscriptTests.run("goto end\n\(line)", story)
    #expect(said.contains("syncd#1 is no app"), "\(said)")
  }

  /// A name that no event has is said to be none, with the nearest that is one.
  @Test(arguments: [
    ("find name == \"syncNwo\"", "did you mean syncNow?"),
    ("next callback && name == \"syncNwo\"", "did you mean syncNow?"),
    ("count name == \"syncNwo\"", "did you mean syncNow?"),
    ("list where name == \"syncNwo\"", "did you mean syncNow?"),
    ("print snycd.state", "No writer is called snycd. Of syncd: syncd.state"),
    ("next calback", "did you mean callback?"),
  ])
  func aMisspeltNameIsPutRight(line: String, hint: String) throws {
    let story = """
      app syncd#1 role=daemon
      +0s syncd#1 main process.start reason=boot app=syncd
      +1s syncd#1 main callback.begin syncNow id=1

      """
    let said = try TranscriptTests.run("goto start\n\(line)", story)
    #expect(said.contains(hint), "\(said)")
  }

  @Test func eventsAreCountedByWriter() throws {
    let story = """
      app a#1
      app b#1 role=daemon
      +0s a#1 main process.start reason=icon app=a
      +1s b#1 main process.start reason=boot app=b
      +2s b#1 main data.dirty d version=1 bytes=3
      +3s b#1 main data.dirty d version=2 bytes=3
      +4s a#1 main data.dirty d version=1 bytes=3

      """
    let said = try TranscriptTests.run("count dirty by writer\ncount dirty by process", story)
    let rows = said.split(separator: "\n").count { $0 == "2  b" || $0 == "2  b#1" }
    #expect(rows == 2, "\(said)")
    #expect(said.contains("3 events."), "\(said)")
  }

  /// `#1` behind a command is a violation, and no remark.
  @Test func aListIsOfTheEventsAroundAViolation() throws {
    let session = LostDraft().session()
    _ = try session.say("goto start")
    let here = try session.say("list 3")
    let there = try session.say("list #1")
    #expect(there != here)
    #expect(there.contains { $0.contains("purge") }, "\(there)")
  }

  private func session() throws -> Session {
    let story = """
      app notes#1 pid=11
      app syncd#1 pid=12 role=daemon
      +0s      notes#1 main process.start app=notes
      +1s      notes#1 main state.transition from=inactive to=active
      +1.5s    syncd#1 main process.start app=syncd
      +2s      syncd#1 main resource.acquire "group/notes.sqlite" class=lock
      +3s      notes#1 main state.transition from=active to=background
      +4s      notes#1 main state.suspend
      +5s      syncd#1 main resource.release "group/notes.sqlite" class=lock
      +6s      notes#1 main state.resume
      +7s      notes#1 main state.suspend
      +8s      syncd#1 main process.exit cause=exit
      """
    let session = Session(
      player: Player(Timeline(try Story.parse(story).source)),
      title: "two.lifetrace",
      problems: [],
      settings: Settings(hasColor: false, isJSON: false)
    )
    session.settings.judgement.rules = try RuleSelection("NQ01")
    _ = try session.say("goto start")
    return session
  }

  private func said(_ session: Session, _ line: String) throws -> String {
    try session.say(line).joined(separator: "\n")
  }

  @Test func aBreakAsksAnotherWriterAtTheSameInstant() throws {
    let session = try session()
    _ = try session.say(
      "break suspend if syncd.any resources where name == \"group/notes.sqlite\""
    )
    _ = try session.say("continue")
    #expect(session.player.here.ordinal == 6)
    _ = try session.say("continue")
    #expect(session.player.here.ordinal == 10, "the second suspension comes behind the release")
    _ = try session.say("reverse-continue")
    #expect(session.player.here.ordinal == 6)
    let counted = try said(session, "count state && syncd.count resources > 0")
    #expect(counted.contains("2 events"), "\(counted)")
    // Before it has started nothing holds of it.
    _ = try session.say("goto start")
    _ = try session.say("find syncd.count resources == 0")
    #expect(session.player.here.ordinal == 3)
  }

  @Test func aWatchOfAnotherWriterStopsAtItsEvents() throws {
    let session = try session()
    let set = try said(session, "watch syncd.count resources")
    #expect(set == "Stop 1: watching syncd.count resources, of syncd.")
    #expect(try said(session, "continue").contains("syncd.count resources: nothing -> 0"))
    #expect(try said(session, "continue").contains("syncd.count resources: 0 -> 1"))
    #expect(session.player.here.ordinal == 4)
    #expect(try said(session, "continue").contains("syncd.count resources: 1 -> 0"))
    #expect(session.player.here.ordinal == 7)
    #expect(try said(session, "print notes.state") == "notes.state = suspended")
    let history = try said(
      session,
      "history notes.state == suspended && syncd.count resources == 1"
    )
    #expect(history.split(separator: "\n").count == 2, "\(history)")
  }

  /// What is not named is the writer in focus, wherever the event is.
  @Test func untilMeetsTwoWriters() throws {
    let session = try session()
    _ = try session.say("goto 2")
    let said = try said(
      session,
      "until state == suspended && syncd.resource(\"group/notes.sqlite\").age > 2.5s"
    )
    #expect(said.contains("Became true at +4.500000 s, between #6 and #7"), "\(said)")
  }

  @Test func aWriterThatIsNotThereIsNamed() throws {
    let session = try session()
    for (text, words) in [
      ("break suspend && sync.any tasks", "there is no writer sync"),
      ("break syncd.dirty", "dirty is of an event; of another writer the state is asked"),
      ("break syncd.bytes > 3", "bytes is of an event"),
      ("break syncd.before.state == active", "one scope at a time"),
    ] {
      let error = #expect(throws: CommandError.self) { try session.say(text) }
      #expect(error?.message.contains(words) == true, "\(text): \(error?.message ?? "")")
    }
  }
}
