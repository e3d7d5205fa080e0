// SPDX-License-Identifier: Apache-2.0

/// Cuts an expression into tokens.
///
///     try Lexer.tokens("bytes > 1kB")        // word bytes, sign >, number 1kB, end
enum Lexer {
  /// Longer texts are refused: nobody has typed them.
  static let charactersMax = 4_096

  private static let signs = [
    "&&", "||", "==", "!=", "<=", ">=", "=~", "<", ">", "!", "(", ")", "[", "]", ",", ".", "+", "-",
  ]

  static func tokens(_ text: String) throws(QueryError) -> [Token] {
    let source = Array(text.prefix(charactersMax + 1))
    guard source.count <= charactersMax else {
      throw QueryError(0..<1, "an expression has at most \(charactersMax) characters")
    }
    var tokens: [Token] = []
    var at = 0
    while at < source.count {
      let character = source[at]
      if character.isWhitespace {
        at += 1
        continue
      }
      let token = try token(source, at)
      tokens.append(token)
      at = token.range.upperBound
    }
    tokens.append(Token(kind: .end, range: source.count..<source.count))
    return tokens
  }

  private static func token(_ source: [Character], _ at: Int) throws(QueryError) -> Token {
    let character = source[at]
    if isLetter(character) {
      var end = at + 1
      // Apps have dashes and numbers in their labels: `sync-agent#2`, `python3.11#2`.
      while end < source.count,
        isLetter(source[end]) || isDigit(source[end])
          || ((source[end] == "#" || source[end] == ".") && end + 1 < source.count
            && isDigit(source[end + 1]))
          || (source[end] == "-" && end + 1 < source.count && isLetter(source[end + 1]))
      {
        end += 1
      }
      return Token(kind: .word(String(source[at..<end])), range: at..<end)
    }
    if isDigit(character) {
      var end = at + 1
      while end < source.count,
        isLetter(source[end]) || isDigit(source[end])
          || (source[end] == "." && end + 1 < source.count && isDigit(source[end + 1]))
      {
        end += 1
      }
      let digits = source[at..<end].filter { $0 != "_" }
      return Token(kind: .number(String(digits)), range: at..<end)
    }
    if character == "\"" || character == "`" { return try quoted(source, at) }
    for sign in signs where source[at...].starts(with: sign) {
      return Token(kind: .sign(sign), range: at..<at + sign.count)
    }
    throw QueryError(at..<at + 1, "\(character) means nothing here", advice: advice(character))
  }

  private static func quoted(_ source: [Character], _ at: Int) throws(QueryError) -> Token {
    let quote = source[at]
    var text = ""
    var end = at + 1
    while end < source.count, source[end] != quote {
      // In a pattern the backslash is the pattern's own.
      if source[end] == "\\", quote == "\"", end + 1 < source.count { end += 1 }
      text.append(source[end])
      end += 1
    }
    guard end < source.count else {
      throw QueryError(at..<source.count, "a \(quote) is open at the end")
    }
    return Token(kind: quote == "\"" ? .string(text) : .glob(text), range: at..<end + 1)
  }

  private static func advice(_ character: Character) -> String {
    switch character {
    case "=": "to compare, write =="
    case "&": "for both, write &&"
    case "|": "for either, write ||"
    case "'": "texts stand in double quotes"
    case "~": "for a pattern, write name =~ `*.txt`"
    default: ""
    }
  }

  private static func isLetter(_ character: Character) -> Bool {
    character.isLetter || character == "_" || character == "µ"
  }

  private static func isDigit(_ character: Character) -> Bool {
    character.isASCII && character.isNumber
  }
}
