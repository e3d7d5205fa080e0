// SPDX-License-Identifier: Apache-2.0

// Exports write values by the million: as bytes, into memory that is used again.

extension JSON {
  /// Appends the value on one line, without a newline or a blank between values, as UTF-8.
  package func write(to out: inout [UInt8]) {
    switch self {
    case .null: Self.put("null", to: &out)
    case .bool(let value): Self.put(value ? "true" : "false", to: &out)
    case .int(let value): Self.put(value, to: &out)
    case .double(let value): out.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
    case .string(let value): Self.quote(value, to: &out)
    case .array(let values):
      out.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        value.write(to: &out)
      }
      out.append(UInt8(ascii: "]"))
    case .members(let members):
      out.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        Self.quote(member.key, to: &out)
        out.append(UInt8(ascii: ":"))
        member.value.write(to: &out)
      }
      out.append(UInt8(ascii: "}"))
    }
  }

  /// Appends an object whose keys keep this order; they differ.
  package static func write(_ pairs: [(String, JSON)], to out: inout [UInt8]) {
    out.append(UInt8(ascii: "{"))
    for (index, (key, value)) in pairs.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      quote(key, to: &out)
      out.append(UInt8(ascii: ":"))
      value.write(to: &out)
    }
    out.append(UInt8(ascii: "}"))
  }

  /// Appends a number in decimal digits.
  package static func put(_ number: Int64, to out: inout [UInt8]) {
    if number < 0 { out.append(UInt8(ascii: "-")) }
    put(number.magnitude, to: &out)
  }

  /// Appends a number in decimal digits.
  package static func put(_ number: UInt64, to out: inout [UInt8]) {
    let first = out.count
    var rest = number
    repeat {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      out.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
      rest = quotient
    } while rest > 0
    var (low, high) = (first, out.count - 1)
    while low < high {
      out.swapAt(low, high)
      (low, high) = (low + 1, high - 1)
    }
  }

  /// Appends a text as it is.
  package static func put(_ text: StaticString, to out: inout [UInt8]) {
    text.withUTF8Buffer { out.append(contentsOf: $0) }
  }

  /// Appends a text in quotes.
  ///
  /// Characters that must not be printed raw are escaped: a terminal or a script may read this.
  package static func quote(_ text: String, to out: inout [UInt8]) {
    var text = text
    out.append(UInt8(ascii: "\""))
    let wasPlain = text.withUTF8 { bytes in
      guard bytes.allSatisfy(Self.isPlain) else { return false }
      out.append(contentsOf: bytes)
      return true
    }
    if !wasPlain { for scalar in text.unicodeScalars { put(scalar, to: &out) } }
    out.append(UInt8(ascii: "\""))
  }

  /// Whether a byte of a text stands for itself, and for all of a character.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7f && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private static func put(_ scalar: Unicode.Scalar, to out: inout [UInt8]) {
    switch scalar {
    case "\"": put("\\\"", to: &out)
    case "\\": put("\\\\", to: &out)
    case "\n": put("\\n", to: &out)
    case "\r": put("\\r", to: &out)
    case "\t": put("\\t", to: &out)
    case " "..<"\u{7f}": out.append(UInt8(truncatingIfNeeded: scalar.value))
    case _ where isInvisible(scalar):
      for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
        let digits = String(unit, radix: 16)
        put("\\u", to: &out)
        out.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.count))
        out.append(contentsOf: digits.utf8)
      }
    default: out.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
    }
  }

  /// Controls, changes of direction, separators of lines, and what is not drawn.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
    default:
      // The selectors of emoji are ignorable too, and harmless.
      scalar.properties.isDefaultIgnorableCodePoint && !(0xfe00...0xfe0f).contains(scalar.value)
    }
  }
}
