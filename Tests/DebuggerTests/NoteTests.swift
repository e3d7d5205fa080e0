// SPDX-License-Identifier: Apache-2.0
import LifetraceReplay
import Support
import Testing

@testable import LifetraceDebugger

/// Marks and notes at the prompt.
@Suite struct NoteTests {
  private func said(_ session: Session, _ line: String) throws -> String {
    try session.say(line).joined(separator: "\n")
  }

  private func refusal(_ session: Session, _ line: String) -> String {
    do {
      return try said(session, line)
    } catch {
      return (error as? CommandError)?.message ?? "\(error)"
    }
  }

  @Test func aMarkThatMovesSaysWhatItLeaves() throws {
    let session = LostDraft().session()
    _ = try said(session, "goto 4")
    _ = try said(session, "mark here first words")
    _ = try said(session, "goto 7")
    #expect(
      try said(session, "mark here")
        == "Marked event 7 as here.\n"
        + "here stood for notes#1:3 before, with a text that is gone: first words"
    )
    #expect(
      try said(session, "mark here")
        == "Marked event 7 as here.\nhere stood for notes#1:6 before."
    )
    #expect(try said(session, "mark other") == "Marked event 7 as other.")
  }

  @Test("A mark is gone to, a note is shown where it belongs, both are listed in time")
  func sessionOfNotes() throws {
    let session = LostDraft().session()
    _ = try said(session, "goto 7")
    #expect(try said(session, "mark edit it's the \"lost\" one") == "Marked event 7 as edit.")
    #expect(try said(session, "note #1 too late").contains("Note 2, about notes#1:13."))
    #expect(try said(session, "note notes#1:3 launched") == "Note 3, about notes#1:3.")
    #expect(try said(session, "note +1.1s flushed") == "Note 4, about notes#1:4.")
    _ = try said(session, "goto start")
    #expect(try said(session, "goto edit").contains("note 1: edit: it's the \"lost\" one"))
    #expect(try said(session, "when").contains("marked edit"))
    let notes = try said(session, "notes").split(separator: "\n").map(String.init)
    #expect(
      notes.filter { !$0.hasPrefix("     ") }.compactMap { $0.first } == ["3", "4", "1", "2"]
    )
    #expect(try said(session, "mark").contains("edit"))
    #expect(try !said(session, "mark").contains("launched"))
    #expect(try said(session, "delete note edit") == "Forgot edit.")
    #expect(try said(session, "delete note 3") == "Forgot note 3.")
    #expect(refusal(session, "goto edit").contains("edit is no place"))
  }

  @Test("Wrong words are answered with what would do")
  func refusals() throws {
    let session = LostDraft().session()
    _ = try said(session, "goto 3")
    for (line, answer) in [
      ("note", "takes a text"), ("note notes#1:3", "a text behind the place"),
      ("note notes#1:99 x", "no event with the sequence number 99"),
      ("note #99 x", "no violation #99"),
      ("note +1000s x", "No event of the recording is at"), ("mark 3x", "begins with a letter"),
      ("delete note", "number of a note"), ("delete note 7", "no note 7"),
      ("notes -x", "takes -o and a file"), ("notes -o /proc/none/x.md", "cannot be written"),
      ("note \(String(repeating: "x", count: 4_001))", "at most 4,000 bytes"),
    ] {
      #expect(refusal(session, line).contains(answer), "\(line): \(refusal(session, line))")
    }
    _ = try said(session, "goto start")
    #expect(refusal(session, "mark here").contains("No event has happened yet"))
  }

  @Test("The page has each event with the command that goes there, and is not replaced unasked")
  func page() throws {
    let folder = try TestFolder()
    let session = LostDraft().session()
    _ = try said(session, "goto 7")
    _ = try said(session, "mark edit the lost one")
    let path = folder.path + "/notes.md"
    #expect(try said(session, "notes -o \(path)").hasPrefix("1 note in "))
    let page = try String(decoding: folder.read("notes.md"), as: UTF8.self)
    #expect(page.contains("## edit, `notes#1:6`\n\nthe lost one\n\n    #7  +2.104000 s"), "\(page)")
    #expect(page.contains("-e \"goto notes#1:6\"\n"), "\(page)")
    #expect(refusal(session, "notes -o \(path)").contains("--force"))
    _ = try said(session, "note more")
    #expect(try said(session, "notes -o \(path) --force").hasPrefix("2 notes in "))
    #expect(try String(decoding: folder.read("notes.md"), as: UTF8.self).contains("more"))
  }
}
