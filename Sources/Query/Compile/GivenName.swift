// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// A name for a value of one event, by which an expression about a later one can mention it.
///
///     let saved = try GivenName("doc = object", at: edits)       // edits: Question("dirty")
///     saved.word.name                                            // doc
///     try Question(condition: "data.durable && object == doc", given: saved.word)
package struct GivenName: Hashable, Sendable {
  /// The name, as it stands in expressions, and what its value is.
  package let word: GivenWord
  /// What gives the value.
  package let question: Question

  /// As it was said: `doc = object`.
  package var text: String { "\(word.name) = \(question.text.trimmed)" }

  /// Reads `NAME = VALUE`, whose value is one of the events at which `condition` holds.
  ///
  /// Errors are about places in `text`.
  package init(_ text: String, at condition: Question) throws(QueryError) {
    let characters = Array(text)
    guard let sign = characters.firstIndex(of: "="), sign + 1 < characters.count,
      characters[sign + 1] != "="
    else {
      throw QueryError(whole: text, "a name is bound to a value", advice: "doc = object")
    }
    let before = characters[..<sign].drop { $0.isWhitespace }
    let word = before.prefix { !$0.isWhitespace }
    let name = String(word)
    let range = word.isEmpty ? 0..<sign : word.startIndex..<before.endIndex
    guard Self.isName(name),
      word.endIndex == before.endIndex || before[word.endIndex...].allSatisfy(\.isWhitespace)
    else {
      throw QueryError(
        range,
        "`\(String(characters[range]).trimmed)` is no name to bind",
        advice: "letters and digits, such as doc"
      )
    }
    guard !Self.isTaken(name) else {
      throw QueryError(
        word.startIndex..<word.endIndex,
        "\(name) means something by itself",
        advice: "choose another name, such as my\(name.prefix(1).uppercased())\(name.dropFirst())"
      )
    }
    let value = String(characters[(sign + 1)...])
    do throws(QueryError) {
      question = try Question(value, of: condition.kinds)
    } catch {
      throw QueryError(
        error.range.lowerBound + sign + 1..<error.range.upperBound + sign + 1,
        error.message,
        advice: error.advice
      )
    }
    self.word = GivenWord(name: name, type: question.type)
    let rest = Self.range(of: characters, behind: sign)
    guard !question.moves else {
      throw QueryError(rest, "age and left move with time, and a bound value stays")
    }
    guard !question.kinds.isDisjoint(with: condition.kinds) else {
      throw QueryError(
        rest,
        "no event of \(condition.text) has \(value.trimmed)",
        advice: "a field that it has, such as name or object"
      )
    }
  }

  private static func isName(_ name: String) -> Bool {
    name.first?.isLetter == true
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
  }

  /// Where the value stands, without the spaces around it.
  private static func range(of characters: [Character], behind sign: Int) -> Range<Int> {
    let value = characters[(sign + 1)...]
    let first = value.firstIndex { !$0.isWhitespace } ?? sign + 1
    let last = value.lastIndex { !$0.isWhitespace } ?? sign
    return first..<last + 1
  }

  private static func isTaken(_ name: String) -> Bool {
    let signs = [
      "and", "or", "not", "if", "in", "any", "all", "count", "where", "true", "false", "before",
      "after",
    ]
    return signs.contains(name) || Schema.known.words.contains(name)
      || StateFact.named(name) != nil
      || StateTable.all.contains { table in
        // A field of a row stands alone behind `where`.
        table.word == name || table.singular == name || table.fields.contains { $0.name == name }
      }
  }
}

/// A name beside those of the language, whose value is handed in with each event.
package struct GivenWord: Hashable, Sendable {
  /// As it stands in expressions.
  package let name: String
  /// What its value is.
  package let type: ValueType
}

extension String {
  fileprivate var trimmed: String {
    var rest = drop(while: \.isWhitespace)
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}
