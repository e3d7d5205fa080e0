// SPDX-License-Identifier: Apache-2.0

/// A word of a story's line: `main`, `"two words"`, `key=value`, `"a key"=value`, `@File.swift:41`.
///
/// Lines are taken apart scalar by scalar: a mark that combines with a quote or a blank changes
/// neither.
struct StoryToken: Hashable {
  /// Where it begins, from 1.
  var column: Int
  /// What stands before `=`, if anything, without quotes.
  var key: String?
  /// Whether the key was in quotes: it is a label then, whatever it says.
  var isKeyQuoted = false
  /// The word, or what stands after `=`, without quotes.
  var value: String
  /// Whether the value was in quotes.
  var isQuoted: Bool

  /// Whether it is a place in a source, `@File.swift:41`.
  var isSource: Bool { value.utf8.first == UInt8(ascii: "@") }

  /// Bare words that say something about the delivery of an event.
  static let flags: Set<String> = ["late", "inferred", "sampled"]

  /// The words of a line up to a comment.
  static func split(_ line: Substring, number: Int) throws(StoryError) -> [StoryToken] {
    var tokens: [StoryToken] = []
    var scanner = Scanner(rest: line.unicodeScalars, column: 1, line: number)
    while true {
      while let next = scanner.rest.first, next == " " || next == "\t" { scanner.skip() }
      guard let next = scanner.rest.first, next != "#" else { return tokens }
      tokens.append(try scanner.token())
    }
  }

  private struct Scanner {
    var rest: Substring.UnicodeScalarView
    var column: Int
    let line: Int

    mutating func skip() {
      rest.removeFirst()
      column += 1
    }

    mutating func token() throws(StoryError) -> StoryToken {
      var token = StoryToken(column: column, key: nil, value: "", isQuoted: false)
      while let next = rest.first, next != " ", next != "\t" {
        if next == "=" && token.key == nil && !token.value.isEmpty && !token.isSource {
          token.key = token.value
          token.value = ""
          skip()
        } else if next == "\"" && token.value == "@" {
          token.value += try quoted()
        } else if next == "\"" && token.value.isEmpty {
          token.value = try quoted()
          guard token.key == nil, rest.first == "=" else {
            token.isQuoted = true
            return token
          }
          token.key = token.value
          token.isKeyQuoted = true
          token.value = ""
          skip()
        } else {
          token.value.unicodeScalars.append(next)
          skip()
        }
      }
      return token
    }

    private mutating func quoted() throws(StoryError) -> String {
      let start = column
      skip()
      var out = ""
      while let next = rest.first, next != "\"" {
        if next == "\\" {
          skip()
          out.unicodeScalars.append(try escape())
        } else {
          out.unicodeScalars.append(next)
          skip()
        }
      }
      guard !rest.isEmpty else {
        throw StoryError(line: line, column: start, message: "the quote is never closed")
      }
      skip()
      return out
    }

    private mutating func escape() throws(StoryError) -> Unicode.Scalar {
      let at = column
      guard let next = rest.first else { return "\\" }
      skip()
      switch next {
      case "n": return "\n"
      case "t": return "\t"
      case "\"", "\\": return next
      case "u":
        guard let close = rest.firstIndex(of: "}"), rest.first == "{",
          let value = UInt32(String(rest[rest.startIndex..<close].dropFirst()), radix: 16),
          let scalar = Unicode.Scalar(value)
        else { break }
        column += rest.distance(from: rest.startIndex, to: close) + 1
        rest = rest[rest.index(after: close)...]
        return scalar
      default: break
      }
      throw StoryError(
        line: line,
        column: at,
        message: "\\\(next) is no escape; there are \\n, \\t, \\\", \\\\ and \\u{hex}"
      )
    }
  }
}
