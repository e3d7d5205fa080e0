// SPDX-License-Identifier: Apache-2.0

/// What is wrong with an expression, and where.
///
///     data.dirty && bytes > 3s
///                           ^~ 3s is a length of time; bytes is a size: compare it with 3kB
package struct QueryError: Error, Hashable, Sendable {
  /// The problem in one sentence, without a period.
  package var message: String
  /// What would have done; empty where there is nothing to add.
  package var advice: String
  /// The characters that are meant, as offsets into the text.
  package var range: Range<Int>

  init(_ range: Range<Int>, _ message: String, advice: String = "") {
    self.message = message
    self.advice = advice
    self.range = range
  }

  /// A problem with all of a text.
  package init(whole text: String, _ message: String, advice: String = "") {
    self.init(0..<text.count, message, advice: advice)
  }

  /// Message and advice in one line, without a period.
  package var sentence: String { advice.isEmpty ? message : "\(message): \(advice)" }

  /// The same where other sentences may follow: a question has its own mark.
  package var ended: String { sentence.hasSuffix("?") ? sentence : sentence + "." }

  /// The line of `text` that is meant, with carets below; tabs stay, so that the carets stand right.
  package func marked(in text: String) -> [String] {
    let characters = Array(text)
    let at = min(range.lowerBound, characters.count)
    let begin = characters[..<at].lastIndex(where: \.isNewline).map { $0 + 1 } ?? 0
    let end = characters[at...].firstIndex(where: \.isNewline) ?? characters.count
    let margin = characters[begin..<at].map { $0 == "\t" ? "\t" : " " }.joined()
    let width = max(1, min(range.upperBound, end) - at)
    return [
      String(characters[begin..<end]), margin + "^" + String(repeating: "~", count: width - 1),
    ]
  }

  /// Line and column, from 1, as editors count them.
  package func place(in text: String) -> (line: Int, column: Int) {
    let before = Array(text).prefix(range.lowerBound)
    let line = before.filter(\.isNewline).count
    let column = before.count - (before.lastIndex(where: \.isNewline).map { $0 + 1 } ?? 0)
    return (line + 1, column + 1)
  }
}
