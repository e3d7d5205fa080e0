// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import Testing

@testable import LifetraceDebugger

/// Questions about the state of another writer at the same instant.
@Suite struct OtherWriterTests {
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
