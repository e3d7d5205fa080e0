// SPDX-License-Identifier: GPL-3.0-or-later

/// Cuts a line into words.
enum CommandWords {
  /// Split at spaces; double or single quotes keep spaces, a backslash keeps the next character.
  ///
  /// A line that begins with # is a remark; what stands behind a command is none.
  static func split(_ line: String, remarks: Bool = true) throws(CommandError) -> [String] {
    var words: [String] = []
    var word = ""
    var isWord = false
    var quote: Character?
    var isEscaped = false
    for character in line {
      if isEscaped {
        word.append(character)
        isEscaped = false
      } else if character == "\\" && quote != "'" {
        isEscaped = true
        isWord = true
      } else if let open = quote {
        if character == open { quote = nil } else { word.append(character) }
      } else if character == "\"" || character == "'" {
        quote = character
        isWord = true
      } else if character == " " || character == "\t" {
        if isWord || !word.isEmpty { words.append(word) }
        word = ""
        isWord = false
      } else if remarks && character == "#" && words.isEmpty && word.isEmpty {
        return []
      } else {
        word.append(character)
      }
    }
    if let quote { throw .usage("A \(quote) is open at the end of the line.") }
    if isWord || !word.isEmpty { words.append(word) }
    return words
  }

  /// The first word of a line and what follows it, as it was typed; nil for a line without one.
  static func head(_ line: String) -> (word: String, rest: String)? {
    cut(line).flatMap { $0.word.hasPrefix("#") ? nil : $0 }
  }

  /// The same of a text, in which a # begins no remark.
  static func cut(_ text: String) -> (word: String, rest: String)? {
    let line = text.drop { $0 == " " || $0 == "\t" }
    let word = line.prefix { $0 != " " && $0 != "\t" }
    guard !word.isEmpty else { return nil }
    let rest = line.dropFirst(word.count).drop { $0 == " " || $0 == "\t" }
    let end = rest.lastIndex { $0 != " " && $0 != "\t" }.map { rest.index(after: $0) }
    return (String(word), String(rest[..<(end ?? rest.startIndex)]))
  }

  /// A count of at least 1, or what is wrong with the word.
  static func count(_ words: [String]) throws(CommandError) -> Int {
    guard let word = words.first else { return 1 }
    guard words.count == 1, let count = Int(word), count >= 1 else {
      throw .usage("\(words.joined(separator: " ")) is not a count: a whole number from 1.")
    }
    return count
  }

  /// Nothing was expected behind the command.
  static func none(_ words: [String], _ command: String) throws(CommandError) {
    guard words.isEmpty else { throw .usage("\(command) takes no argument.") }
  }
}
