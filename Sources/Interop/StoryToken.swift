// SPDX-License-Identifier: Apache-2.0

/// A word of a story's line: `main`, `"two words"`, `key=value`, `@File.swift:41`.
struct StoryToken: Hashable {
  /// Where it begins, from 1.
  var column: Int
  /// What stands before `=`, if anything.
  var key: String?
  /// The word, or what stands after `=`, without quotes.
  var value: String
  /// Whether the value was in quotes.
  var isQuoted: Bool

  /// Bare words that say something about the delivery of an event.
  static let flags: Set<String> = ["late", "inferred", "sampled"]

  /// The words of a line up to a comment.
  static func split(_ line: Substring, number: Int) throws(StoryError) -> [StoryToken] {
    var tokens: [StoryToken] = []
    var scanner = Scanner(rest: line, column: 1, line: number)
    while true {
      while let next = scanner.rest.first, next == " " || next == "\t" { scanner.skip() }
      guard let next = scanner.rest.first, next != "#" else { return tokens }
      tokens.append(try scanner.token())
    }
  }

  private struct Scanner {
    var rest: Substring
    var column: Int
    let line: Int

    mutating func skip() {
      rest.removeFirst()
      column += 1
    }

    mutating func token() throws(StoryError) -> StoryToken {
      let start = column
      var word = ""
      var key: String?
      while let next = rest.first, next != " ", next != "\t" {
        if next == "=" && key == nil && !word.isEmpty && !word.hasPrefix("@") {
          key = word
          word = ""
          skip()
        } else if next == "\"" && word == "@" {
          word += try quoted()
        } else if next == "\"" && word.isEmpty {
          return StoryToken(column: start, key: key, value: try quoted(), isQuoted: true)
        } else {
          word.append(next)
          skip()
        }
      }
      return StoryToken(column: start, key: key, value: word, isQuoted: false)
    }

    private mutating func quoted() throws(StoryError) -> String {
      let start = column
      skip()
      var out = ""
      while let next = rest.first, next != "\"" {
        if next == "\\" {
          skip()
          out += try escape()
        } else {
          out.append(next)
          skip()
        }
      }
      guard !rest.isEmpty else {
        throw StoryError(line: line, column: start, message: "the quote is never closed")
      }
      skip()
      return out
    }

    private mutating func escape() throws(StoryError) -> String {
      let at = column
      guard let next = rest.first else { return "" }
      skip()
      switch next {
      case "n": return "\n"
      case "t": return "\t"
      case "\"", "\\": return String(next)
      case "u":
        guard let close = rest.firstIndex(of: "}"), rest.first == "{",
          let value = UInt32(rest[rest.startIndex..<close].dropFirst(), radix: 16),
          let scalar = Unicode.Scalar(value)
        else { break }
        column += rest.distance(from: rest.startIndex, to: close) + 1
        rest = rest[rest.index(after: close)...]
        return String(Character(scalar))
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
