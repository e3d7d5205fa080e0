// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import Support
import Testing

@testable import LifetraceDebugger

/// An answer is a value: what people read and what programs get are made from the same facts.
@Suite struct AnswerTests {
  private let session = LostDraft().session()

  private func json(_ answer: Answer) -> String { JSON.object(answer.members(session)).text }

  @Test func aFactIsSaidOnceAndReadTwice() {
    var answer = Answer()
    answer.note(Fact("writer", .text("notes#1")))
    answer.list(
      "dirty",
      [
        .facts([
          Fact("object", .text("a\u{1b}b")), Fact("bytes", .bytes(1_204), right: true),
          Fact(data: "lost", .flag(false)), Fact(words: "here"),
        ]),
        .line("between"),
        .facts([
          Fact("object", .text("draft.txt")), Fact("bytes", .bytes(9), right: true),
          Fact("saved", .none, "never"), Fact(words: "there"),
        ]),
      ],
      indent: 2
    )
    answer.say("Kept for \("4 s", .bad).", [Fact("ns", .duration(4_000_000_000))])
    #expect(
      answer.lines(session) == [
        "  a\u{FFFD}b        1,204 bytes  here", "between",
        "  draft.txt      9 bytes  never  there",
        "Kept for 4 s.",
      ]
    )
    #expect(
      json(answer)
        == #"{"writer":"notes#1","dirty":[{"object":"a\u001bb","bytes":1204,"lost":false},"#
        + #"{"object":"draft.txt","bytes":9,"saved":null}],"ns":4000000000}"#
    )
  }

  @Test func listingsOfOneNameAreOneList() {
    var answer = Answer()
    for group in ["a", "b"] {
      answer.say(Line(group))
      answer.list("all", [.facts([Fact("name", .text("\(group)1"))])])
    }
    answer.list(nil, [.facts([Fact(words: "x"), Fact("y", .count(1))])])
    #expect(answer.lines(session) == ["a", "a1", "b", "b1", "x  1"])
    #expect(json(answer) == #"{"all":[{"name":"a1"},{"name":"b1"}],"y":1}"#)
  }

  /// Colours are for people, whoever else reads the same answer.
  @Test func programsGetNoColours() throws {
    session.settings.hasColor = true
    for line in ["next violation", "why", "when", "list", "dirty", "violations all"] {
      let words = try CommandWords.split(line)
      let answer = try CommandTable.command(words[0]).run(session, Array(words.dropFirst()))
      #expect(answer.lines(session).contains { $0.contains("\u{1b}[") }, "\(line)")
      #expect(!json(answer).contains("u001b"), "\(line): \(json(answer))")
    }
  }

  @Test func whatIsSaidFirstIsTheLastMember() throws {
    let answer = try CommandTable.command("next").run(session, ["violation"])
    #expect(answer.lines(session).first?.hasPrefix("Violation #1, ") == true)
    #expect(answer.members(session).map(\.0) == ["at", "events", "note"])
    session.player.seek(toEvent: 1)
    let start = try CommandTable.command("reverse-continue").run(session, [])
    #expect(start.lines(session).first == "No violation on the way.")
    #expect(start.members(session).map(\.0) == ["at", "events", "note"])
  }
}
