// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import Testing
import LifetraceTrace

@testable import LifetraceReports

/// What a report says beside the verdicts: what was kept, how fast time ran, who ended a process.
@Suite struct ReportTextTests {
  /// One app is busy for 2 s, the other one for 10 ms.
  private static func two(scale: String = "", other: String = "") -> String {
    """
    app a#1 \(scale)
    app b#1 \(other)
    +0s     a#1 main process.start reason=icon app=a
    +0.01s  a#1 main state.transition from=not-running to=active by=host
    +0s     b#1 main process.start reason=icon app=b
    +0.01s  b#1 main state.transition from=not-running to=active by=host
    +2s     a#1 main turn.begin
    +4s     a#1 main turn.end
    +2s     b#1 main turn.begin
    +2.01s  b#1 main turn.end
    +5s     b#1 main data.dirty draft.txt version=1 bytes=9
    +6s     b#1 main callback.begin applicationWillResignActive:
    +6s     b#1 main callback.end
    +7s     b#1 main process.exit cause=signal code=0x9 by=recorder

    """
  }

  private func text(_ story: String, verbose: Bool = false) throws -> String {
    StoryCheck.facts(try Story.parse(story), named: "x.lifetrace").text(verbose: verbose)
  }

  @Test func whatOneAppHasBrokenIsNotCalledKept() throws {
    let said = try text(Self.two(), verbose: true)
    #expect(said.contains("DL11 error  a#1"), "\(said)")
    let kept = said.split(separator: "\n").first { $0.hasPrefix("kept: ") }
    let idle = said.split(separator: "\n").first { $0.hasPrefix("not exercised: ") }
    #expect(kept != nil && kept?.contains("DL11") == false, "\(said)")
    #expect(idle?.contains("DL11") == false, "\(said)")
    // In the order of the table.
    let words = try #require(kept).split(separator: " ").dropFirst().map(String.init)
    #expect(words == RuleTable.infos.map(\.id).filter(words.contains))
    #expect(words.contains("DL01") || words.contains("ST01"), "\(said)")
    let idleWords = try #require(idle).split(separator: " ").dropFirst(2)
    let counts = "\(words.count) rules kept, \(idleWords.count) not exercised.\n"
    #expect(try text(Self.two()).contains("\n" + counts), "\(said)")
  }

  /// What was lost leaves many rules in doubt: that is told once, and rule by rule only if asked for.
  @Test func doubtsOfOneReasonAreFolded() throws {
    let story = """
      app a#1
      +0s     a#1 main process.start reason=icon app=a
      +1s     a#1 main meta.loss family=state count=1 from=0.5s why=full by=recorder
      +2s     a#1 main work.begin import id=3 kind=network
      +4s     a#1 main work.end id=3
      +6s     a#1 main touch map
      +7s     a#1 main turn.begin id=4
      +9s     a#1 main turn.end id=4

      """
    let said = try text(story)
    let reason = "because the state is unknown: 1 state event lost"
    #expect(said.split(separator: reason).count == 2, "\(said)")
    #expect(said.contains(" times, each \(reason); first:\n"), "\(said)")
    let verbose = try text(story, verbose: true)
    #expect(
      verbose.split(separator: "Because the state is unknown: 1 state event lost.").count == 3
    )
  }

  /// What takes long without a rule against it, and what nobody listens for, is there to be looked for.
  @Test func whatNoRuleIsAgainstIsShownWhenAskedFor() throws {
    let story = try Story.parse(
      """
      app a#1
      +0s     a#1 main process.start reason=icon app=a
      +0.01s  a#1 main state.transition from=not-running to=inactive by=host
      +0.02s  a#1 main callback.begin application:didFinishLaunchingWithOptions: id=1 @A/App.swift:9
      +2.52s  a#1 main callback.end id=1 cpu=2ms
      +2.6s   a#1 main state.transition from=inactive to=active by=host
      +3s     a#1 main notification.delivered NSSystemTimeZoneDidChange value=JST
      +4s     a#1 main notification.delivered NSCurrentLocaleDidChange value=sv
      +4.001s a#1 main notification.handled NSCurrentLocaleDidChange took=1ms

      """
    )
    var facts = StoryCheck.facts(story, named: "x.lifetrace")
    facts.findRemarkable(in: Player(Timeline(story.source)))
    #expect(!facts.text().contains("didFinishLaunching"))
    let said = facts.text(verbose: true)
    #expect(
      said.contains(
        "  a#1:2  application:didFinishLaunchingWithOptions: at A/App.swift:9  Of 2.5 s on main: "
      ),
      "\(said)"
    )
    #expect(said.contains("It computed for 2 ms, and slept for 2.5 s."), "\(said)")
    #expect(said.contains("  a#1:5  NSSystemTimeZoneDidChange, 1 time\n"), "\(said)")
    #expect(!said.contains("a#1:6"), "\(said)")
  }

  /// Rules that were not asked for have had no occasion to be judged, nor are they counted.
  @Test func whatIsSwitchedOffIsNotCounted() throws {
    let rules = try RuleSelection("DL01,BT01")
    let facts = StoryCheck.facts(try Story.parse(Self.two()), named: "x", rules)
    #expect(facts.text().hasPrefix("1 rule kept, 1 not exercised.\n"))
  }

  /// Who recorded it chose the names; what is pasted must do nothing but go there.
  @Test func thePrintedCommandQuotesNames() throws {
    let story = try Story.parse(Self.two())
    let facts = CheckFacts(
      StoryCheck.checker(story),
      named: "-it's.lifetrace",
      writers: [.init("my \"app\" $(reboot)#1"), .init("b#1")]
    )
    let text = facts.text()
    let command = #"  lifetrace replay './-it'\''s.lifetrace' -e 'goto "my \"app\" $(reboot)#1:2"'"#
    #expect(text.contains(command + "\n"), "\(text)")
    #expect(text.contains("' -e \"goto b#1:"), "\(text)")
  }

  @Test func aSignalIsNamed() throws {
    #expect(try text(Self.two()).contains("unsaved for 2 s) when SIGKILL ended the process."))
    let odd = Self.two().replacing("code=0x9", with: "code=0x4d")
    #expect(try text(odd).contains("when signal 77 ended the process."))
    let hot = Self.two().replacing("cause=signal", with: "cause=thermal")
    #expect(try text(hot).contains("when the device was too hot."))
  }

  @Test func whatTookNoTimeIsNotSaidToHaveRunForNone() throws {
    let said = try text(Self.two())
    #expect(
      said.contains(
        "was applicationWillResignActive:, which ran (b#1:5 to 6) and did not save it."
      ),
      "\(said)"
    )
  }

  @Test func aTimeScaleIsSaid() throws {
    #expect(try !text(Self.two()).contains("ime scale"))
    let one = try text(Self.two(scale: "timeScale=200", other: "timeScale=200"))
    #expect(
      one.hasPrefix(
        "Time scale 0.2: a second of this recording stands for 5 s.\n"
          + "Lengths of time in what rules say are those of the device, counted at that scale, but "
          + "for deadlines of the app's own; the times of events are those of the recording.\n\n"
      ),
      "\(one)"
    )
    // Two seconds of the recording, told as ten.
    #expect(one.contains("blocked the main thread for 10 s"), "\(one)")
    #expect(one.contains("unsaved for 10 s) when"), "\(one)")
    #expect(one.contains("DL11 error  a#1  +4.000s"), "\(one)")
    let mixed = try text(Self.two(scale: "timeScale=1500"))
    #expect(
      mixed.hasPrefix("Time scale 1.5 of a: a second of this recording stands for 667 ms.\n"),
      "\(mixed)"
    )
  }

  /// Machine forms have each; people read what differs.
  @Test func whatIsSaidAgainIsFolded() throws {
    var story = """
      app a#1
      +0s     a#1 main process.start reason=icon app=a
      +0.01s  a#1 main state.transition from=not-running to=inactive by=host
      +0.02s  a#1 main state.transition from=inactive to=active by=host

      """
    for second in [2, 6, 10] {
      story += "+\(second)s a#1 main turn.begin\n+\(second + 2).5s a#1 main turn.end\n"
    }
    let said = try text(story)
    #expect(said.split(separator: "\n").count { $0.hasPrefix("DL11 error") } == 1, "\(said)")
    #expect(said.contains("\n  And 2 more like it: a#1:6 to a#1:8.\n"), "\(said)")
    #expect(said.hasSuffix("\n3 errors, 0 warnings.\n"), "\(said)")
    let facts = StoryCheck.facts(try Story.parse(story), named: "x.lifetrace")
    #expect(facts.verdicts.filter { $0.rule == "DL11" && $0.outcome == .violated }.count == 3)
  }

  /// Real work takes its time at any scale: a limit that only the scale makes short is not missed.
  @Test(arguments: [
    ("monotonic", "2.2", "0 errors, 0 warnings, 1 undecidable."),
    ("monotonic", "2.3", "0 errors, 1 warning."),
    ("monotonic", "3.1", "1 error, 0 warnings."),
    ("virtual", "2.2", "1 error, 0 warnings."),
  ])
  func whatOnlyTheScaleMakesLongIsUndecidable(clock: String, end: String, counts: String) throws {
    let said = try text(
      """
      app a#1 clock=\(clock) timeScale=50
      +0s     a#1 main process.start reason=icon app=a
      +0.01s  a#1 main state.transition from=not-running to=inactive by=host
      +0.02s  a#1 main state.transition from=inactive to=active by=host
      +2s     a#1 main turn.begin
      +\(end)s   a#1 main turn.end
      +5s     a#1 main process.exit cause=harness code=9

      """
    )
    #expect(said.contains("\n\(counts)\n"), "\(said)")
    let reason = """
      Because it took 200 ms, and at full speed the limit is 250 ms: only the time scale makes 4 s of it.
      """
    #expect(said.contains(reason) == counts.contains("undecidable"), "\(said)")
    // What is too long at any scale is told in the unit of all the others.
    #expect(said.contains("for 22 s while") == (end == "3.1"), "\(said)")
  }

  @Test func whoCouldNotJoinIsNamed() throws {
    let names = ["b (pid 7) is not recorded: it runs as another user"]
    var checker = Checker()
    let nobody = CheckFacts(checker, named: "x", absentees: names).text()
    #expect(
      nobody == """
        No app joined this recording, so nothing was judged.
        1 process could not join:
          b (pid 7) is not recorded: it runs as another user.

        """
    )
    checker.begin(stream: StreamID(rawValue: 0), attributes: WriterAttributes(app: "a"))
    let some = CheckFacts(checker, named: "x", absentees: names + names)
    #expect(some.text().contains("2 processes could not join, so not all was judged:"))
    #expect(some.jsonLines.contains("\"notJoined\":[\"b (pid 7)"))
  }

  @Test func jsonSaysItToo() throws {
    let story = try Story.parse(Self.two(scale: "timeScale=200", other: "timeScale=200"))
    let last = StoryCheck.facts(story, named: "x").jsonLines.split(separator: "\n").last
    #expect(
      last?.contains(
        #""timeScales":["time scale 0.2: a second of this recording stands for 5 s"]"#
      ) == true
    )
  }

  /// Of the verdicts on one mistake one stands for itself, and is counted; the others stand under it, in
  /// JSON with its name.
  @Test func oneMistakeIsOneError() throws {
    let story = try Story.parse(
      """
      app notes#1
      +0s      notes#1 main process.start reason=icon app=notes
      +0.01s   notes#1 main state.transition from=not-running to=active by=host
      +2s      notes#1 main task.begin id=7 name=upload granted=30s handler=true
      +2.5s    notes#1 main task.begin id=8 name=upload granted=30s handler=true
      +3s      notes#1 main state.transition from=active to=background cause=home by=host
      +4s      notes#1 t7   task.end id=8
      +29s     notes#1 main task.expire id=7
      +33.2s   notes#1 main process.exit cause=watchdog code=0x2182bad2 by=host

      """
    )
    let facts = StoryCheck.facts(story, named: "x")
    let lines = facts.jsonLines.split(separator: "\n")
    func line(_ rule: String) throws -> Substring {
      try #require(
        lines.first {
          $0.contains("\"rule\":\"\(rule)\",\"outcome\":\"violated\"")
        },
        "\(rule): \(lines)"
      )
    }
    let head = #""under":{"rule":"BT03","writer":"notes#1","sequence":7}"#
    for rule in ["BT01", "DL05", "DL06"] {
      let note = try line(rule)
      #expect(note.contains(head), "\(note)")
    }
    let first = try line("BT03")
    #expect(!first.contains("\"under\""), "\(first)")
    // And the two steps of ST01.
    #expect(facts.violations(.error) == 3)
    #expect(lines.last?.contains(#""errors":3,"warnings":0,"undecidable":0,"notes":3,"#) == true)
    let text = facts.text()
    #expect(text.contains("\n  It breaks BT01 too (notes#1:7): background task \"upload\""))
    #expect(text.contains("\n3 errors, 0 warnings.\n"))
    // Without its head a note stands for itself.
    var alone = facts
    var acceptance = Acceptance(
      suppressions: [Suppression(rule: "BT03", reason: "known", origin: "lifetrace.yml:1")]
    )
    alone.accept(by: &acceptance, CheckReport())
    #expect(alone.violations(.error) == 3)
    #expect(alone.text().contains("BT01 error  notes#1"))
  }
}
