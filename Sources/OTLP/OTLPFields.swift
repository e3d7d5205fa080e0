// SPDX-License-Identifier: Apache-2.0
package import LifetraceJSON

/// A message of OpenTelemetry's protocol that came, as protobuf or as JSON: its fields by number and key.
protocol OTLPFields {
  /// The messages of a field that may occur often.
  func messages(_ number: UInt64, _ key: String) throws(OTLPError) -> [Self]
  /// A text; empty where it is missing.
  func text(_ number: UInt64, _ key: String) throws(OTLPError) -> String
  /// An id as a number, of its last 8 bytes, and of those before; 0 where it is missing, or has another length.
  func id(_ number: UInt64, _ key: String) throws(OTLPError) -> (high: UInt64, low: UInt64)
  /// A number that is never negative, of eight bytes or a varint; 0 where it is missing.
  func number(_ number: UInt64, _ key: String) throws(OTLPError) -> UInt64
  /// An `AnyValue`.
  func any() throws(OTLPError) -> JSON
}

/// What is wrong with a batch.
package struct OTLPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was found, and where.
  package let description: String
  /// Whether the system did not hand it out.
  package let isUnreadable: Bool

  init(_ description: String, isUnreadable: Bool = false) {
    self.description = description
    self.isUnreadable = isUnreadable
  }
}

/// Limits of what strangers send.
package enum OTLPLimits {
  /// Messages in messages.
  package static let depthMax = 32
  /// Attributes of a record; the rest is left out.
  package static let attributesMax = 128
  /// Bytes of a batch, as it comes.
  package static let bodyBytesMax = 4 << 20
  /// Bytes of a batch, inflated.
  package static let inflatedBytesMax = 16 << 20
  /// Inflated bytes for one that came.
  package static let ratioMax = 100
}

extension OTLPFields {
  /// Attributes as pairs, and how many were left out.
  func attributes(_ number: UInt64) throws(OTLPError) -> (pairs: [(String, JSON)], leftOut: Int) {
    let all = try messages(number, "attributes")
    var pairs: [(String, JSON)] = []
    for one in all.prefix(OTLPLimits.attributesMax) {
      guard let value = try one.messages(2, "value").first else { continue }
      pairs.append((try one.text(1, "key"), try value.any()))
    }
    return (pairs, max(0, all.count - OTLPLimits.attributesMax))
  }
}

// MARK: Protobuf

/// A message in the wire format of protocol buffers.
struct WireMessage: OTLPFields {
  private enum Value {
    case number(UInt64)
    case bytes(Range<Int>)
  }

  private let bytes: [UInt8]
  private let depth: Int
  private var fields: [(number: UInt64, value: Value)] = []

  /// A whole batch.
  init(_ bytes: [UInt8]) throws(OTLPError) { try self.init(bytes, bytes.indices, depth: 1) }

  private init(_ bytes: [UInt8], _ range: Range<Int>, depth: Int) throws(OTLPError) {
    guard depth <= OTLPLimits.depthMax else {
      throw OTLPError("messages lie in each other more than \(OTLPLimits.depthMax) deep")
    }
    (self.bytes, self.depth) = (bytes, depth)
    var at = range.lowerBound
    while at < range.upperBound {
      let begin = at
      let tag = try Self.varint(bytes, &at, range.upperBound)
      let value: Value
      switch tag & 7 {
      case 0: value = .number(try Self.varint(bytes, &at, range.upperBound))
      case 1: value = .number(try Self.fixed(bytes, &at, range.upperBound, width: 8))
      case 2:
        let count = try Self.varint(bytes, &at, range.upperBound)
        guard count <= UInt64(range.upperBound - at) else { throw Self.cut(begin) }
        value = .bytes(at..<at + Int(count))
        at += Int(count)
      case 5: value = .number(try Self.fixed(bytes, &at, range.upperBound, width: 4))
      default: throw OTLPError("byte \(begin): a field of a kind that protobuf does not have")
      }
      fields.append((tag >> 3, value))
    }
  }

  private static func cut(_ at: Int) -> OTLPError { OTLPError("byte \(at): a field ends too late") }

  private static func varint(_ bytes: [UInt8], _ at: inout Int, _ end: Int) throws(OTLPError)
    -> UInt64
  {
    let begin = at
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard at < end else { throw cut(begin) }
      let byte = bytes[at]
      at += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return value }
    }
    throw OTLPError("byte \(begin): a number of more than ten bytes")
  }

  private static func fixed(_ bytes: [UInt8], _ at: inout Int, _ end: Int, width: Int)
    throws(OTLPError) -> UInt64
  {
    guard end - at >= width else { throw cut(at) }
    defer { at += width }
    return (0..<width).reduce(0) { $0 | UInt64(bytes[at + $1]) << UInt64(8 * $1) }
  }

  func messages(_ number: UInt64, _ key: String) throws(OTLPError) -> [WireMessage] {
    var found: [WireMessage] = []
    for field in fields where field.number == number {
      guard case .bytes(let range) = field.value else { continue }
      found.append(try WireMessage(bytes, range, depth: depth + 1))
    }
    return found
  }

  /// Whether a field is there, and not a number.
  func hasBytes(_ number: UInt64) -> Bool {
    if case .bytes? = last(number) { true } else { false }
  }

  private func last(_ number: UInt64) -> Value? {
    fields.last { $0.number == number }?.value
  }

  func text(_ number: UInt64, _ key: String) -> String {
    guard case .bytes(let range) = last(number) else { return "" }
    return String(decoding: bytes[range], as: UTF8.self)
  }

  func id(_ number: UInt64, _ key: String) -> (high: UInt64, low: UInt64) {
    guard case .bytes(let range) = last(number), range.count == 8 || range.count == 16 else {
      return (0, 0)
    }
    func half(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    let middle = range.upperBound - 8
    return (half(range.lowerBound..<middle), half(middle..<range.upperBound))
  }

  func number(_ number: UInt64, _ key: String) -> UInt64 {
    guard case .number(let value) = last(number) else { return 0 }
    return value
  }

  func any() throws(OTLPError) -> JSON {
    guard let field = fields.last else { return .null }
    switch (field.number, field.value) {
    case (1, .bytes(let range)): return .string(String(decoding: bytes[range], as: UTF8.self))
    case (2, .number(let value)): return .bool(value != 0)
    case (3, .number(let value)): return .int(Int64(bitPattern: value))
    case (4, .number(let value)): return .double(Double(bitPattern: value))
    case (5, _):
      var values: [JSON] = []
      for list in try messages(5, "arrayValue") {
        for value in try list.messages(1, "values") { values.append(try value.any()) }
      }
      return .array(values)
    case (6, _):
      var pairs: [(String, JSON)] = []
      for list in try messages(6, "kvlistValue") {
        for pair in try list.messages(1, "values") {
          pairs.append((pair.text(1, "key"), try pair.messages(2, "value").first?.any() ?? .null))
        }
      }
      return .object(pairs)
    case (7, .bytes(let range)):
      return .string("\(range.count) bytes")
    default: return .null
    }
  }
}

// MARK: JSON

extension JSON: OTLPFields {
  func messages(_ number: UInt64, _ key: String) -> [JSON] {
    guard let value = self[key] else { return [] }
    return value.array ?? [value]
  }

  func text(_ number: UInt64, _ key: String) -> String { self[key]?.string ?? "" }

  func id(_ number: UInt64, _ key: String) -> (high: UInt64, low: UInt64) {
    let digits = self[key]?.string ?? ""
    guard digits.utf8.count == 16 || digits.utf8.count == 32,
      let low = UInt64(digits.suffix(16), radix: 16)
    else { return (0, 0) }
    return (UInt64(digits.dropLast(16), radix: 16) ?? 0, low)
  }

  /// 64-bit numbers are strings.
  func number(_ number: UInt64, _ key: String) -> UInt64 {
    guard let value = self[key] else { return 0 }
    return value.string.flatMap { UInt64($0) } ?? value.int.flatMap { UInt64(exactly: $0) } ?? 0
  }

  func any() -> JSON {
    if let text = self["stringValue"] { return text }
    if let truth = self["boolValue"] { return truth }
    if let number = self["intValue"] {
      return number.string.flatMap { Int64($0) }.map { .int($0) } ?? number
    }
    if let number = self["doubleValue"] { return number }
    if let list = self["arrayValue"] {
      return .array((list["values"]?.array ?? []).map { $0.any() })
    }
    if let list = self["kvlistValue"] {
      return .object(
        (list["values"]?.array ?? []).map { pair in
          (pair.text(1, "key"), pair["value"]?.any() ?? .null)
        }
      )
    }
    return self["bytesValue"] ?? .null
  }
}
