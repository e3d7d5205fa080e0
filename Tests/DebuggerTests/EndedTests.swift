// SPDX-License-Identifier: GPL-3.0-or-later
import Support
import Testing

@testable import LifetraceDebugger

/// Behind the end of a life nothing is open any more: what was is told as what was open then.
@Suite struct EndedTests {
  private static let story = """
    app notes#1 pid=12 profile=ios13
    app syncd#1 role=daemon
    +0s   notes#1 main process.start reason=icon app=notes
    +1s   notes#1 main task.begin id=9 name=upload
    +1s   notes#1 main resource.acquire db class=lock
    +2s   notes#1 main notification.posted NSCurrentLocaleDidChange value=sv by=host
    +3s   notes#1 main process.exit cause=crash code=11 by=recorder
    +9s   syncd#1 main log "later" text="later" level=1

    """

  @Test(arguments: ["tasks", "resources", "queue"])
  func ledgers(_ command: String) throws {
    let said = try TranscriptTests.run(
      "goto end\n\(command) notes#1\ngoto 4\n\(command)",
      Self.story
    )
    let parts = said.split(separator: "(replay) ").map(String.init)
    #expect(parts[2].contains("notes#1 ended at +3.000 s (crash). This was open then:"), "\(said)")
    #expect(parts[2].contains("for 2 s") || parts[2].contains("for 1 s"), "ages end too: \(said)")
    #expect(!parts[4].contains("ended"), "\(said)")
  }

  @Test func theStateSaysSoToo() throws {
    let said = try TranscriptTests.run("goto end\nstate notes#1\nspans notes#1", Self.story)
    #expect(said.contains("db, held at its end"), "\(said)")
    #expect(said.contains("1 background task, open at its end"), "\(said)")
    #expect(said.contains("1 notification to be delivered, open at its end"), "\(said)")
    #expect(said.contains("Nothing is open in notes#1: no callback, work or wait."), "\(said)")
  }

  /// By its number version 2 is saved, and a save behind it has put the bytes of before there.
  @Test func aSaveOfOtherBytesIsNotCalledSafe() throws {
    let text = try #require(Golden.text("Traces/DS12-broken-overtaken/story.txt"))
    let said = try TranscriptTests.run(
      "goto notes#1:5\ndirty\ngoto notes#1:6\ndirty\nwhy draft.txt\nstate\nwhat-if purge notes#1:6",
      text
    )
    let parts = said.split(separator: "(replay) ").map(String.init)
    #expect(parts[2].contains("a purge here would lose nothing"), "\(said)")
    #expect(parts[4].contains("counts as saved, and notes#1:6 wrote other bytes"), "\(said)")
    #expect(parts[5].contains("counts as saved, and its save wrote other bytes"), "\(said)")
    #expect(parts[6].contains("saved with other bytes than the edit told: draft.txt"), "\(said)")
    #expect(parts[7].contains("may be lost: its save wrote other bytes"), "\(said)")
    #expect(!parts[4...].contains { $0.contains("lose nothing") }, "\(said)")
  }

  /// A file with a frame around the text has other bytes than each of its edits, and is right.
  @Test func aFormOfItsOwnIsNoOtherBytes() throws {
    let text = try #require(Golden.text("Traces/DS12-kept-again/story.txt"))
    let said = try TranscriptTests.run(
      "goto notes#1:7\ndirty\nwhy draft.json\nstate\nlast draft.json\nhistory draft.json\nwhat-if purge",
      text
    )
    #expect(!said.contains("other bytes"), "\(said)")
    #expect(said.contains("a purge here would lose nothing"), "\(said)")
  }

  /// The text of a scenario is not on its line, though each word that was typed stands in it.
  @Test func aSearchFindsWhatLinesShow() throws {
    let text = try #require(Golden.text("Traces/sessions/feather.txt"))
    let said = try TranscriptTests.run("goto start\nfind 72,9\nwhy purge\nwhy 2", text)
    let parts = said.split(separator: "(replay) ").map(String.init)
    #expect(parts[2].contains("feather#1:186"), "\(said)")
    #expect(parts[3].contains("find purge goes to one"), "\(said)")
    #expect(parts[4].contains("goto 2 and then why, or why #2"), "\(said)")
  }
}
