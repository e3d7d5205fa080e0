// SPDX-License-Identifier: Apache-2.0
import LifetraceReplay
import LifetraceTrace
import LifetraceWords
import Support
import Testing

/// The file of notes beside a recording: nothing that stands in it is lost.
@Suite struct NotesFileTests {
  private static func note(_ sequence: UInt64, mark: String = "", _ text: String = "") -> Note {
    Note(
      writer: WriterID(high: 7, low: sequence % 2),
      event: EventName(writer: "notes#1", sequence: sequence),
      mark: mark,
      text: text,
      words: "data.dirty  draft.txt"
    )
  }

  private static func file(_ folder: TestFolder) -> NotesFile {
    NotesFile(path: folder.path + "/run.lifetrace.notes")
  }

  private static func text(_ folder: TestFolder) throws -> String {
    String(decoding: try folder.read("run.lifetrace.notes"), as: UTF8.self)
  }

  @Test("What was noted is there again, whatever order it was noted in")
  func order() throws {
    let notes = [
      Self.note(4, "\"quoted\", a\ttab, a line\nand \u{1b}[31m"), Self.note(2, mark: "edit"),
      Self.note(2, "and words"), Self.note(9, mark: "ende", "näher"),
    ]
    var texts: Set<String> = []
    for order in [notes, notes.reversed(), [notes[2], notes[0], notes[3], notes[1]]] {
      let folder = try TestFolder()
      let notebook = Notebook(file: Self.file(folder))
      for note in order { notebook.add(note) }
      #expect(notebook.takeNews().isEmpty)
      texts.insert(try Self.text(folder))
      let again = Notebook(file: Self.file(folder))
      #expect(Set(again.entries.map(\.note)) == Set(notes))
      #expect(folder.names == ["run.lifetrace.notes"])
    }
    #expect(texts.count == 1)
    #expect(texts.first?.split(separator: "\n").count == 5)
  }

  @Test("Two prompts keep what each of them notes and takes out")
  func together() throws {
    let folder = try TestFolder()
    let (one, other) = (Notebook(file: Self.file(folder)), Notebook(file: Self.file(folder)))
    for number in 0..<10 {
      one.add(Self.note(UInt64(number), "one"))
      other.add(Self.note(UInt64(number), "other"))
    }
    one.refresh()
    #expect(one.entries.count == 20)
    #expect(one.entries.map(\.number) == Array(1...20))
    let gone = try #require(other.entries.first { $0.note.text == "one" })
    let kept = one.entries.filter { $0.note != gone.note }.map(\.number)
    other.remove(gone)
    one.add(Self.note(3, mark: "here"))
    // A number stays with its note.
    #expect(one.entries.map(\.number) == kept + [21])
    #expect(Notebook(file: Self.file(folder)).entries.count == 20)
  }

  @Test("A name stands for its newest place")
  func moved() throws {
    let folder = try TestFolder()
    let notebook = Notebook(file: Self.file(folder))
    notebook.add(Self.note(1, mark: "edit"))
    notebook.add(Self.note(5, mark: "edit"))
    #expect(notebook.entries.map(\.note.event.sequence) == [5])
  }

  @Test(
    "A damaged file is said where, read as far as it goes, and left as it is",
    arguments: [
      ("<<<<<<< HEAD", "a merge was left here"), ("{\"event\":\"notes#1:3\"}", "\"writer\""),
      ("{\"event\":3", "byte "), ("[1]", "is no object"),
      ("{\"event\":\"notes#1:3\",\"writer\":\"+123456789abcdef0123456789abcdef\"}", "\"writer\""),
    ]
  )
  func damaged(_ line: String, _ words: String) throws {
    let folder = try TestFolder()
    let first = Notebook(file: Self.file(folder))
    for number in 0..<3 { first.add(Self.note(UInt64(number), "note \(number)")) }
    var lines = try Self.text(folder).split(separator: "\n").map(String.init)
    lines.insert(line, at: 2)
    let text = lines.joined(separator: "\n") + "\n"
    try folder.write(text, to: "run.lifetrace.notes")

    let notebook = Notebook(file: Self.file(folder))
    #expect(notebook.entries.count == 3)
    let news = notebook.takeNews()
    #expect(news.count == 2 && news[0].contains("run.lifetrace.notes:3: "), "\(news)")
    #expect(news[0].contains(words), "\(news)")
    notebook.add(Self.note(8, "more"))
    notebook.remove(notebook.entries[0])
    notebook.refresh()
    #expect(notebook.takeNews().isEmpty)
    #expect(notebook.entries.map(\.number) == [2, 3, 4])
    #expect(try Self.text(folder) == text)
    // Once it is mended, it is written again.
    lines.remove(at: 2)
    try folder.write(lines.joined(separator: "\n") + "\n", to: "run.lifetrace.notes")
    notebook.add(Self.note(9, "again"))
    #expect(try Self.text(folder).contains("again"))
  }

  @Test("Of a file that is cut anywhere, each whole line is read")
  func cut() throws {
    let folder = try TestFolder()
    let notebook = Notebook(file: Self.file(folder))
    for number in 0..<3 { notebook.add(Self.note(UInt64(number), "note – \(number)")) }
    let bytes = Array(try Self.text(folder).utf8)
    for count in bytes.indices {
      let part = Array(bytes[..<count])
      try folder.write(part, to: "cut.notes")
      let content = NotesFile(path: folder.path + "/cut.notes").read()
      let whole = max(0, part.count { $0 == UInt8(ascii: "\n") } - 1)
      let isText = String(validating: part, as: UTF8.self) != nil
      #expect(content.notes.count >= (isText ? whole : 0), "\(count)")
      #expect(content.notes.count + content.damages.count <= whole + 1, "\(count)")
    }
  }

  @Test("Where nothing can be written notes live in the prompt, which is said once")
  func unwritable() throws {
    let folder = try TestFolder()
    for path in ["missing/run.notes", ""] {
      let notebook = Notebook(file: NotesFile(path: folder.path + "/" + path))
      notebook.add(Self.note(1, "one"))
      let news = notebook.takeNews()
      #expect(news.count { $0.contains("in this prompt alone") } == 1, "\(news)")
      notebook.add(Self.note(2, "two"))
      notebook.refresh()
      #expect(notebook.takeNews().isEmpty)
      #expect(notebook.entries.map(\.note.text) == ["one", "two"])
    }
  }
}
