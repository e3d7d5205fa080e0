// SPDX-License-Identifier: Apache-2.0

/// A pattern of names: `*` and `?` stand for letters, `[a-z]` and `[!a-z]` for one of some.
///
///     Glob("drafts/*.txt").matches("drafts/a/b.txt")     // true: `*` takes slashes too
///
/// `\` takes the letter behind it as it is. A bracket that is never closed is a letter.
package struct Glob: Sendable, Hashable {
  /// It as it was written.
  package let text: String
  private let parts: [Part]

  private enum Part: Hashable {
    case some
    case one
    case set([ClosedRange<UInt32>], isNegated: Bool)
    case letter(UInt32)

    func holds(_ scalar: UInt32) -> Bool {
      switch self {
      case .some, .one: true
      case .set(let ranges, let isNegated):
        ranges.contains { $0.contains(scalar) } != isNegated
      case .letter(let own): own == scalar
      }
    }
  }

  /// The pattern that `text` is.
  package init(_ text: String) {
    self.text = text
    let scalars = text.unicodeScalars.map(\.value)
    var parts: [Part] = []
    var at = 0
    while at < scalars.count {
      let scalar = scalars[at]
      at += 1
      switch Unicode.Scalar(scalar) {
      case "*": if parts.last != .some { parts.append(.some) }
      case "?": parts.append(.one)
      case "[":
        if let (set, end) = Self.set(scalars, from: at) {
          parts.append(set)
          at = end
        } else {
          parts.append(.letter(scalar))
        }
      case "\\" where at < scalars.count:
        parts.append(.letter(scalars[at]))
        at += 1
      default: parts.append(.letter(scalar))
      }
    }
    self.parts = parts
  }

  private static func set(_ scalars: [UInt32], from begin: Int) -> (Part, end: Int)? {
    var at = begin
    let isNegated = at < scalars.count && (scalars[at] == 33 || scalars[at] == 94)
    if isNegated { at += 1 }
    var ranges: [ClosedRange<UInt32>] = []
    var isFirst = true
    while at < scalars.count {
      let low = scalars[at]
      if low == 93, !isFirst { return (.set(ranges, isNegated: isNegated), at + 1) }
      isFirst = false
      at += 1
      if at + 1 < scalars.count, scalars[at] == 45, scalars[at + 1] != 93 {
        let high = scalars[at + 1]
        if low <= high { ranges.append(low...high) }
        at += 2
      } else {
        ranges.append(low...low)
      }
    }
    return nil
  }

  /// The one name that it means; nil for a pattern.
  package var literal: String? {
    var scalars = "".unicodeScalars
    for part in parts {
      guard case .letter(let value) = part, let scalar = Unicode.Scalar(value) else { return nil }
      scalars.append(scalar)
    }
    return String(scalars)
  }

  /// Whether it means `name`; the cost is at most the product of both lengths.
  package func matches(_ name: String) -> Bool {
    let scalars = Array(name.unicodeScalars)
    var (part, at) = (0, 0)
    var (star, mark) = (-1, 0)
    while at < scalars.count {
      if part < parts.count, parts[part] == .some {
        (star, mark) = (part, at)
        part += 1
      } else if part < parts.count, parts[part].holds(scalars[at].value) {
        part += 1
        at += 1
      } else if star >= 0 {
        mark += 1
        (part, at) = (star + 1, mark)
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { $0 == .some }
  }
}
