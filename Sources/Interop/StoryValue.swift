// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// How a story writes and reads the 64 bits of one argument.
package enum StoryValue {
  /// The value as text, quoted where a bare word would read as something else.
  static func text(_ value: FieldValue) -> String {
    var line = OutputBytes(room: 64)
    put(value, to: &line)
    return line.takeText()
  }

  /// Puts the value as text.
  static func put(_ value: FieldValue, to line: inout OutputBytes) {
    switch value {
    case .name(let name): line.put(word(name))
    case .duration(let length): putDuration(length, to: &line)
    case .bytes(let count): line.putNumber(count)
    case .truth(0): line.putLiteral("false")
    case .truth(1): line.putLiteral("true")
    case .hexadecimal(let bits), .truth(let bits): putHexadecimal(bits, to: &line)
    case .state(let state): line.put(state.word)
    case .integer(let number): line.putNumber(number)
    case .word, .code, .number: line.put("\(value)")
    }
  }

  static func putHexadecimal(_ bits: UInt64, to line: inout OutputBytes) {
    line.putLiteral("0x")
    line.makeRoom(16)
    let digits = max(1, (64 - bits.leadingZeroBitCount + 3) / 4)
    for place in (0..<digits).reversed() {
      let digit = UInt8(truncatingIfNeeded: bits >> UInt64(4 * place)) & 15
      line.put(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
    }
  }

  /// The expectation where a value of a type is to stand, in words.
  static func noun(_ type: FieldType) -> String {
    switch type {
    case .int, .bytes: "whole number"
    case .hex: "hexadecimal number"
    case .name: "name"
    case .duration: "time; write 2.5s, 20ms, 7ns"
    case .bool: "truth value; write true or false"
    case .state: "state; write \(AppState.allCases.map(\.word).joined(separator: ", "))"
    case .work: "kind of work; write \(words(WorkKind.self))"
    case .level: "level; write \(words(DurabilityLevel.self))"
    case .resource: "class; write \(words(ResourceClass.self))"
    case .double: "number"
    case .log: "level; write \(words(LogLevel.self))"
    }
  }

  private static func words<Code: CaseIterable>(_ type: Code.Type) -> String {
    type.allCases.map { "\($0)" }.joined(separator: ", ")
  }

  /// Bits of a value whose type is known; nil if the text is none.
  static func bits(_ token: StoryToken, _ type: FieldType, _ names: inout Names) -> UInt64? {
    let text = token.value
    switch type {
    case .int: return Int64(text).map { UInt64(bitPattern: $0) }
    case .hex: return hex(text)
    case .name: return UInt64(names.intern(text).rawValue)
    case .duration: return nanoseconds(text).map { UInt64(bitPattern: $0) }
    case .bytes: return UInt64(text)
    case .bool: return text == "true" ? 1 : text == "false" ? 0 : hex(text)
    case .state: return AppState(word: text).map { UInt64($0.rawValue) } ?? UInt64(text)
    case .work: return code(text, WorkKind.self)
    case .level: return code(text, DurabilityLevel.self)
    case .resource: return code(text, ResourceClass.self)
    case .double: return Double(text)?.bitPattern
    case .log: return code(text, LogLevel.self)
    }
  }

  /// The type that a label's value shows by its form.
  static func type(of token: StoryToken) -> FieldType {
    let text = token.value
    if token.isQuoted { return .name }
    if text == "true" || text == "false" { return .bool }
    if text.hasPrefix("0x") && hex(text) != nil { return .hex }
    if Int64(text) != nil { return .int }
    if text.hasSuffix("B") && UInt64(text.dropLast()) != nil { return .bytes }
    if nanoseconds(text) != nil { return .duration }
    return Double(text) != nil ? .double : .name
  }

  /// A string as a bare word if it can be one, else in quotes.
  static func word(_ string: String) -> String {
    if isBare(string) && !looksTyped(string) && !StoryToken.flags.contains(string) {
      return string
    }
    return quoted(string)
  }

  /// Whether a bare word reads as a value of another type.
  ///
  /// What begins with a letter does only as a truth value, or as no number of IEEE 754.
  private static func looksTyped(_ string: String) -> Bool {
    switch string.utf8.first ?? 0 {
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return string == "true" || string == "false"
    case UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "n"), UInt8(ascii: "N"):
      return Double(string) != nil
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "/"), 0x80...:
      return false
    default:
      return type(of: StoryToken(column: 0, key: nil, value: string, isQuoted: false)) != .name
    }
  }

  /// What a line calls a process: `notes#1`.
  static func label(_ string: String) -> String {
    isBare(string, and: "#") && string.utf8.first != UInt8(ascii: "#") ? string : quoted(string)
  }

  /// The key of a labelled argument; in quotes it is never one of the kind's own, or of every line.
  static func key(_ string: String, taken: (String) -> Bool) -> String {
    isBare(string) && !taken(string) ? string : quoted(string)
  }

  private static func isBare(_ string: String, and other: Unicode.Scalar? = nil) -> Bool {
    !string.isEmpty
      && (string.utf8.allSatisfy { isBare($0) || UInt32($0) == other?.value }
        || string.unicodeScalars.allSatisfy { scalar in
          switch scalar {
          case "\u{80}"...: Printable.isPlain(scalar) && !scalar.properties.isWhitespace
          default: scalar == other || isBare(UInt8(truncatingIfNeeded: scalar.value))
          }
        })
  }

  private static func isBare(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "_", ".", "-", "/", ":", "(", ")", "+", ",": true
    default: false
    }
  }

  static func quoted(_ string: String) -> String {
    var out = "\"".unicodeScalars
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\"".unicodeScalars
      case "\\": out += "\\\\".unicodeScalars
      case "\n": out += "\\n".unicodeScalars
      case "\t": out += "\\t".unicodeScalars
      case _ where !Printable.isPlain(scalar):
        out += "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars
      default: out.append(scalar)
      }
    }
    out.append("\"")
    return String(out)
  }

  /// Puts a length of time, exact, in the largest unit that fits: `5s`, `1.5ms`, `20ns`.
  static func putDuration(_ nanoseconds: Int64, to line: inout OutputBytes) {
    line.makeRoom(40)
    if nanoseconds < 0 { line.put(UInt8(ascii: "-")) }
    let length = nanoseconds.magnitude
    switch length {
    case 1_000_000_000...:
      line.putNumber(length / 1_000_000_000)
      line.putFraction(length % 1_000_000_000, least: 0)
    case 1_000_000...:
      line.putNumber(length / 1_000_000)
      line.putFraction(length % 1_000_000 * 1_000, least: 0)
      line.put(UInt8(ascii: "m"))
    case 1_000...:
      line.putNumber(length / 1_000)
      line.putFraction(length % 1_000 * 1_000_000, least: 0)
      line.put(UInt8(ascii: "u"))
    default:
      line.putNumber(length)
      line.put(UInt8(ascii: "n"))
    }
    line.put(UInt8(ascii: "s"))
  }

  /// Puts a time of an event: seconds with as many decimals as needed, at least three.
  static func putTime(_ nanoseconds: Int64, to line: inout OutputBytes) {
    line.makeRoom(40)
    line.put(nanoseconds < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
    line.putNumber(nanoseconds.magnitude / 1_000_000_000)
    line.putFraction(nanoseconds.magnitude % 1_000_000_000, least: 3)
    line.put(UInt8(ascii: "s"))
  }

  /// The same as ``putTime(_:to:)`` puts.
  static func time(_ nanoseconds: Int64) -> String {
    var line = OutputBytes(room: 40)
    putTime(nanoseconds, to: &line)
    return line.takeText()
  }

  /// The nanoseconds of `5s`, `1.5ms`, `-20ns`, `3min`; nil for anything else or out of range.
  package static func nanoseconds(_ text: String) -> Int64? {
    let isNegative = text.first == "-"
    let isSigned = isNegative || text.first == "+"
    let digits = text.dropFirst(isSigned ? 1 : 0)
    // A 0 without a unit is a number in a story.
    guard digits != "0", let size = TypedQuantity.nanoseconds(digits) else { return nil }
    return isNegative ? -size : size
  }

  static func hex(_ text: String) -> UInt64? {
    let digits = text.hasPrefix("0x") ? text.dropFirst(2) : Substring(text)
    return digits.hasPrefix("+") || digits.hasPrefix("-") ? nil : UInt64(digits, radix: 16)
  }

  private static func code<Code: RawRepresentable & CaseIterable>(
    _ text: String,
    _ type: Code.Type
  ) -> UInt64? where Code.RawValue == UInt8 {
    Code.allCases.first { "\($0)" == text }.map { UInt64($0.rawValue) } ?? UInt64(text)
  }
}
