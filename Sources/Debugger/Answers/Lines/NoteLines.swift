// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

extension Session {
  /// The names of places, for completion and for messages.
  var marks: [String] {
    Set(notebook.entries.map(\.note.mark).filter { !$0.isEmpty }).sorted()
  }

  /// Whether a place has this name.
  func isMark(_ name: String) -> Bool {
    !name.isEmpty && notebook.entries.contains { $0.note.mark == name }
  }

  /// The event of a mark; nil where no place has this name.
  ///
  /// Throws where several have it, as a merge of two files can make it, or where the recording lacks
  /// the event.
  func place(ofMark name: String) throws -> EventPlace? {
    guard isMark(name) else { return nil }
    let entries = notebook.entries.filter { $0.note.mark == name }
    let places = entries.compactMap { notebook.place(of: $0.note, in: player.timeline) }
    if let first = places.first, places.allSatisfy({ $0 == first }) { return first }
    guard places.count > 1 else {
      throw CommandError.no(
        "\(name) marks \(entries[0].note.event), which is not in the recording."
      )
    }
    let names = Wording.list(places.map { "\(player.name(of: $0))" })
    throw CommandError.usage(
      "Several places are called \(name): \(names). delete note N forgets one."
    )
  }

  /// The notes about the event here.
  var notesHere: [Notebook.Entry] {
    player.place.map { notebook.notes(at: $0, of: player.timeline) } ?? []
  }

  /// That there are notes; nil where there are none.
  var notesAtHand: Line? {
    let count = notebook.entries.count
    guard count > 0 else { return nil }
    return "\(Quantity.count(count, "note")) beside it: \("notes", .strong)"
  }
}

extension Answer {
  /// The notes about the event here, a line each.
  mutating func addNotes(_ entries: [Notebook.Entry]) {
    guard !entries.isEmpty else { return }
    for entry in entries {
      let mark = Printable.line(entry.note.mark)
      let words = [mark, entry.note.text.isEmpty ? "" : Printable.line(entry.note.text)]
      say("  note \(entry.number): \(words.filter { !$0.isEmpty }.joined(separator: ": "), .name)")
    }
    note(
      Fact(
        data: "notes",
        .list(
          entries.map {
            .object([
              Fact("note", .count($0.number)), Fact("mark", .text($0.note.mark)),
              Fact("text", .text($0.note.text)),
            ])
          }
        )
      )
    )
  }
}
