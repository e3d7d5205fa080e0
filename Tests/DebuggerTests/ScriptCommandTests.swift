// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJudging
import LifetraceReplay
import LifetraceTimeline
import Support
import Testing

@testable import LifetraceDebugger

/// Commands made of others, and files of commands.
@Suite struct ScriptCommandTests {
  /// What a console says to lines that are typed one after the other.
  private func said(_ lines: [String], json: Bool = false) throws -> String {
    let story = try #require(Golden.text("Traces/tour/recording.txt"))
    var options = DebuggerOptions(title: "tour", judgement: Judgement(profile: .standard))
    options.isQuiet = true
    options.isBatch = true
    options.readsInit = false
    options.isJSON = json
    options.color = .never
    var text = ""
    let player = Player(Timeline(try Story.parse(story).source))
    let console = Debugger(player, options: options, output: Output { text += $0 })
    console.session.settings.echoes = !json
    console.runAll(lines)
    return text
  }

  @Test("A command of one's own runs its lines with the words behind it")
  func define() throws {
    let text = try said([
      "define at", "  goto $1", "  when", "end", "document at", "Goes there, and says when.", "end",
      "at notes#1:3", "help at",
    ])
    #expect(text.contains("(replay)   goto notes#1:3\n#4 "), "\(text)")
    #expect(text.contains("Event 4 of 30"), "\(text)")
    #expect(text.contains("  Goes there, and says when.\n  It runs:\n      goto $1"), "\(text)")
  }

  @Test("Words in quotes are one, and $$ is a dollar")
  func words() throws {
    let text = try said(["define ff", "find \"$2\" $$x", "end", "ff a 'Übersicht 📝.txt'"])
    #expect(text.contains("(replay) find \"Übersicht 📝.txt\" $x"), "\(text)")
  }

  @Test("Mistakes are said with their place, and what would do")
  func mistakes() throws {
    for (lines, answer) in [
      (["define"], "define takes a name"), (["define next"], "next is a command of the prompt"),
      (["define 3x"], "cannot name a command"), (["document mine"], "define mine makes one"),
      (["define a", "goto $2", "end", "a 3"], "a takes more words: there is none for $2"),
      (["define a", "define b"], "define stands within define a"),
      (["define a", "goto 99", "end", "a"], "There is no event 99"),
      (["source /none/x"], "/none/x cannot be read"),
    ] {
      let text = try said(lines)
      #expect(text.contains(answer), "\(lines): \(text)")
    }
    // One without lines is forgotten.
    let forgotten = try said(["define zz", "when", "end", "define zz", "end", "zz"])
    #expect(forgotten.contains("There is no command zz"), "\(forgotten)")
  }

  @Test("What calls itself ends, and so does what doubles itself")
  func recursion() throws {
    let deep = try said(["define r", "r", "end", "r", "when"])
    #expect(deep.contains("more than 32 deep"), "\(deep.suffix(300))")
    #expect(deep.contains("Event ") || deep.contains("At the start"), "\(deep.suffix(300))")
    var lines = ["define d0", "set digits 6", "end"]
    for number in 1...30 {
      lines += ["define d\(number)", "d\(number - 1)", "d\(number - 1)", "end"]
    }
    let doubled = try said(lines + ["d30", "when"])
    #expect(doubled.contains("More than 100,000 lines were run for one"), "\(doubled.suffix(300))")
  }

  @Test("A file is run up to its first error, which has file and line; files within files too")
  func source() throws {
    let folder = try TestFolder()
    try folder.write("# a remark\n\ngoto 4\nsource \(folder.file("inner"))\ngoto 9\n", to: "outer")
    try folder.write("when\r\ngoto 999\nwhen\n", to: "inner")
    let text = try said(["source \(folder.file("outer"))"])
    #expect(text.contains("Event 4 of 30"), "\(text)")
    #expect(text.contains("\(folder.file("inner")):2: There is no event 999"), "\(text)")
    #expect(!text.contains("goto 9\n"), "\(text)")
    try folder.write("source \(folder.file("loop"))\n", to: "loop")
    let loop = try said(["source \(folder.file("loop"))"])
    #expect(loop.contains("\(folder.file("loop")):1: "), "\(loop.suffix(300))")
    #expect(loop.contains("more than 32 deep"), "\(loop.suffix(300))")
    // A command that a file makes says of which line of that file an error is.
    try folder.write("define lost\n  goto 4\n  goto $1\nend\n", to: "made")
    let made = try said(["source \(folder.file("made"))", "lost 998"])
    #expect(made.contains("\(folder.file("made")):3: There is no event 998"), "\(made)")
    try folder.write("when\ndefine open\n  when\n", to: "open")
    let open = try said(["source \(folder.file("open"))", "when"])
    #expect(open.contains("\(folder.file("open")):3: define open has no end"), "\(open)")
    let closed = try said(["when"])
    #expect(open.hasSuffix(closed), "\(open)")
  }

  @Test("help is one screen, and names every command; a chapter tells of each")
  func help() throws {
    let help = try said(["set echo off", "help"])
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 40, "\(lines.count) lines")
    #expect(lines.allSatisfy { $0.count <= 100 }, "\(help)")
    for command in CommandTable.all { #expect(help.contains(command.name), "\(command.name)") }
    for group in Command.Group.allCases {
      let chapter = try said(["help \(group.word)"])
      for command in CommandTable.all where command.group == group {
        #expect(chapter.contains(command.summary), "\(command.name)")
      }
    }
  }
}
