// SPDX-License-Identifier: Apache-2.0

/// A JSON value: what `--json` prints, and what host and app say to each other.
///
///     JSON.object([("op", "done"), ("n", 7)]).text          // {"op":"done","n":7}
///     JSON.object(["op": "done", "n": 7]).text              // {"n":7,"op":"done"}
///     try JSON(parsing: line.utf8)["n"]?.int                // 7
///
/// Objects made of pairs keep their order; those made of a dictionary, and those that were read,
/// are ordered by key, so that equal values have equal text. Small, and safe against hostile
/// lines: depth and length have named limits.
package enum JSON: Sendable, Hashable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case array([JSON])
  case members([Member])

  /// A key of an object and its value.
  package struct Member: Sendable, Hashable {
    package let key: String
    package let value: JSON
  }

  /// Deeper values are refused, so that no line can exhaust the stack.
  package static let depthMax = 32
  /// Longer lines are refused, so that no peer can exhaust the memory.
  package static let lineBytesMax = 256 * 1024

  /// An object whose keys keep this order; they differ.
  package static func object(_ pairs: [(String, JSON)]) -> JSON {
    .members(pairs.map { Member(key: $0.0, value: $0.1) })
  }

  /// An object ordered by key.
  package static func object(_ members: [String: JSON]) -> JSON {
    object(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  package init(_ value: Int) { self = .int(Int64(value)) }
  /// Numbers above those of 63 bits are given as the greatest of them.
  package init(_ value: UInt64) { self = .int(Int64(clamping: value)) }
  package init(_ value: String?) { self = value.map { .string($0) } ?? .null }
}

// MARK: - Reading

extension JSON {
  /// The member of an object, or nil.
  package subscript(key: String) -> JSON? {
    if case .members(let members) = self { members.first { $0.key == key }?.value } else { nil }
  }

  package var string: String? { if case .string(let value) = self { value } else { nil } }
  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  package var array: [JSON]? { if case .array(let value) = self { value } else { nil } }

  package var object: [String: JSON]? {
    guard case .members(let members) = self else { return nil }
    return Dictionary(members.map { ($0.key, $0.value) }) { $1 }
  }

  package var int: Int64? {
    switch self {
    case .int(let value): value
    case .double(let value): Int64(exactly: value)
    default: nil
    }
  }

  package var double: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// A scalar as the text a person would have typed; nil for null, arrays and objects.
  package var scalarText: String? {
    switch self {
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .double(let value): String(value)
    case .string(let value): value
    case .null, .array, .members: nil
    }
  }
}

// MARK: - Writing

extension JSON {
  /// The value on one line, without a newline or a blank between values.
  package var text: String {
    var out: [UInt8] = []
    write(to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  /// The value on many lines, two spaces a level.
  package func pretty(indent: String = "") -> String {
    let inner = indent + "  "
    switch self {
    case .array(let values) where !values.isEmpty:
      let lines = values.map { inner + $0.pretty(indent: inner) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
    case .members(let members) where !members.isEmpty:
      let lines = members.map {
        inner + JSON.string($0.key).text + ": " + $0.value.pretty(indent: inner)
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    default: return text
    }
  }
}
