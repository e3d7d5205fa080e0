// SPDX-License-Identifier: Apache-2.0
import LifetraceReplay
import LifetraceRules
import LifetraceTrace
import Testing

@testable import LifetraceDebugger

/// Stops and values over the lives of an app, and at instants that are none of an event.
@Suite struct LivesAndInstantsTests {
  private func said(_ session: Session, _ line: String) throws -> String {
    try session.say(line).joined(separator: "\n")
  }

  private func refusal(_ session: Session, _ line: String) -> String {
    do {
      return "not refused: \(try said(session, line))"
    } catch let error as CommandError {
      return error.message
    } catch {
      return "\(error)"
    }
  }

  /// Two lives, at the end; no rule is asked.
  private func session() throws -> Session {
    var draft = LostDraft()
    draft.launchAgain()
    let session = draft.session()
    session.settings.judgement.rules = try RuleSelection("NQ01")
    _ = try session.say("goto end")
    return session
  }

  @Test func aWatchIsOfAllLives() throws {
    let session = try session()
    _ = try session.say("watch data(\"draft.txt\").unsaved")
    // What the purge took stood in memory until the next life began.
    #expect(try said(session, "reverse-continue").contains("1,204 bytes -> 0 bytes"))
    #expect(session.player.event?.kind == .processStart)
    #expect(try said(session, "reverse-continue").contains("0 bytes -> 1,204 bytes"))
    #expect(session.player.here.ordinal == 7)
  }

  @Test func aHistoryShowsWhatALifeDidNotTakeAlong() throws {
    let lines = try session().say("history data(\"draft.txt\").unsaved")
    #expect(lines.contains { $0.contains("1,204 bytes ->") && $0.contains("#17") }, "\(lines)")
  }

  @Test func anInstantBetweenTwoEventsIsStoodAt() throws {
    let session = try session()
    _ = try session.say("goto start")
    _ = try session.say("until data(\"draft.txt\").age > 300ms")
    #expect(session.player.time.rawValue > 2_404_000_000)
    #expect(try said(session, "print data(\"draft.txt\").age > 300ms").hasSuffix("= true"))
    let again = refusal(session, "until data(\"draft.txt\").age > 300ms")
    #expect(again.contains("holds here already"), "\(again)")
    #expect(try said(session, "goto +2.5s").contains("Here at +2.500000 s, before #8."))
    #expect(session.player.here.ordinal == 7)
    #expect(try said(session, "print data(\"draft.txt\").age > 300ms").hasSuffix("= true"))
    // A step is to an event again, and so is the way back to where it stood.
    _ = try session.say("step")
    #expect(session.player.instant == nil && session.player.here.ordinal == 8)
    _ = try session.say("back")
    #expect(session.player.instant == nil && session.player.here.ordinal == 7)
    #expect(try said(session, "print data(\"draft.txt\").age > 300ms").hasSuffix("= false"))
  }

  @Test func aStopIsToldThoughACommandOfItFails() throws {
    let session = try session()
    _ = try session.say("goto start")
    _ = try session.say("break suspend")
    _ = try session.say("commands 1 print state; print bytes; print count tasks")
    let said = try said(session, "continue")
    #expect(said.contains("Stop 1: suspend"), "\(said)")
    #expect(said.contains("state = suspended"), "\(said)")
    #expect(said.contains("print bytes: bytes is "), "\(said)")
    #expect(said.contains("count tasks = 0"), "\(said)")
  }

  /// A stop that can never be reached is said to be one, with where there are events.
  @Test func aLineWithoutEventsIsNamedWithItsNeighbours() throws {
    let session = try session()
    _ = try session.say("goto start")
    let none = try said(session, "break Editor.swift:42")
    #expect(
      none.contains("No event of this recording stands at Editor.swift:42; the nearest with "),
      "\(none)"
    )
    for line in [41, 43] { #expect(none.contains("Notes/Editor.swift:\(line)"), "\(none)") }
    #expect(!(try said(session, "break Editor.swift:41")).contains("No event"))
    // A file is meant from a folder on, and no other file that ends so.
    #expect(try said(session, "break ditor.swift:41").contains("did you mean Editor.swift?"))
    let other = try said(session, "break Editor.swift:41 if bytes > 900MiB")
    #expect(!other.contains("No event"), "\(other)")
    _ = try session.say("delete 1 2 3")
    #expect(try said(session, "continue").contains("No stop"))
  }

  @Test func stopsAreSetAtALineAndForgottenByNumber() throws {
    let session = try session()
    _ = try session.say("goto start")
    _ = try session.say("break Editor.swift:43")
    _ = try session.say("break Notes/Editor.swift:41")
    #expect(try said(session, "continue").contains("#4"))
    _ = try session.say("delete 2")
    _ = try session.say("continue")
    #expect(session.player.event?.site.rawValue != 0)
    #expect(try said(session, "print line").hasSuffix("= 43"))
    _ = try session.say("break suspend")
    #expect(refusal(session, "delete 1 9").contains("There is no stop 9"))
    #expect(session.player.stops.all.map(\.number) == [1, 3])
    _ = try session.say("disable")
    #expect(session.player.stops.all.allSatisfy { !$0.isEnabled })
    _ = try session.say("enable 1 3")
    #expect(session.player.stops.all.allSatisfy { $0.isEnabled })
    #expect(try said(session, "delete") == "Forgot 2 stops.")
  }

  @Test func aFieldHasTheTypeThatTheEventHereGivesIt() throws {
    let session = try session()
    _ = try session.say("goto 7")
    #expect(try said(session, "print bytes") == "bytes = 1,204 bytes")
  }

  @Test func namesThatNoEventHasAreSaid() throws {
    let session = try session()
    for line in [
      "print data(\"draft.tx\").unsaved", "history data(\"draft.tx\").unsaved",
      "watch data(\"draft.tx\").unsaved",
    ] {
      #expect(try said(session, line).contains("did you mean draft.txt?"), "\(line)")
    }
    #expect(try !said(session, "print data(\"draft.txt\").unsaved").contains("No event"))
    #expect(refusal(session, "history draft.txt").contains("data(\"draft.txt\").unsaved"))
    #expect(
      refusal(session, "until data(\"draft.tx\").unsaved > 1").contains("did you mean draft.txt?")
    )
  }
}
