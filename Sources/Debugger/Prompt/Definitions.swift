// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceTrace
import LifetraceWords

/// Commands that a person has made of others, with `define` and `document`.
///
///     define lost
///       prev dirty "$1"
///       why
///     end
///
/// A line is run as if it was typed, with the words behind the name in the place of $1 to $9.
struct Definitions {
  /// There are at most this many.
  static let countMax = 200
  /// One has at most this many lines, and so has its document.
  static let linesMax = 1_000
  /// They call each other, and files that are sourced, at most this deep.
  static let depthMax = 32
  /// So many lines are run for one that was typed.
  static let runLinesMax = 100_000

  /// A command of one's own.
  struct Definition {
    var lines: [ScriptLine] = []
    /// What help says of it, a line each.
    var document: [String] = []
  }

  /// What the lines up to `end` belong to.
  struct Block {
    enum Kind: String {
      case define, document
    }

    var kind: Kind
    var name: String
    var lines: [ScriptLine] = []
  }

  private(set) var named: [String: Definition] = [:]
  /// The block that is open.
  private(set) var open: Block?

  subscript(name: String) -> Definition? { named[name] }

  /// The names, sorted.
  var names: [String] { named.keys.sorted() }

  /// Opens a block; throws where the name will not do.
  mutating func begin(_ kind: Block.Kind, _ words: [String]) throws(CommandError) {
    guard let name = words.first, words.count == 1 else {
      throw .usage("\(kind.rawValue) takes a name.")
    }
    let isWord = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    guard isWord, name.first?.isLetter == true, name.utf8.count <= 64, name != "end" else {
      throw .usage(
        "\(Printable.line(name)) cannot name a command: a name has letters, digits, - and _."
      )
    }
    if CommandTable.all.contains(where: { $0.name == name || $0.aliases.contains(name) }) {
      throw .usage("\(name) is a command of the prompt and stays what it is.")
    }
    if kind == .document, named[name] == nil {
      throw .usage("There is no command \(name) of your own: define \(name) makes one.")
    }
    guard named[name] != nil || named.count < Self.countMax else {
      throw .no("There are \(Self.countMax) commands of your own already.")
    }
    open = Block(kind: kind, name: name)
  }

  /// Takes a line into the open block; whether `end` has closed it.
  mutating func take(_ line: ScriptLine) throws(CommandError) -> Bool {
    guard var block = open else { return false }
    let words = line.text.split(whereSeparator: { $0 == " " || $0 == "\t" })
    if words == ["end"] {
      open = nil
      close(block)
      return true
    }
    if let first = words.first, first == "define" || first == "document", block.kind == .define {
      open = nil
      throw .usage("\(first) stands within define \(block.name), which has no end before it.")
    }
    guard block.lines.count < Self.linesMax else {
      open = nil
      throw .usage("\(block.kind.rawValue) \(block.name) has more than \(Self.linesMax) lines.")
    }
    block.lines.append(line)
    open = block
    return false
  }

  private mutating func close(_ block: Block) {
    switch block.kind {
    case .document: named[block.name]?.document = block.lines.map(\.text)
    case .define:
      let lines = block.lines.filter { !$0.isEmpty }
      // One without a line is forgotten.
      if lines.isEmpty {
        named[block.name] = nil
      } else {
        named[block.name, default: Definition()].lines = lines
      }
    }
  }

  /// Gives up the open block, and says what it was.
  mutating func giveUp() -> CommandError? {
    guard let block = open else { return nil }
    open = nil
    return .usage("\(block.kind.rawValue) \(block.name) has no end.")
  }

  /// The lines of a command of one's own, with what was typed behind its name; nil for another word.
  func call(_ line: String) throws(CommandError) -> [ScriptLine]? {
    guard let (word, rest) = CommandWords.head(line), let definition = named[word] else {
      return nil
    }
    let arguments = try CommandWords.split("x " + rest).dropFirst()
    var lines: [ScriptLine] = []
    for (number, line) in definition.lines.enumerated() {
      let text = try Self.fill(line.text, with: Array(arguments), of: word)
      let place = line.place ?? "\(word), line \(number + 1): "
      lines.append(ScriptLine(text: text, place: place))
    }
    return lines
  }

  /// Puts the arguments in the place of $1 to $9; `$$` is a dollar.
  private static func fill(_ text: String, with arguments: [String], of name: String)
    throws(CommandError) -> String
  {
    var result = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "$", let next = rest.first else {
        result.append(character)
        continue
      }
      if next == "$" {
        rest.removeFirst()
        result.append("$")
      } else if let number = Int(String(next)), next.isASCII, number > 0 {
        rest.removeFirst()
        guard arguments.indices.contains(number - 1) else {
          throw .usage("\(name) takes more words: there is none for $\(number).")
        }
        result += arguments[number - 1]
      } else {
        result.append(character)
      }
    }
    return result
  }
}

/// A line that is run, and where it stands: `tour.commands:12: `; nil for one that was typed.
struct ScriptLine {
  var text: String
  var place: String?

  /// Whether nothing but white space is in it.
  var isEmpty: Bool { text.allSatisfy { $0 == " " || $0 == "\t" || $0 == "\r" } }
}
