// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

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
public struct Story: Sendable {
  /// The writers, in order of appearance.
  public var writers: [Writer]
  /// The strings and sites of the events.
  public var names: Names

  /// One process and what happened to it.
  public struct Writer: Sendable {
    /// How the text calls it: `notes#1`.
    public var label: String
    /// Its id.
    public var id: WriterID
    /// What the header line says.
    public var attributes: WriterAttributes
    /// In order of their lines, numbered from 0 unless the text says otherwise.
    public var events: [Event]

    /// Makes a writer.
    public init(label: String, id: WriterID, attributes: WriterAttributes, events: [Event] = []) {
      self.label = label
      self.id = id
      self.attributes = attributes
      self.events = events
    }
  }

  /// Makes a story.
  public init(writers: [Writer] = [], names: Names = Names()) {
    self.writers = writers
    self.names = names
  }
}

/// What is wrong with a story, and where.
public struct StoryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// From 1.
  public var line: Int
  /// From 1.
  public var column: Int
  /// What was found, and what would do.
  public var message: String

  /// Makes an error.
  public init(line: Int, column: Int, message: String) {
    self.line = line
    self.column = column
    self.message = message
  }

  /// Where and what, as `line 12, column 5: …`, on one line.
  public var description: String {
    "line \(line), column \(column): \(Printable.line(message))"
  }
}
