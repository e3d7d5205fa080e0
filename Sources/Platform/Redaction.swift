// SPDX-License-Identifier: Apache-2.0

/// A pattern of strings that must not reach the file.
///
///     try Redaction("/[0-9]{16}/")     // extended regular expression: what matches is replaced
///     try Redaction("@example.com")    // glob: the whole string around a match is replaced
///
/// Each string that matches becomes `[redacted 1]`, `[redacted 2]` …: objects
/// stay distinct, so that the rules still find what was lost.
package struct Redaction: Hashable, Sendable {
  /// As the user wrote it.
  package let pattern: String

  /// Checks the pattern, and throws where it is not valid.
  package init(_ pattern: String) throws(RedactionError) {
    self.pattern = pattern
    if let expression {
      var compiled = regex_t()
      let code = regcomp(&compiled, expression, REG_EXTENDED)
      guard code == 0 else {
        var text = [CChar](repeating: 0, count: 256)
        regerror(code, &compiled, &text, text.count)
        let words = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let why = Self.openBracket(expression) ?? String(decoding: words, as: UTF8.self)
        throw RedactionError(pattern: pattern, why: why)
      }
      regfree(&compiled)
    }
  }

  /// The message where a bracket is not closed, for which the C library only says "invalid".
  private static func openBracket(_ expression: String) -> String? {
    var rest = expression[...]
    while let character = rest.popFirst() {
      if character == "\\" { _ = rest.popFirst() }
      guard character == "[" else { continue }
      if rest.first == "^" { rest.removeFirst() }
      guard let end = rest.dropFirst().firstIndex(of: "]") else {
        return "a [ is not closed; the character itself is written \\["
      }
      rest = rest[rest.index(after: end)...]
    }
    return nil
  }

  /// The regular expression between the slashes, nil for a glob.
  package var expression: String? {
    guard pattern.count >= 2, pattern.hasPrefix("/"), pattern.hasSuffix("/") else { return nil }
    return String(pattern.dropFirst().dropLast())
  }
}

/// A pattern that is none.
package struct RedactionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// As the user wrote it.
  package let pattern: String
  /// What is wrong with it.
  package let why: String

  /// The pattern, and what is wrong with it.
  package var description: String { "\(pattern): not a pattern: \(why)" }
}
