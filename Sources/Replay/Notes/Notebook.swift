// SPDX-License-Identifier: Apache-2.0
package import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// The notes about a recording that a person works with: those of the file, numbered.
///
///     let notebook = Notebook(file: NotesFile(path: "run.lifetrace.notes"))
///     notebook.add(note)
///     notebook.entries              // with what another prompt has noted meanwhile
///
/// A note has its number as long as the notebook lives; none is given twice. Where the file cannot
/// be written the notes live as long as the notebook, and ``takeNews()`` says so once.
package final class Notebook {
  /// A note and its number, from 1.
  package struct Entry: Sendable {
    package var number: Int
    package var note: Note
  }

  /// The notes, by number.
  package private(set) var entries: [Entry] = []
  private let file: NotesFile?
  private var numbered = 0
  /// What stood in the file at the last look: what is missing there later was taken out by another.
  private var filed: Set<Note.Identity> = []
  /// What was taken out here and could not be taken out there.
  private var forgotten: Set<Note.Identity> = []
  private var news: [String] = []
  private var told: Set<String> = []
  private var isTold = false

  /// The notes of a file; without one they are kept nowhere.
  package init(file: NotesFile?) {
    self.file = file
    refresh()
  }

  /// Looks what other prompts have made of the file.
  package func refresh() {
    guard let file else { return }
    let content = file.read()
    tell(content.damages)
    take(content.notes)
  }

  /// Adds a note; a mark of that name at another place is taken away, as a name stands for one place.
  package func add(_ note: Note) {
    change { notes in
      notes.removeAll {
        $0.identity == note.identity || !note.mark.isEmpty && $0.mark == note.mark
      }
      notes.append(note)
    }
  }

  /// Takes a note away.
  package func remove(_ entry: Entry) {
    change { notes in notes.removeAll { $0.identity == entry.note.identity } }
  }

  /// What was not said yet of the file, a sentence each.
  package func takeNews() -> [String] {
    defer { news = [] }
    return news
  }

  /// The notes about an event.
  package func notes(at place: EventPlace, of timeline: Timeline) -> [Entry] {
    guard !entries.isEmpty else { return [] }
    let stream = timeline.streams[Int(place.stream.rawValue)]
    let sequence = stream.sequence(ofIndex: place.index)
    return entries.filter {
      $0.note.writer == stream.writer && $0.note.event.sequence == sequence
    }
  }

  /// The event that a note is about; nil where the recording does not hold it.
  package func place(of note: Note, in timeline: Timeline) -> EventPlace? {
    guard let stream = timeline.streams.first(where: { $0.writer == note.writer }) else {
      return nil
    }
    return timeline.place(of: stream.id, sequence: note.event.sequence)
  }

  // MARK: -

  private func change(_ body: (inout [Note]) -> Void) {
    guard let file else {
      var notes = entries.map(\.note)
      body(&notes)
      return number(notes)
    }
    do throws(NotesFile.Damage) {
      take(try file.change(body))
    } catch {
      tell([error])
      let before = entries.map(\.note)
      var notes = before
      body(&notes)
      number(notes)
      forgotten.formUnion(before.map(\.identity))
      forgotten.subtract(notes.map(\.identity))
    }
  }

  /// Takes over what stands in the file, beside what could not be written to it.
  private func take(_ notes: [Note]) {
    let own = entries.map(\.note).filter { !filed.contains($0.identity) }
    filed = Set(notes.map(\.identity))
    let kept = notes.filter { !forgotten.contains($0.identity) }
    number(kept + own.filter { !filed.contains($0.identity) })
  }

  private func number(_ notes: [Note]) {
    let numbers = Dictionary(
      entries.map { ($0.note.identity, $0.number) },
      uniquingKeysWith: { first, _ in first }
    )
    entries = notes.map { note in
      if let number = numbers[note.identity] { return Entry(number: number, note: note) }
      numbered += 1
      return Entry(number: numbered, note: note)
    }
    entries.sort { $0.number < $1.number }
  }

  private func tell(_ damages: [NotesFile.Damage]) {
    let new = damages.map { "\($0.description)." }.filter { told.insert($0).inserted }
    news += new
    guard !new.isEmpty, !isTold else { return }
    isTold = true
    news.append(
      "The file is left as it is: until that is mended, new notes live in this prompt alone."
    )
  }
}
