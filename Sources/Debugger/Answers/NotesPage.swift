// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceReplay
import LifetraceReports
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// A note, and the event that it is about.
struct PlacedNote {
  var entry: Notebook.Entry
  /// Nil where the recording does not hold the event.
  var point: EventPoint?
  /// How the event is called now; of a missing one, how it was called.
  var name: EventName
}

extension Session {
  /// The notes in the order of their events; those without one come last.
  var placedNotes: [PlacedNote] {
    let placed = notebook.entries.map { entry in
      let place = notebook.place(of: entry.note, in: player.timeline)
      let point = place.map { EventPoint(place: $0, number: player.timeline.number(of: $0)) }
      let name = place.map { player.name(of: $0) } ?? entry.note.event
      return PlacedNote(entry: entry, point: point, name: name)
    }
    return placed.sorted {
      ($0.point?.number ?? .max, $0.entry.number) < ($1.point?.number ?? .max, $1.entry.number)
    }
  }
}

/// The notes as a page of Markdown: each with the line of its event, and the command that goes there.
struct NotesPage {
  private let session: Session

  init(_ session: Session) { self.session = session }

  var markdown: String {
    let file = Printable.line(session.title)
    let sections = session.placedNotes.map(section)
    let body = sections.isEmpty ? ["There are no notes.\n"] : sections
    return (["# Notes on \(file)\n"] + body).joined(separator: "\n")
  }

  private func section(_ placed: PlacedNote) -> String {
    let note = placed.entry.note
    let name = Printable.line("\(placed.name)")
    let heading = note.mark.isEmpty ? "`\(name)`" : "\(Printable.line(note.mark)), `\(name)`"
    var text = "## \(heading)\n\n"
    if !note.text.isEmpty { text += "\(Printable.line(note.text))\n\n" }
    guard let point = placed.point else {
      return text + "The event is not in this recording. It was:\n\n    "
        + "\(Printable.line(note.words))\n"
    }
    let command =
      "lifetrace replay \(CommandText.file(session.title)) "
      + "-e \(CommandText.argument("goto \(CommandText.word(name))"))"
    return text + "    \(eventLine(point))\n\n    \(Printable.line(command))\n"
  }

  /// The line of a list, without colours.
  private func eventLine(_ point: EventPoint) -> String {
    var table = Table()
    table.add(session.cells(point))
    return table.lines(Paint(isOn: false)).joined()
  }
}
