// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetraceReports
import LifetraceRules
import Support
import Testing
import LifetraceTrace

@testable import LifetraceDebugger

/// What somebody types who has never seen the prompt before.
@Suite struct NewcomerTests {
  private static let two = """
    app Drafty#1 process=one
    app com.example.Drafty#1 process=two
    app org.example.Drafty#1 process=three
    +0s Drafty#1 main state.transition from=not-running to=inactive cause=launch
    +1s com.example.Drafty#1 main state.transition from=not-running to=active cause=launch
    +2s org.example.Drafty#1 main state.transition from=not-running to=background cause=launch

    """

  @Test func anExactLabelWinsAndAnAmbiguousOneIsRefused() throws {
    let exact = try TranscriptTests.run("goto end\nstate Drafty#1", Self.two)
    #expect(exact.contains("\nDrafty#1\n  state"), "\(exact)")
    let others = Self.two.split(separator: "\n").filter { !$0.contains(" Drafty#1") }
      .joined(separator: "\n")
    let said = try TranscriptTests.run("goto end\nstate Drafty#1\nstate Drafty", others)
    #expect(
      said.contains(
        "Drafty#1 can mean several writers: com.example.Drafty#1, org.example.Drafty#1."
      ),
      "\(said)"
    )
    #expect(
      said.contains("Drafty can mean several writers: com.example.Drafty, org.example.Drafty."),
      "\(said)"
    )
  }

  @Test func theOpeningIsNoMove() throws {
    let session = LostDraft().session()
    session.player.open(atEvent: 16)
    #expect(throws: CommandError.no("There is nothing to undo.")) { try session.say("undo") }
    #expect(session.player.here.ordinal == 16)
    _ = try session.say("back")
    _ = try session.say("undo")
    #expect(session.player.here.ordinal == 16)
  }

  @Test func whatTheDeadLeftUnsavedIsLost() throws {
    let session = LostDraft().session()
    _ = try session.say("goto end")
    #expect(
      try session.say("dirty").first?.contains("lost at its end, unsaved for 6.") == true
    )
    #expect(try session.say("state").contains { $0.contains("lost") && $0.contains("draft.txt") })
  }

  @Test func aProcessThatTellsSomethingRuns() throws {
    let session = LostDraft().session()
    _ = try session.say("goto 1")
    #expect(try session.say("state").contains { $0.contains("state") && $0.contains("running") })
    #expect(!(try session.say("state").contains { $0.contains("not running") }))
    #expect(try session.say("when").first?.contains("notes#1 is running") == true)
  }

  private static let late = """
    app device#1 role=harness
    app notes#1
    +0s device#1 main device lock
    +1s notes#1 main process.start reason=icon app=notes
    +2s notes#1 main data.restored draft.txt version=0

    """

  @Test func anAppThatHasNotStartedIsCalledSo() throws {
    let said = try TranscriptTests.run(
      "goto end\ngoto 1\nwhen\ndirty\ntasks notes#1\nstate",
      Self.late
    )
    #expect(said.contains("+0.000000 s, notes#1 has not started."), "\(said)")
    #expect(said.split(separator: "notes#1 has not started yet.").count == 4, "\(said)")
    #expect(!said.contains("is saved") && !said.contains("unknown"), "\(said)")
  }

  @Test func nothingOnDiskWasNotReadBack() throws {
    let said = try TranscriptTests.run("goto end\nwhy draft.txt", Self.late)
    #expect(said.contains("nothing of draft.txt found on disk"), "\(said)")
    #expect(said.contains("not found  #3"), "\(said)")
    #expect(!said.contains("read back") && !said.contains("restored  #"), "\(said)")
  }

  @Test func aMoveThatLeadsNowhereSaysWhy() throws {
    let said = try TranscriptTests.run(
      "goto 2\ngoto .+10ms\ngoto 1\ngoto .-1s\ngoto start\ngoto .-1s",
      Self.late
    )
    #expect(said.contains("No event is that near: the next is #3, 990 ms from here."), "\(said)")
    #expect(said.contains("No event is earlier than this one."), "\(said)")
    #expect(said.hasSuffix("(replay) goto .-1s\nThis is the start of the recording.\n"), "\(said)")
  }

  @Test func processesAreCountedInOnePlural() throws {
    let story = """
      app ls#1 role=bystander
      app wc#1 role=bystander
      +0s ls#1 main process.start reason=exec
      +1s wc#1 main process.start reason=exec

      """
    let said = try TranscriptTests.run("ps", story)
    #expect(said.contains("\n2 processes seen only from outside: ps all\n"), "\(said)")
  }

  @Test func aMissingSourceIsToldOnce() throws {
    let story = """
      app notes#1
      +0s notes#1 main data.dirty a version=1 bytes=1 @Nowhere/ToBeFound.swift:4
      +1s notes#1 main data.dirty a version=2 bytes=1 @Nowhere/ToBeFound.swift:4

      """
    let said = try TranscriptTests.run("goto 1\ngoto 2", story)
    #expect(said.split(separator: "ToBeFound.swift is not found here").count == 2, "\(said)")
  }

  /// A line of today is not shown as the one that ran: unless it stood so before the event.
  @Test(arguments: [(1_000_000_000, true), (4_000_000_000, false)])
  func aSourceThatWasWrittenSinceIsTold(recorded: Int, isTold: Bool) throws {
    let folder = try TestFolder()
    try folder.write("one\ntwo\n", to: "Mended.swift")
    let story = """
      app notes#1 clock=real
      +\(recorded)s notes#1 main data.dirty a version=1 bytes=1 @Notes/Mended.swift:2

      """
    let said = try TranscriptTests.run("set source-dir \(folder.path)\ngoto 1", story)
    #expect(said.contains("    2 | two"), "\(said)")
    #expect(said.contains("(the file was written since: the line may be another)") == isTold)
  }

  @Test func aTimeScaleIsSaidWhereRulesSpeak() throws {
    let story = """
      app notes#1 timeScale=200
      +0s notes#1 main state.transition from=not-running to=active cause=launch
      +1s notes#1 main data.dirty draft.txt version=1 bytes=9
      +2s notes#1 main process.exit cause=crash code=11

      """
    let scale = "Time scale 0.2: a second of this recording stands for 5 s."
    let said = try TranscriptTests.run("why #1\nviolations\ninfo", story)
    // At the opening, and in each answer that has rules' words or tells of the recording.
    #expect(said.split(separator: scale).count == 5, "\(said)")
    #expect(said.contains("unsaved for 5 s"), "\(said)")
    #expect(!(try TranscriptTests.run("info", Self.late)).contains("ime scale"))
  }

  @Test func lengthsOfTheRecordingAreSaidToBeSo() throws {
    let story = """
      app notes#1 timeScale=200
      app mail#1
      +0s notes#1 main state.transition from=not-running to=active cause=launch
      +0s mail#1 main data.dirty inbox version=1 bytes=9
      +1s notes#1 main data.dirty draft.txt version=1 bytes=9
      +2s notes#1 main process.exit cause=crash code=11

      """
    let line = "Lengths of time here are those of the recording: time scale 0.2: a second"
    let said = try TranscriptTests.run("goto end\nwhy draft.txt", story)
    #expect(said.contains("1 s of work") && said.contains(line), "\(said)")
    #expect(!(try TranscriptTests.run("goto end\nwhy inbox", story)).contains(line))
    // The same without the name, where an edit stands.
    #expect(try TranscriptTests.run("goto notes#1:1\nwhy", story).contains(line))
  }

  /// A save that was good has a line of source, too, and stands before the edit that is lost.
  @Test func theOpeningShowsTheLineThatIsToBlame() throws {
    let lost = """
      app notes#1
      +0s notes#1 main state.transition from=not-running to=active cause=launch
      +1s notes#1 main data.dirty a.txt version=1 bytes=9 @Notes/Editor.swift:63
      +2s notes#1 main data.durable a.txt version=1 level=disk bytes=9 @Notes/Store.swift:70
      +3s notes#1 main data.dirty a.txt version=2 bytes=9 @Notes/Editor.swift:63
      +4s notes#1 main process.exit cause=crash code=11

      """
    let said = try TranscriptTests.run("when", lost)
    #expect(said.contains("\n  edit: the cause, at Notes/Editor.swift:63\n"), "\(said)")
    #expect(!said.contains("Store.swift:70"), "\(said)")
    let overtaken = try #require(Golden.text("Traces/DS12-broken-overtaken/story.txt"))
    let opening = try TranscriptTests.run("when", overtaken)
    #expect(opening.contains("\n  saved: the cause, at Notes/Store.swift:22\n"), "\(opening)")
  }

  @Test func theDeviceIsSearchedByWhatHappened() throws {
    let story = """
      app device#1 role=harness
      +0s device#1 main device disk value=reboot number=5
      +1s device#1 main device lock
      +2s device#1 main device reboot number=2

      """
    for typed in ["next reboot", "next device reboot"] {
      #expect(try TranscriptTests.run("\(typed)\nwhen", story).contains("Event 3 of 3"), "\(typed)")
    }
    #expect(
      try Manual.help("kinds").lines(LostDraft().session()).last?.contains(", reboot, unlock.")
        == true
    )
  }

  @Test func withoutAnAppNothingIsCalledUnbroken() throws {
    let story = "app ls#1 role=bystander\n+0s ls#1 main process.start reason=exec\n"
    let said = try TranscriptTests.run("violations\ngoto #1", story)
    #expect(!said.contains("No rule is broken"), "\(said)")
    #expect(said.split(separator: Unjudged.nothingJudged).count == 4, "\(said)")
  }

  @Test func aReportOnNothingSaysSo() {
    var checker = Checker()
    func text() -> String { CheckFacts(checker, named: "x").text() }
    #expect(text().hasPrefix(Unjudged.nothingJudged + "\n"))
    let stream = StreamID(rawValue: 0)
    checker.begin(stream: stream, attributes: WriterAttributes(app: "a", role: .bystander))
    #expect(text().hasPrefix(Unjudged.nothingJudged + "\n"))
    checker.begin(stream: stream, attributes: WriterAttributes(app: "a", role: .app))
    #expect(text().contains("0 rules kept, \(RuleTable.infos.count) not exercised."))
  }

  @Test func tabOffersValuesAndViolations() {
    let session = LostDraft().session()
    #expect(Completer.words(before: "set profile ", text: "ios1", session).contains("ios13"))
    #expect(Completer.words(before: "set clock ", text: "", session) == ["off", "on"])
    #expect(Completer.words(before: "set ", text: "prof", session) == ["profile"])
    #expect(Completer.words(before: "why ", text: "#", session).contains("#1"))
    #expect(Completer.words(before: "info ", text: "", session).contains("writers"))
    #expect(Completer.words(before: "next ", text: "reb", session) == ["reboot"])
  }

  @Test func tabOffersOnlyWhatCanBeExplained() throws {
    let session = LostDraft().session()
    _ = try session.say("goto end")
    let offered = Completer.words(before: "why ", text: "", session)
    #expect(offered.contains("draft.txt") && offered.contains("state"), "\(offered)")
    for word in offered { _ = try session.say("why \(word)") }
  }
}
