// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// What one argument of an event says: its 64 bits, as the type of its field has them.
///
///     FieldValue(event[1], .bytes, names)              // .bytes(1_204)
///     "\(FieldValue(event[1], .bytes, names))"         // "1,204 bytes"
///
/// Stories and JSON write the same values in their own forms.
package enum FieldValue: Hashable, Sendable {
  case integer(Int64)
  case hexadecimal(UInt64)
  /// One of the recording's own.
  case name(String)
  /// A length of time in nanoseconds.
  case duration(Int64)
  case bytes(UInt64)
  /// 0 for false; only a damaged event has more than 1.
  case truth(UInt64)
  case state(AppState)
  /// A word of another vocabulary.
  case word(String)
  /// A code for which this version has no word.
  case code(UInt64)
  case number(Double)

  /// Reads the bits of a field.
  package init(_ bits: UInt64, _ type: FieldType, _ names: borrowing Names) {
    switch type {
    case .int: self = .integer(Int64(bitPattern: bits))
    case .hex: self = .hexadecimal(bits)
    case .name: self = .name(names[NameID(word: bits)])
    case .duration: self = .duration(Int64(bitPattern: bits))
    case .bytes: self = .bytes(bits)
    case .bool: self = .truth(bits)
    case .state:
      let state = UInt8(exactly: bits).flatMap { AppState(rawValue: $0) }
      self = state.map { .state($0) } ?? .code(bits)
    case .work: self = Self.word(bits, .work)
    case .level: self = Self.word(bits, .level)
    case .resource: self = Self.word(bits, .resource)
    case .log: self = Self.word(bits, .log)
    case .double: self = .number(Double(bitPattern: bits))
    }
  }

  private static func word(_ bits: UInt64, _ words: CodeWords) -> FieldValue {
    words[bits].map { .word($0) } ?? .code(bits)
  }
}

extension FieldValue: CustomStringConvertible {
  /// As people read it; a name as the recording spells it.
  package var description: String {
    switch self {
    case .integer(let number): "\(number)"
    case .hexadecimal(let number): "0x" + String(number, radix: 16)
    case .name(let text), .word(let text): text
    case .duration(let length): Quantity.duration(length)
    case .bytes(let count): Quantity.bytes(count)
    case .truth(let bits): bits == 0 ? "no" : "yes"
    case .state(let state): Wording.state(state)
    case .code(let code): "\(code)"
    case .number(let number): "\(number)"
    }
  }
}

extension Event {
  /// What it carries, by the names of the fields: the identity first, then the arguments given.
  package func values(_ names: Names) -> [(label: String, value: FieldValue)] {
    let arguments = arguments(names, unnamed: "argument")
    guard let field = names.info(of: kind)?.identity, identity != 0 else { return arguments }
    return [(field.name, FieldValue(identity, field.type, names))] + arguments
  }

  /// The arguments given; one that no field names is `unnamed`, and its index.
  package func arguments(_ names: Names, unnamed: String) -> [(label: String, value: FieldValue)] {
    let fields = (names.info(of: kind)?.fields ?? []) + names[site].labels
    return (0..<min(Int(argumentCount), Event.argumentsMax)).map { index in
      let field = index < fields.count ? fields[index] : Field("\(unnamed)\(index)", .hex)
      return (field.name, FieldValue(self[index], field.type, names))
    }
  }
}
