// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceTrace
import Testing

@testable import LifetraceDebugger

/// `what-if`: what an end at a place would lose, and what no recording can say.
@Suite struct WhatIfTests {
  @Test func aPurgeTellsWhatItWouldLose() throws {
    let session = LostDraft().session()
    #expect(
      try session.say("what-if purge notes#1:13") == [
        "A purge of notes#1 right behind notes#1:13 (suspended) would lose:",
        "  draft.txt  version 2  1,204 bytes  lost  the next launch finds version 1",
        "Nothing behind that place is claimed.",
      ]
    )
    let saved = try session.say("what-if kill notes#1:5")
    #expect(
      saved.first
        == "A kill by the user of notes#1 right behind notes#1:5 (active) would lose nothing: "
        + "1 object that it has edited is saved."
    )
    #expect(session.player.here.ordinal == 0)
  }

  @Test func whatIsOpenIsSaidToBe() throws {
    let session = LostDraft().session()
    let lines = try session.say("what-if purge notes#1:4").joined(separator: "\n")
    #expect(lines.contains("may be lost: a save is under way"), "\(lines)")
    #expect(lines.contains("Its user would call that a crash"), "\(lines)")
    let cut = try session.say("what-if power-cut notes#1:6").joined(separator: "\n")
    #expect(cut.contains("1,204 bytes  lost  the next launch finds version 1"), "\(cut)")
  }

  @Test func programsGetTheSame() throws {
    let session = LostDraft().session()
    let (command, words) = try #require(try CommandTable.read("what-if purge notes#1:13"))
    let json = JSON.object(try command.run(session, words).members(session))
    let object = try #require(json["objects"]?.array?.first)
    #expect(object["fate"]?.string == "lost" && object["version"]?.int == 2)
    #expect(object["bytes"]?.int == 1_204 && object["leavesVersion"]?.int == 1)
    #expect(json["at"]?["sequence"]?.int == 13)
  }

  @Test func whatTheRecordingCannotSayIsRefused() throws {
    let session = LostDraft().session()
    for line in ["what-if drop notes#1:4", "what-if delay suspend 3s", "what-if move 3 5"] {
      let error = #expect(throws: CommandError.self) { try session.say(line) }
      #expect(error?.isUsage == false && error?.message.contains("rerun") == true, "\(line)")
    }
    #expect(throws: CommandError.self) { try session.say("what-if") }
    let ended = #expect(throws: CommandError.self) { try session.say("what-if purge end") }
    #expect(ended?.message.contains("has ended before") == true)
    let early = #expect(throws: CommandError.self) { try session.say("what-if purge start") }
    #expect(early?.message.contains("start of the recording") == true)
  }
}

/// `slack` and `minimize` at the prompt.
@Suite struct SlackAndMinimizeTests {
  @Test func theNearestAreListedAndAPlaceWithoutIsNamed() throws {
    let session = LostDraft().session()
    let lines = try session.say("slack")
    #expect(lines.first?.contains("kept the rules") == true, "\(lines)")
    #expect(lines.contains { $0.contains("DL02") && $0.contains("kept by 4.8 s") }, "\(lines)")
    let one = try session.say("slack dl02")
    #expect(one.dropFirst().allSatisfy { $0.contains("DL02") } && one.count > 1, "\(one)")
    #expect(try session.say("slack all").count >= lines.count)
    let none = try session.say("slack DL09")
    #expect(none.first == "DL09 has measured no length of time that was kept.", "\(none)")
    let broken = try session.say("slack #1").joined()
    #expect(broken.contains("has no slack: it rests on the order"), "\(broken)")
    #expect(throws: CommandError.self) { try session.say("slack 5") }
  }

  @Test func theLeastEventsAreListed() throws {
    let session = LostDraft().session()
    let (command, words) = try #require(try CommandTable.read("minimize #2"))
    let json = JSON.object(try command.run(session, words).members(session))
    #expect(json["minimal"]?.bool == true && json["before"]?.int == 16)
    let events = try #require(json["events"]?.array)
    #expect(events.count <= 12 && events.first?["kind"]?.string == "process.start")
    #expect(throws: CommandError.self) { try session.say("minimize #1 -o") }
  }

  @Test func anotherProfileSaysWhereItEnds() throws {
    let session = LostDraft().session()
    let lines = try session.say("what-if deadline enter-background 100ms").joined(separator: "\n")
    #expect(lines.contains("DL02") && lines.contains("would have killed notes#1"), "\(lines)")
    #expect(
      lines.hasPrefix(
        "Under enter-background of 100 ms to be too slow and to be killed alike, up to +3.200 s, "
          + "where its system would have killed notes#1 (DL02), "
      ),
      "\(lines)"
    )
    let same = try session.say("what-if profile ios17").joined(separator: "\n")
    #expect(same.contains("the rules say the same"), "\(same)")
    let wrong = #expect(throws: CommandError.self) { try session.say("what-if profile ios3") }
    #expect(wrong?.message.contains("ios13") == true)
    let name = #expect(throws: CommandError.self) { try session.say("what-if deadline lunch 3s") }
    #expect(name?.message.contains("Did you mean launch") == true)
  }
}
