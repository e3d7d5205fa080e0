// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import Testing

@testable import LifetraceDebugger

/// The command table is the manual: it must name each thing once, and say something about it.
@Suite struct CommandTableTests {
  @Test func namesAreUnique() {
    let names = CommandTable.all.flatMap { [$0.name] + $0.aliases }
    #expect(Set(names).count == names.count)
    for command in CommandTable.all {
      #expect(!command.summary.isEmpty && !command.summary.hasSuffix("."), "\(command.name)")
    }
  }

  private func name(_ word: String) throws -> String { try CommandTable.command(word).name }

  @Test func beginningsWillDo() throws {
    #expect(try name("viol") == "violations")
    #expect(try name("go") == "goto")
    #expect(try name("dea") == "deadlines")
    #expect(try name("apr") == "apropos")
    // An exact alias wins over the beginnings.
    #expect(try name("s") == "step")
    #expect(try name("b") == "break")
    #expect(try name("p") == "print")
    #expect(try name("l") == "list")
  }

  @Test func gdbNamesWork() throws {
    let pairs = [
      ("stepi", "step"), ("rs", "back"), ("reverse-step", "back"), ("reverse-stepi", "back"),
      ("n", "next"), ("rn", "prev"), ("reverse-next", "prev"), ("c", "continue"),
      ("rc", "reverse-continue"), ("fin", "finish"), ("bt", "spans"), ("i", "info"), ("q", "quit"),
      ("h", "help"), ("where", "when"), ("until", "until"), ("br", "break"), ("checkpoint", "mark"),
    ]
    for (typed, meant) in pairs { #expect(try name(typed) == meant, "\(typed)") }
  }

  /// People type what they know from elsewhere: the nearest name would lead them astray.
  @Test(arguments: [
    ("thread", "spans"), ("who", "last NAME"), ("save", "next save"), ("lives", "ps all"),
  ])
  func wordsOfElsewhereLeadToWhatIsMeant(_ word: String, _ meant: String) {
    do {
      _ = try CommandTable.read("\(word) 7")
      Issue.record("\(word) is taken for a command")
    } catch {
      #expect(error.message.contains(meant), "\(error.message)")
      #expect(!error.message.contains("Did you mean"))
    }
  }

  @Test func helpIsOneScreen() throws {
    let lines = try Manual.help(nil).lines(LostDraft().session())
    #expect(lines.count <= 22, "\(lines.count) rows")
    #expect(lines.allSatisfy { $0.count <= 100 })
  }

  @Test func ambiguityIsTold() {
    #expect(throws: CommandError.usage("st is ambiguous: state, step.")) {
      try CommandTable.command("st")
    }
    #expect(throws: CommandError.usage("There is no command frob. Try help, or apropos frob.")) {
      try CommandTable.command("frob")
    }
    #expect(throws: CommandError.usage("There is no command stpe. Did you mean step?")) {
      try CommandTable.command("stpe")
    }
    for place in ["12", "1,000", "50%", "+2.5", ".-300ms", "18:38"] {
      #expect(
        throws: CommandError.usage(
          "There is no command \(place). To go there: goto \(place)"
        )
      ) {
        try CommandTable.command(place)
      }
    }
  }

  @Test func onlySteppingAndListingRepeat() {
    let repeating = CommandTable.all.filter(\.repeats).map(\.name).sorted()
    #expect(
      repeating == [
        "back", "continue", "find", "follow", "list", "next", "prev", "redo", "reverse-continue",
        "reverse-find", "step", "undo",
      ]
    )
  }

  @Test func linesAreCutIntoWords() throws {
    #expect(try CommandWords.split("find \"a b\" c\\ d 'e\\f'") == ["find", "a b", "c d", "e\\f"])
    #expect(try CommandWords.split("   ") == [])
    #expect(try CommandWords.split("# a remark") == [])
    #expect(try CommandWords.split("goto #1") == ["goto", "#1"])
    #expect(throws: CommandError.self) { try CommandWords.split("find \"open") }
  }

  @Test func clockTimesAreRead() throws {
    #expect(try #require(ClockTime.parse("18:38:07.7")) == (67_087_700_000_000, 1))
    #expect(try #require(ClockTime.parse("18:38")) == (67_080_000_000_000, 60_000_000_000))
    #expect(ClockTime.parse("24:00") == nil)
    #expect(ClockTime.parse("1:2:3:4") == nil)
  }

  @Test func jsonIsEscaped() {
    let value = JSON.object([("a\"b", .array([.int(-1), .bool(true), .null, .string("\u{1b}\n")]))])
    #expect(value.text == #"{"a\"b":[-1,true,null,"\u001b\n"]}"#)
  }
}
