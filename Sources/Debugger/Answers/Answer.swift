// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceTimeline
import LifetraceWords

/// What a command answers, as a value: people read it as lines, programs as one object.
///
///     let facts = [Fact("mark", .text("edit")), Fact("event", .count(7))]
///     let answer = Answer(.line("Marked event 7 as edit.", facts))
///     answer.lines(session)         // ["Marked event 7 as edit."]
///     answer.members(session)       // "mark": "edit", "event": 7
///
/// Each fact stands in it once. A client of another kind, as an editor is one, reads the parts.
struct Answer {
  /// The parts, in order.
  var parts: [Part] = []
  /// What people read before all else, and programs behind it.
  var lead: Part?
  /// Whether the prompt ends with it.
  var leaves = false
  /// What is run next, up to the first error.
  var runs: [ScriptLine] = []

  /// A piece of an answer.
  enum Part {
    /// A line, where there are words for people, and the facts that it states.
    case line(Line?, [Fact])
    /// A sentence that the words of facts make.
    case sentence([Fact])
    /// Rows under each other.
    case listing(Listing)
    /// An event, as a field of that name.
    case event(String, EventPoint, EventDetail)
  }

  /// An answer of these parts.
  init(_ parts: Part...) { self.parts = parts }

  /// A line, where there are words for people, and the facts that it states.
  mutating func say(_ line: Line?, _ facts: [Fact] = []) { parts.append(.line(line, facts)) }

  /// Facts for programs only.
  mutating func note(_ facts: Fact...) { parts.append(.line(nil, facts)) }

  /// A line each, and a list of the same texts.
  mutating func say(_ key: String, _ texts: [String], _ style: Style = .plain, indent: Int = 0) {
    let margin = String(repeating: " ", count: indent)
    for text in texts { say("\(margin)\(text, style)") }
    note(Fact(data: key, .texts(texts)))
  }

  /// Rows under each other; programs get them as a list of that name, if it has one.
  mutating func list(_ key: String?, _ rows: [Listing.Row], indent: Int = 0) {
    parts.append(.listing(Listing(key: key, rows: rows, indent: indent)))
  }
}

/// Rows whose columns stand under each other; programs get an object for each.
struct Listing {
  /// What programs call it; without one the facts of its rows are those of the answer itself.
  var key: String?
  var rows: [Row]
  var indent = 0

  enum Row {
    /// A column for each fact that is shown.
    case facts([Fact])
    /// An event behind a marker; for programs it is the row.
    case event(EventPoint, marker: String)
    /// A line between the rows, for people.
    case line(Line)
  }
}

/// An event, and its number in the recording.
struct EventPoint {
  var place: EventPlace
  var number: Int
}

/// How much of an event people are shown.
enum EventDetail {
  /// A line.
  case line
  /// A line, and the line of source text that it points at.
  case withSource
  /// All of it, and the line of source text.
  case full
}
