// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
package import LifetraceTrace
package import LifetraceWords

/// What a person keeps about an event: a name for its place, some words, or both.
///
///     let note = Note(writer: id, event: EventName("notes#1:22")!, mark: "edit", text: "too late")
///
/// It belongs to the event by the id of the writer and its number there, which a merge, a repair and
/// more events leave as they are. The label of the writer and the words of the event stand beside
/// for those who read the file.
package struct Note: Hashable, Sendable {
  /// The words of a note have at most this many bytes.
  package static let textBytesMax = 4_000

  /// The writer of the event.
  package var writer: WriterID
  /// The event as it was called when the note was made.
  package var event: EventName
  /// The name of the place; empty for none.
  package var mark: String
  /// What was noted; empty for a mark without words.
  package var text: String
  /// The event in words.
  package var words: String

  /// A note about an event.
  package init(writer: WriterID, event: EventName, mark: String, text: String, words: String = "") {
    self.writer = writer
    self.event = event
    self.mark = mark
    self.text = text
    self.words = words
  }

  /// What makes it this note and no other, however its writer is called by now.
  struct Identity: Hashable {
    var writer: WriterID
    var sequence: UInt64
    var mark: String
    var text: String
  }

  var identity: Identity {
    Identity(writer: writer, sequence: event.sequence, mark: mark, text: text)
  }

  /// By writer, event, mark and words, so that lines added at two places merge.
  static func isBefore(_ left: Note, _ right: Note) -> Bool {
    (left.writer, left.event.sequence, left.mark, left.text)
      < (right.writer, right.event.sequence, right.mark, right.text)
  }

  // MARK: - As a line

  /// The line of the file, without its end.
  var line: String {
    var pairs: [(String, JSON)] = [("event", .string("\(event)"))]
    if !mark.isEmpty { pairs.append(("mark", .string(mark))) }
    if !text.isEmpty { pairs.append(("note", .string(text))) }
    pairs += [("words", .string(words)), ("writer", .string(writer.text))]
    return JSON.object(pairs).text
  }

  /// Reads a line; throws what is wrong with it.
  init(line: Substring) throws(NotesFile.Damage) {
    let json: JSON
    do throws(JSONError) {
      json = try JSON(parsing: line.utf8)
    } catch {
      throw NotesFile.Damage(error.description)
    }
    guard let members = json.object else { throw NotesFile.Damage("it is no object") }
    guard let event = members["event"]?.string.flatMap(EventName.init) else {
      throw NotesFile.Damage("\"event\" is no event such as notes#1:22")
    }
    guard let writer = members["writer"]?.string.flatMap(WriterID.init(hexadecimal:)) else {
      throw NotesFile.Damage("\"writer\" is no id of 32 hexadecimal digits")
    }
    let (mark, text) = (members["mark"]?.string ?? "", members["note"]?.string ?? "")
    guard !mark.isEmpty || !text.isEmpty else {
      throw NotesFile.Damage("it has neither \"mark\" nor \"note\"")
    }
    guard mark.utf8.count + text.utf8.count <= Self.textBytesMax else {
      throw NotesFile.Damage("it is longer than \(Self.textBytesMax) bytes")
    }
    let words = members["words"]?.string ?? ""
    self.init(writer: writer, event: event, mark: mark, text: text, words: words)
  }
}

extension WriterID {
  /// Reads ``text``; nil for anything else.
  fileprivate init?(hexadecimal text: String) {
    guard text.utf8.count == 32, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }
}
