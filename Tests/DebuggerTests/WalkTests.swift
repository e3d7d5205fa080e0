// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import Support
import Testing

@testable import LifetraceDebugger

/// Commands against a recording small enough to know by heart.
@Suite struct WalkTests {
  @Test func walksBackFromThePurgeToTheEdit() throws {
    let session = LostDraft().session()
    #expect(try session.say("goto end").first?.contains("purged (memory)") == true)
    #expect(try session.say("prev dirty").first?.contains("#7") == true)
    #expect(try session.say("state").contains { $0.contains("active, since +0.300 s") })
    #expect(
      try session.say("dirty") == [
        "draft.txt  version 2  1,204 bytes  unsaved for 0 ns  saved: version 1  Editor.swift:41"
      ]
    )
    #expect(try session.say("next suspend").isEmpty == false)
  }

  @Test func explainsTheLoss() throws {
    let session = LostDraft().session()
    _ = try session.say("goto +5")
    let lines = try session.say("why draft.txt")
    #expect(
      lines.first == "draft.txt version 2 (1,204 bytes) exists in memory only; version 1 is saved."
    )
    #expect(lines.contains { $0.contains("ran without saving it") && $0.contains("#12") })
    #expect(
      lines.contains(
        "It could last have been saved before notes#1:13 (+3.500 s, state.transition)."
      )
    )
  }

  @Test(
    "Ctrl-C stops what may look at many writers",
    arguments: ["ps", "list", "goto 7", "goto +2", "goto 50%"]
  )
  func answersStop(line: String) throws {
    let session = LostDraft().session()
    _ = try session.say("goto 3")
    session.player.isInterrupted = { true }
    #expect(throws: SearchInterrupted.self) { try session.say(line) }
    #expect(session.player.here.ordinal == 3)
  }

  @Test func placesAreUnderstood() throws {
    let session = LostDraft().session()
    let expected = [
      ("goto 7", 7), ("goto +2.104", 7), ("goto +2.1", 6), ("goto .+1s", 10), ("goto .-2s", 4),
      ("goto 50%", 8), ("goto start", 0), ("goto end", 16), ("goto notes#1:0", 1),
    ]
    for (line, event) in expected {
      if line.contains(".") && line.contains("goto .") {
        _ = try session.say("goto \(line == "goto .+1s" ? 7 : 8)")
      }
      _ = try session.say(line)
      #expect(session.player.here.ordinal == event, "\(line)")
    }
    for wrong in [
      "goto", "goto 17", "goto +99s", "goto nowhere", "goto #9", "goto 101%", "goto 1 2",
    ] {
      #expect(throws: CommandError.self, "\(wrong)") { try session.say(wrong) }
    }
    _ = try session.say("goto 7")
    _ = try session.say("mark edit")
    _ = try session.say("goto end")
    _ = try session.say("goto edit")
    #expect(session.player.here.ordinal == 7)
    _ = try session.say("undo")
    #expect(session.player.here.ordinal == 16)
  }

  @Test func spansAndTasksAreListed() throws {
    let session = LostDraft().session()
    _ = try session.say("goto 11")
    #expect(try session.say("tasks").first?.contains("\"upload\"") == true)
    #expect(try session.say("bt").first?.contains("applicationDidEnterBackground:") == true)
    _ = try session.say("finish")
    #expect(session.player.here.ordinal == 12)
    _ = try session.say("reverse-finish")
    #expect(session.player.here.ordinal == 10)
    _ = try session.say("goto 15")
    #expect(try session.say("queue").first?.contains("NSCurrentLocaleDidChange") == true)
  }

  @Test func findingLooksEverywhere() throws {
    let session = LostDraft().session()
    _ = try session.say("find DRAFT")
    #expect(session.player.here.ordinal == 4)
    _ = try session.say("find editor.swift")
    #expect(session.player.here.ordinal == 7)
    _ = try session.say("find task.")
    #expect(session.player.here.ordinal == 11)
    _ = try session.say("reverse-find draft")
    #expect(session.player.here.ordinal == 7)
    #expect(throws: CommandError.self) { try session.say("find nothing-like-this") }
    _ = try session.say("goto 8")
    #expect(try session.say("last draft.txt").first?.contains("#7") == true)
    #expect(session.player.here.ordinal == 8, "last does not move")
  }

  /// At the end one stands because it is the end, and from there the last violation is the next.
  @Test func aWalkPastTheLastViolationLeavesItBehind() throws {
    let story = try #require(Golden.text("Traces/RS06-broken/story.txt"))
    let said = try TranscriptTests.run("goto #1\ncontinue\nwhen\nrc", story)
    let parts = said.split(separator: "(replay) ").map(String.init)
    #expect(parts[2].contains("\nNo violation on the way.\n"), "\(said)")
    #expect(!parts[3].contains("Violation"), "\(said)")
    #expect(parts[4].contains("\nViolation #1, RS06"), "\(said)")
  }

  @Test func everyCommandAnswersInJSON() throws {
    let session = LostDraft().session()
    _ = try session.say("goto 12")
    let arguments = [
      "goto": ["7"], "next": ["state"], "prev": ["state"], "tbreak": ["purge"],
      "watch": ["state"], "until": ["state == suspended"],
      "reverse-until": ["state == active"], "enable": ["1"], "disable": ["1"],
      "ignore": ["1", "0"], "commands": ["1 dirty"], "print": ["state"],
      "expect": ["count data > 0"], "diff": ["1"], "note": ["seen"],
      "source": ["/none"], "history": ["state"], "count": ["dirty by object"],
      "what-if": ["purge"], "minimize": ["#1"],
    ]
    for command in CommandTable.all
    where !["set", "quit", "apropos", "find", "reverse-find", "define", "document"]
      .contains(command.name)
    {
      let words = arguments[command.name] ?? []
      do {
        let answer = try command.run(session, words)
        #expect(!answer.members(session).isEmpty, "\(command.name)")
        #expect(!answer.lines(session).isEmpty, "\(command.name)")
      } catch let error as CommandError {
        #expect(!error.isUsage, "\(command.name): \(error.message)")
      }
    }
  }
}
