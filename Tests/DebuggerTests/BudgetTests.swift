// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import LifetraceDebugger

/// `deadlines`: every budget that runs, with the limit by which it is judged.
@Suite struct BudgetTests {
  private static let woken = """
    app sync#1 timeScale=10
    +0s    sync#1 main process.start reason=processing app=sync
    +0.1s  sync#1 main wake.begin id=1 reason=processing by=host
    +0.2s  sync#1 t7   work.begin transfer id=6 kind=network queue=net @Sync.swift:12
    +2s    sync#1 t7   work.end id=6
    +6.2s  sync#1 main process.exit cause=watchdog code=0x2182bad4

    """

  @Test func aWakeHasTheLimitOfItsKindAtTheScale() throws {
    let said = try TranscriptTests.run("goto 3\ndeadlines", Self.woken)
    #expect(said.contains("wake by processing  10 min of wall time, 6 s here"), "\(said)")
    #expect(said.contains("5.9 s left"), "\(said)")
    #expect(
      said.contains("Time scale 0.01: a second of this recording stands for 100 s."),
      "\(said)"
    )
    let location = Self.woken.replacing("reason=processing by", with: "reason=location by")
    let none = try TranscriptTests.run("goto 3\ndeadlines", location)
    #expect(none.contains("No time budget runs"), "\(none)")
  }

  @Test func theWorkOfAWakeThatWasNotCompletedIsTold() throws {
    let said = try TranscriptTests.run("goto #1\nwhy", Self.woken)
    #expect(said.contains("begun in it"), "\(said)")
    #expect(said.contains("Sync.swift:12"), "\(said)")
    #expect(said.contains("1 piece of work began in the wake; the last ended 7 min"), "\(said)")
    let open = Self.woken.replacing("+2s    sync#1 t7   work.end id=6\n", with: "")
    let unended = try TranscriptTests.run("goto #1\nwhy", open)
    #expect(unended.contains("and not all of it had ended."), "\(unended)")
  }

  @Test func callbacksAndTasksHaveBudgetsToo() throws {
    let session = LostDraft().session()
    _ = try session.say("goto 11")
    let lines = try session.say("deadlines")
    #expect(
      lines.contains {
        $0.hasPrefix("applicationDidEnterBackground:") && $0.contains("5 s of wall time")
          && $0.contains("4.9 s left")
      },
      "\(lines)"
    )
    #expect(lines.contains { $0.hasPrefix("task \"upload\"") && $0.contains("30 s") }, "\(lines)")
    #expect(lines.last?.contains("any spans where age > 1s, any tasks where age > 1s") == true)
    _ = try session.say("goto 7")
    #expect(try session.say("deadlines") == ["No time budget runs for notes#1."])
  }

  /// What the system gives is asked as what the app has set is: by name, with the instant computed.
  @Test func theTimesOfTheSystemAreAskedByName() throws {
    let session = LostDraft().session()
    _ = try session.say("goto 11")
    let left = try session.say("print deadline(\"didEnterBackground\").left")
    #expect(left.last?.contains("= 4.9 s") == true, "\(left)")
    let own = try session.say("print deadline(\"applicationDidEnterBackground:\").left")
    #expect(own.last?.contains("= 4.9 s") == true, "\(own)")
    let task = try session.say("print deadline(\"upload\").budget")
    #expect(task.last?.contains("= 30 s") == true, "\(task)")
    _ = try session.say("set profile classic")
    let classic = try session.say("print deadline(\"didEnterBackground\").budget")
    #expect(classic.last?.contains("= 5 s") == true, "\(classic)")
    _ = try session.say("goto 7")
    let none = try session.say("print deadline(\"didEnterBackground\").left")
    #expect(none.last?.contains("4.9") == false, "\(none)")
  }

  @Test func theInstantAtWhichTheSystemLosesPatienceLiesBetweenEvents() throws {
    let story = """
      app notes#1 profile=ios13
      +0s    notes#1 main process.start reason=icon app=notes
      +0.1s  notes#1 main state.transition from=inactive to=active
      +1s    notes#1 main callback.begin applicationDidEnterBackground: id=4
      +8s    notes#1 main callback.end id=4

      """
    let said = try TranscriptTests.run("until deadline(\"didEnterBackground\").left < 500ms", story)
    #expect(said.contains("Became true at"), "\(said)")
    #expect(said.contains("between #3 and #4"), "\(said)")
    let back = try TranscriptTests.run(
      "goto end\nreverse-until deadline(\"didEnterBackground\").left > 4s",
      story
    )
    #expect(back.contains("Held last at"), "\(back)")
  }

  @Test func whatIsNotThereIsSaidToBeNowhere() throws {
    let session = LostDraft().session()
    _ = try session.say("goto 7")
    let nope = try session.say("print data(\"image.png\").unsaved")
    #expect(nope.last == "No event of this recording names \"image.png\".", "\(nope)")
    #expect(try session.say("print data(\"draft.txt\").unsaved").count == 1)
    let none = try session.say("history count deadlines")
    #expect(none.last?.contains("no deadline of its own") == true, "\(none)")
    let until = #expect(throws: CommandError.self) {
      try session.say("until any deadlines where left < 100ms")
    }
    #expect(until?.message.contains("for those of the system: deadlines") == true)
  }

  @Test func beforeTheBeginNothingIsMissing() throws {
    let session = LostDraft().session()
    let early = #expect(throws: CommandError.self) { try session.say("expect state == active") }
    #expect(early?.message == "It cannot be decided at #0: notes#1 has not started yet.")
    #expect(early?.isUnknown == true)
  }

  @Test func aSlowCallbackSaysBetweenWhichEventsTheTimeWent() throws {
    let story = """
      app notes#1
      +0s    notes#1 main process.start reason=icon app=notes
      +0.1s  notes#1 main state.transition from=not-running to=inactive cause=launch
      +0.2s  notes#1 main state.transition from=inactive to=active cause=launch
      +1s    notes#1 main state.transition from=active to=inactive cause=home
      +1.1s  notes#1 main state.transition from=inactive to=background cause=home
      +1.1s  notes#1 main callback.begin applicationDidEnterBackground: id=1
      +1.2s  notes#1 main task.begin id=7 name=flush granted=30s handler=true
      +4.2s  notes#1 main mark here
      +6.9s  notes#1 main callback.end applicationDidEnterBackground: id=1

      """
    let said = try TranscriptTests.run("goto #1\nwhy", story)
    #expect(
      said.contains(
        "Nothing happened on main for 3 s between notes#1:6 and notes#1:7, "
          + "2.7 s between notes#1:7 and notes#1:8."
      ),
      "\(said)"
    )
    let steady = story.split(separator: "\n").filter {
      !$0.contains("+1.2s") && !$0.contains("+4.2s")
    }
    .joined(separator: "\n")
    let whole = try TranscriptTests.run("goto #1\nwhy", steady + "\n")
    #expect(whole.contains("DL02") && !whole.contains("Nothing happened on main"), "\(whole)")
  }
}
