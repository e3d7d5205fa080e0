// SPDX-License-Identifier: GPL-3.0-or-later

/// A value that `--json` prints; keys keep the order in which they were given.
package enum JSON: Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case string(String)
  case array([JSON])
  case object([(String, JSON)])

  /// On one line, without spaces.
  package var text: String {
    var result = ""
    write(to: &result)
    return result
  }

  private func write(to result: inout String) {
    switch self {
    case .null: result += "null"
    case .bool(let value): result += value ? "true" : "false"
    case .int(let value): result += "\(value)"
    case .string(let value): Self.write(value, to: &result)
    case .array(let values):
      result += "["
      for (index, value) in values.enumerated() {
        if index > 0 { result += "," }
        value.write(to: &result)
      }
      result += "]"
    case .object(let pairs):
      result += "{"
      for (index, pair) in pairs.enumerated() {
        if index > 0 { result += "," }
        Self.write(pair.0, to: &result)
        result += ":"
        pair.1.write(to: &result)
      }
      result += "}"
    }
  }

  private static func write(_ text: String, to result: inout String) {
    result += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\u{0}"..<"\u{20}", "\u{7f}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    result += "\""
  }
}

extension JSON {
  package init(_ value: Int) { self = .int(Int64(value)) }
  package init(_ value: UInt64) { self = .int(Int64(clamping: value)) }
  package init(_ value: String?) { self = value.map { .string($0) } ?? .null }
}
