// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceInterop
import LifetraceJudging
import LifetraceReplay
import LifetraceTimeline
import Support
import Testing

@testable import LifetraceDebugger

/// Whom an answer is about, and what was meant by a word that nothing has.
@Suite struct SubjectTests {
  private static let story = """
    app notes#1 pid=12 profile=ios13
    app bank#1 pid=13 role=server
    +0s     notes#1 main process.start reason=icon app=notes
    +0.01s  notes#1 main state.transition from=not-running to=inactive by=host
    +0.06s  notes#1 main state.transition from=inactive to=active by=host
    +0.1s   bank#1  main process.start app=bank
    +0.2s   notes#1 main data.dirty draft.txt version=1 bytes=3 @Notes/Editor.swift:41
    +0.3s   notes#1 main work.begin parse kind=compute id=1 @Notes/Parser.swift:9
    +0.4s   bank#1  main work.begin check kind=database id=2 @Bank/Fraud.swift:7
    +0.5s   bank#1  main process.exit cause=exit code=0 by=recorder
    +0.6s   notes#1 main state.transition from=active to=inactive by=host

    """

  private func say(_ lines: String...) throws -> String {
    let player = Player(Timeline(try Story.parse(Self.story).source))
    let session = Session(player, DebuggerOptions(title: "story", judgement: Judgement()))
    var said: [String] = []
    for line in lines {
      do {
        said = try session.say(line)
      } catch let error as CommandError {
        said = [error.message]
      }
    }
    return said.joined(separator: "\n")
  }

  @Test("A value of the app in focus is told as its own where the event is another's")
  func values() throws {
    let value = try say("goto 7", "print count spans")
    #expect(value.contains("count spans = 1, of notes#1"), "\(value)")
    #expect(!value.contains("whose event"), "\(value)")
    let other = try say("goto 7", "print count data")
    #expect(other.contains("count data = 1, of notes#1"), "\(other)")
    #expect(other.contains("Of bank#1, whose event this is, it is 0."), "\(other)")
    #expect(try say("goto 6", "print count data") == "count data = 1")
    let expected = try say("goto 7", "expect count data == 0")
    #expect(expected.contains("It does not hold at #7, of notes#1"), "\(expected)")
    #expect(expected.contains("Of bank#1, whose event this is, it is true."), "\(expected)")
  }

  @Test("What is no app has no state of one")
  func noApp() throws {
    let runs = try say("goto 7", "print bank.state")
    #expect(runs.contains("bank#1 is no app: it runs"), "\(runs)")
    #expect(try say("goto 9", "print bank.state").contains("it has ended"))
    #expect(try say("goto 9", "print notes.state") == "notes.state = inactive")
  }

  @Test("The end of another process is explained by its own life")
  func ends() throws {
    let end = try say("goto 8", "why")
    #expect(end.contains("bank#1") && !end.contains("notes#1"), "\(end)")
  }

  @Test(
    "A misspelt name is mended",
    arguments: [
      ("history drft.txt", "data(\"draft.txt\").unsaved"),
      ("why drft.txt", "Did you mean draft.txt?"),
      ("find drft.txt", "Did you mean draft.txt?"), ("last drft.txt", "Did you mean draft.txt?"),
      ("timeline drft.txt", "last draft.txt"), ("break prse", "name == \"parse\""),
      ("print data(\"drft.txt\").unsaved", "did you mean draft.txt?"),
      ("break violation", "next violation"), ("goto Editor.swift:41", "find Editor.swift:41"),
    ]
  )
  func misspelt(_ line: String, _ meant: String) throws {
    let said = try say("goto 1", line)
    #expect(said.contains(meant), "\(said)")
  }

  @Test("A place in the source goes where conditions do")
  func places() throws {
    for line in ["until Parser.swift:9", "next Parser.swift:9", "find Parser.swift:9"] {
      #expect(try say("goto 1", line).contains("#6 "), "\(line)")
    }
    // In whatever process it is.
    #expect(try say("goto 1", "until Fraud.swift:7").contains("#7 "))
  }
}
