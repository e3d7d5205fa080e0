// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
package import LifetraceTrace

/// What a value is: that of a field of the vocabulary, or what every event has beside its fields.
package enum ValueType: Hashable, Sendable {
  /// The type of a field.
  case field(FieldType)
  /// A thread, by its number.
  case thread
  /// A callback of the system, whatever form its name has.
  case callback
  /// A number as it is typed, before it meets a field: it may be a count, a code or a size.
  case number

  static let bool = ValueType.field(.bool)
  static let int = ValueType.field(.int)
  static let duration = ValueType.field(.duration)
  static let bytes = ValueType.field(.bytes)
  static let name = ValueType.field(.name)

  /// As an error calls it: `a size`.
  package var noun: String {
    switch self {
    case .thread: "a thread"
    case .callback: "a callback of the system"
    case .number: "a number"
    case .field(let type):
      switch type {
      case .int: "a number"
      case .hex: "a code"
      case .name: "a name"
      case .duration: "a length of time"
      case .bytes: "a size"
      case .bool: "true or false"
      case .state: "a state of the app"
      case .work: "a kind of work"
      case .level: "a durability level"
      case .resource: "a class of resources"
      case .double: "a fraction"
      case .log: "a level of a log"
      }
    }
  }

  /// What is written where such a value is wanted.
  var example: String {
    switch self {
    case .thread: "main or t7"
    case .number, .field(.int): "3"
    case .field(.hex): "0x1f"
    case .field(.name): "\"draft.txt\""
    case .field(.duration): "500ms"
    case .field(.bytes): "3kB"
    case .field(.double): "1.5"
    case .callback, .field: words.prefix(3).map(\.word).joined(separator: ", ")
    }
  }

  /// The words of an enumeration with their codes; none for other types.
  package var words: [(word: String, code: UInt64)] {
    func all<Code: CaseIterable & RawRepresentable<UInt8>>(_ type: Code.Type)
      -> [(word: String, code: UInt64)]
    {
      type.allCases.map { ("\($0)", UInt64($0.rawValue)) }
    }
    if self == .callback {
      return Callback.allCases.enumerated().map { ($1.rawValue, UInt64($0)) }
    }
    guard case .field(let type) = self else { return [] }
    return switch type {
    case .state: all(AppState.self)
    case .work: all(WorkKind.self)
    case .level: all(DurabilityLevel.self)
    case .resource: all(ResourceClass.self)
    case .log: all(LogLevel.self)
    case .bool: [("false", 0), ("true", 1)]
    case .int, .hex, .name, .duration, .bytes, .double: []
    }
  }

  /// The types that have words of their own.
  static let enumerations: [ValueType] = (FieldType.allCases.map(ValueType.field) + [.callback])
    .filter { !$0.words.isEmpty }

  /// How two such values are put in order; nil where they can only be equal.
  var order: Order? {
    switch self {
    case .number: .signed
    case .thread, .callback: nil
    case .field(let type):
      switch type {
      case .int, .duration: .signed
      case .hex, .bytes, .level, .log: .unsigned
      case .double: .fraction
      case .name, .bool, .state, .work, .resource: nil
      }
    }
  }

  /// How 64 bits are compared.
  enum Order: UInt8, Sendable {
    case signed, unsigned, fraction
  }

  /// What both sides of a comparison are; nil where they cannot be compared.
  func meeting(_ other: ValueType) -> ValueType? {
    if self == other { return self }
    return switch (self, other) {
    // A size may be typed without its unit, and codes and counts are numbers all.
    case (.number, .field(.int)), (.number, .field(.hex)), (.number, .field(.bytes)),
      (.number, .field(.double)), (.number, .thread):
      other
    case (.field(.int), .number), (.field(.hex), .number), (.field(.bytes), .number),
      (.field(.double), .number), (.thread, .number):
      self
    case (.field(.int), .field(.hex)), (.field(.hex), .field(.int)): .field(.hex)
    default: nil
    }
  }
}
