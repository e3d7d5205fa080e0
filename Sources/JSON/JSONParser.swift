// SPDX-License-Identifier: Apache-2.0

/// Why a line is not JSON, and at which byte.
package struct JSONError: Error, Hashable, CustomStringConvertible {
  package var byte: Int
  package var problem: String

  package var description: String { "byte \(byte): \(problem)" }
}

extension JSON {
  /// The value that the bytes spell; everything behind it must be white space.
  ///
  /// A document that is no line of a peer may be longer: up to `bytesMax`.
  package init(
    parsing bytes: some Sequence<UInt8>,
    bytesMax: Int = JSON.lineBytesMax
  ) throws(JSONError) {
    var parser = JSONParser(bytes: Array(bytes))
    self = try parser.whole(bytesMax: bytesMax)
  }
}

/// A recursive-descent reader over one line, with the limits of ``JSON``.
private struct JSONParser {
  let bytes: [UInt8]
  var at = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  func failure(_ problem: String) -> JSONError { JSONError(byte: at, problem: problem) }

  mutating func whole(bytesMax: Int) throws(JSONError) -> JSON {
    guard bytes.count <= bytesMax else {
      throw JSONError(byte: bytesMax, problem: "the line is too long")
    }
    let value = try self.value(depth: 0)
    skipSpace()
    guard at == bytes.count else { throw failure("there is more behind the value") }
    return value
  }

  mutating func skipSpace() {
    while at < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[at]) { at += 1 }
  }

  mutating func take(_ byte: UInt8) -> Bool {
    guard at < bytes.count, bytes[at] == byte else { return false }
    at += 1
    return true
  }

  mutating func expect(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
    for offset in 0..<word.utf8CodeUnitCount {
      guard take(word.utf8Start[offset]) else { throw failure("expected \(word)") }
    }
    return value
  }

  mutating func value(depth: Int) throws(JSONError) -> JSON {
    guard depth < JSON.depthMax else { throw failure("nested too deeply") }
    skipSpace()
    guard at < bytes.count else { throw failure("the value is missing") }
    switch bytes[at] {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try expect("true", .bool(true))
    case UInt8(ascii: "f"): return try expect("false", .bool(false))
    case UInt8(ascii: "n"): return try expect("null", .null)
    default: return try number()
    }
  }

  mutating func object(depth: Int) throws(JSONError) -> JSON {
    at += 1
    var members: [String: JSON] = [:]
    skipSpace()
    if take(UInt8(ascii: "}")) { return JSON.object(members) }
    while true {
      skipSpace()
      guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
        throw failure("expected a key")
      }
      let key = try string()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw failure("expected a colon") }
      members[key] = try value(depth: depth + 1)
      skipSpace()
      if take(UInt8(ascii: "}")) { return JSON.object(members) }
      guard take(UInt8(ascii: ",")) else { throw failure("expected a comma or a brace") }
    }
  }

  mutating func array(depth: Int) throws(JSONError) -> JSON {
    at += 1
    var values: [JSON] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array(values) }
    while true {
      values.append(try value(depth: depth + 1))
      skipSpace()
      if take(UInt8(ascii: "]")) { return .array(values) }
      guard take(UInt8(ascii: ",")) else { throw failure("expected a comma or a bracket") }
    }
  }

  mutating func number() throws(JSONError) -> JSON {
    let start = at
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        at += 1
        continue
      default: break
      }
      break
    }
    let text = String(decoding: bytes[start..<at], as: UTF8.self)
    if let value = Int64(text), !text.hasPrefix("+") { return .int(value) }
    guard at - start <= 64, text.first != "+", text.first != ".", let value = Double(text) else {
      throw JSONError(byte: start, problem: "this is not a value")
    }
    return .double(value)
  }

  mutating func string() throws(JSONError) -> String {
    at += 1
    var out: [UInt8] = []
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      switch byte {
      case UInt8(ascii: "\""):
        // Bytes that are not UTF-8 become replacement characters.
        return String(decoding: out, as: UTF8.self)
      case UInt8(ascii: "\\"): try escape(to: &out)
      case 0..<0x20: throw JSONError(byte: at - 1, problem: "a control character in a string")
      default: out.append(byte)
      }
    }
    throw failure("the string does not end")
  }

  mutating func escape(to out: inout [UInt8]) throws(JSONError) {
    guard at < bytes.count else { throw failure("the string does not end") }
    let byte = bytes[at]
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(byte)
    case UInt8(ascii: "n"): out.append(0x0a)
    case UInt8(ascii: "r"): out.append(0x0d)
    case UInt8(ascii: "t"): out.append(0x09)
    case UInt8(ascii: "b"): out.append(0x08)
    case UInt8(ascii: "f"): out.append(0x0c)
    case UInt8(ascii: "u"):
      var scalar = try hexadecimal()
      if (0xd800..<0xdc00).contains(scalar), take(UInt8(ascii: "\\")) {
        guard take(UInt8(ascii: "u")) else { throw failure("half a surrogate pair") }
        let low = try hexadecimal()
        guard (0xdc00..<0xe000).contains(low) else { throw failure("half a surrogate pair") }
        scalar = 0x10000 + (scalar - 0xd800) << 10 + (low - 0xdc00)
      }
      out += Array(String(Character(Unicode.Scalar(scalar) ?? "\u{fffd}")).utf8)
    default: throw JSONError(byte: at - 1, problem: "an unknown escape")
    }
  }

  mutating func hexadecimal() throws(JSONError) -> UInt32 {
    guard at + 4 <= bytes.count,
      let value = UInt32(String(decoding: bytes[at..<at + 4], as: UTF8.self), radix: 16)
    else { throw failure("expected four hexadecimal digits") }
    at += 4
    return value
  }
}
