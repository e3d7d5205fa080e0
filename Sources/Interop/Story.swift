// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// A recording as text: what people write by hand and what `dump` prints.
///
///     app notes#1 pid=12 profile=ios13
///     +0s     notes#1 main process.start reason=icon app=notes
///     +0.1s   notes#1 main data.dirty draft.txt version=1 bytes=12 @Notes/Editor.swift:41
///     +9s     notes#1 main state.purge cause=memory by=host      # and it is gone
///
/// One event a line: `TIME WRITER THREAD KIND [NAME] key=value … [@file:line] [late] [by=observer]`.
/// A line beginning with `app` describes a writer, one with `kind` a kind of event
/// that this version does not know; `#` begins a comment. Times count from the
/// epoch in the header line `epoch`, by default 0.
package struct Story: Sendable {
  /// The writers, in order of appearance.
  package var writers: [Writer]
  /// The strings and sites of the events.
  package var names: Names

  /// One process and what happened to it.
  package struct Writer: Sendable {
    /// How the text calls it: `notes#1`.
    package var label: String
    /// The writer's id.
    package var id: WriterID
    /// What the header line says.
    package var attributes: WriterAttributes
    /// In order of their lines, numbered from 0 unless the text says otherwise.
    package var events: [Event]

    /// Makes a writer.
    package init(label: String, id: WriterID, attributes: WriterAttributes, events: [Event] = []) {
      self.label = label
      self.id = id
      self.attributes = attributes
      self.events = events
    }
  }

  /// Makes a story.
  package init(writers: [Writer] = [], names: Names = Names()) {
    self.writers = writers
    self.names = names
  }
}

/// What is wrong with a story, and where.
package struct StoryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line in the story, from 1.
  package var line: Int
  /// The column in the line, from 1.
  package var column: Int
  /// What was found, and what would do.
  package var message: String

  /// An error at that place.
  package init(line: Int, column: Int, message: String) {
    self.line = line
    self.column = column
    self.message = message
  }

  /// Where and what, as `line 12, column 5: …`, on one line.
  package var description: String {
    "line \(line), column \(column): \(Printable.line(message))"
  }
}

// MARK: Reading

extension Story {
  /// A line longer than this is an error.
  package static var lineBytesMax: Int { 65_536 }

  /// Reads a story.
  ///
  /// - Throws: ``StoryError`` for the first line that is none, with its column.
  package static func parse(_ text: String) throws(StoryError) -> Story {
    var reader = StoryReader()
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      guard line.utf8.count <= lineBytesMax else {
        throw StoryError(
          line: number,
          column: 1,
          message:
            "the line has \(Quantity.bytes(UInt64(line.utf8.count))), and a line of a story has at most "
            + "\(Quantity.bytes(UInt64(lineBytesMax)))"
        )
      }
      try reader.read(line, number)
    }
    return reader.story
  }

  /// Whether a text begins as stories do, with a writer, a kind, an epoch or a time: what is wrong with
  /// it is then a fault of a story.
  package static func isBegun(in text: String) -> Bool {
    for line in text.split(whereSeparator: \.isNewline) {
      guard let word = line.prefix(256).split(separator: " ").first, !word.hasPrefix("#") else {
        continue
      }
      return ["app", "kind", "epoch"].contains(word)
        || StoryValue.nanoseconds(String(word)) != nil
    }
    return false
  }
}
