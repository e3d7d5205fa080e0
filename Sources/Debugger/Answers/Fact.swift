// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJSON
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// A fact in an answer: its name for programs, its value, and its text for people.
///
///     Fact("bytes", .bytes(1_204), .warning)            // 1204; "1,204 bytes"
///     Fact("version", .count(7), "version 7")           // 7; "version 7"
///     Fact(data: "lost", .flag(true))                   // true; nothing
struct Fact {
  /// The name of the field; nil for what only people read.
  var key: String?
  /// The value that programs get.
  var value = Value.none
  /// What people see in a row.
  var shown = Shown.nothing

  enum Shown {
    case nothing
    case cell(Cell)
    /// The columns of an event.
    case event(EventPoint)
  }

  /// A fact that is read as its value says.
  init(_ key: String, _ value: Value, _ style: Style = .plain, right: Bool = false) {
    self.init(key, value, value.words, style, right: right)
    if case .event(let point) = value { shown = .event(point) }
  }

  /// A fact that people read in words of its own.
  init(
    _ key: String?,
    _ value: Value,
    _ words: String,
    _ style: Style = .plain,
    right: Bool = false
  ) {
    (self.key, self.value) = (key, value)
    shown = .cell(Cell(words, style, right: right))
  }

  /// A fact for programs.
  init(data key: String, _ value: Value) { (self.key, self.value) = (key, value) }

  /// An event for people.
  init(shown event: EventPoint) { shown = .event(event) }

  /// A fact of words for people.
  init(words: String, _ style: Style = .plain, right: Bool = false) {
    self.init(nil, .none, words, style, right: right)
  }
}

/// The value of a fact: its type says how people read it; programs get it exact.
indirect enum Value {
  case none
  case flag(Bool)
  case count(UInt64)
  /// A length of time in nanoseconds.
  case duration(Int64)
  /// Nanoseconds since the start of the recording.
  case time(TraceTime)
  case bytes(UInt64)
  /// As the recording spells it; it may be hostile.
  case text(String)
  case list([Value])
  case object([Fact])
  case event(EventPoint)
  /// What another program has answered.
  case json(JSON)
  /// The number of an event in the recording, which takes a search; none where it is missing.
  case number(of: StreamID, sequence: UInt64)

  static func count(_ number: Int) -> Value { .count(UInt64(clamping: number)) }
  static func texts(_ texts: [String]) -> Value { .list(texts.map(Value.text)) }

  /// How people read it where nothing else is said; empty for what stands in no column.
  var words: String {
    switch self {
    case .none, .object, .event, .list, .number, .json: ""
    case .flag(let value): value ? "yes" : "no"
    case .count(let value): Quantity.grouped(value)
    case .duration(let value): Quantity.duration(value)
    case .time(let value): Wording.time(value)
    case .bytes(let value): Quantity.bytes(value)
    case .text(let value): Printable.line(value)
    }
  }
}
