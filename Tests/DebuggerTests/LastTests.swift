// SPDX-License-Identifier: GPL-3.0-or-later
import Support
import Testing

@testable import LifetraceDebugger

/// `last` says when something changed, and not where it is only mentioned.
@Suite struct LastTests {
  private func said(_ line: String, at event: Int, launchesAgain: Bool = false) throws -> String {
    var draft = LostDraft()
    if launchesAgain { draft.launchAgain() }
    let session = draft.session()
    _ = try session.say("goto \(event)")
    let text = try session.say(line).joined(separator: "\n")
    #expect(session.player.here.ordinal == event, "last does not move")
    return text
  }

  private func refusal(_ line: String, at event: Int) -> CommandError? {
    do {
      _ = try said(line, at: event)
      return nil
    } catch {
      return error as? CommandError
    }
  }

  /// A deferred save of it is mentioned behind the edit.
  @Test func aDataObjectChangesWithItsData() throws {
    let story = try #require(Golden.text("Traces/DS02-broken/story.txt"))
    let text = try TranscriptTests.run("goto 13\nlast draft.txt", story)
    #expect(text.contains("last draft.txt\n#7 "), "\(text)")
  }

  @Test func aValueOfTheStateIsToldOldAndNew() throws {
    let text = try said("last data(\"draft.txt\").saved", at: 16)
    #expect(text.contains("#6 "), "\(text)")
    #expect(text.contains("data(\"draft.txt\").saved: 0 -> 1"), "\(text)")
    #expect(text.contains("To go there: goto 6"), "\(text)")
    #expect(try said("last count tasks", at: 16).contains("count tasks: 1 -> 0"))
    #expect(try said("last state == suspended", at: 15).contains("#14 "))
  }

  /// A value is of all lives of the app.
  @Test func anEarlierLifeCounts() throws {
    let text = try said("last count tasks", at: 17, launchesAgain: true)
    #expect(text.contains("#13 "), "\(text)")
  }

  @Test func whatHasNotChangedYetIsSaid() {
    let early = refusal("last data(\"draft.txt\").saved", at: 3)?.message
    #expect(early == "There is no change of data(\"draft.txt\").saved up to here.")
    #expect(
      refusal("last draft.txt", at: 3)?.message == "There is no change of draft.txt up to here."
    )
    #expect(refusal("last data(\"draft.txt\").sved", at: 16)?.isUsage == true)
    #expect(refusal("last task(\"upload\").age", at: 12)?.message.contains("all the time") == true)
  }

  /// As people type them: with or without the brackets and quotes of expressions.
  @Test(arguments: ["draft.txt", "data(draft.txt)", "data(\"draft.txt\")"])
  func anObjectIsNamedInAnyWay(_ name: String) throws {
    let story = try #require(Golden.text("Traces/DS02-broken/story.txt"))
    let commands = ["last", "why", "timeline", "history"].map { "\($0) \(name)" }
    let text = try TranscriptTests.run("goto #2\n" + commands.joined(separator: "\n"), story)
    let parts = text.split(separator: "(replay) ").map(String.init).dropFirst(2)
    try #require(parts.count == 4, "\(text)")
    let (last, why, timeline, history) = (parts[2], parts[3], parts[4], parts[5])
    #expect(last.contains("That is "), "\(last)")
    #expect(why.contains("draft.txt version 2 (1,204 bytes) was lost"), "\(why)")
    #expect(timeline.contains("╳ lost") || timeline.contains("X lost"), "\(timeline)")
    #expect(history.contains("data(\"draft.txt\").unsaved, one of its fields"), "\(history)")
    #expect(history.contains("->  lost"), "\(history)")
  }

  @Test func whatIsNoObjectIsTakenForNone() throws {
    #expect(refusal("history upload", at: 16)?.message.contains("data(\"upload\")") == false)
    #expect(refusal("history data(other.txt)", at: 16)?.isUsage == true)
    #expect(refusal("print draft.txt", at: 16)?.message.contains("data(\"draft.txt\")") == true)
  }

  @Test func kindsAndOtherNamesAreAsBefore() throws {
    #expect(try said("last state", at: 16).contains("#16 "))
    #expect(try said("last dirty && bytes > 1kB", at: 16).contains("#7 "))
    #expect(try said("last upload", at: 16).contains("#11 "))
  }
}
