// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import LifetraceTrace
import LifetraceWords

/// Commands that run others: of a file, or of a person's own making.
enum ScriptCommands {
  static let all: [Command] = [
    Command(
      name: "source",
      synopsis: "FILE",
      summary: "run the commands of a file, up to the first error",
      group: .console,
      details: ["An error names the file and the line. A # at the start of a line is a remark."],
      examples: ["source ~/lost.commands"]
    ) { session, words in
      guard let path = words.first, words.count == 1 else {
        throw CommandError.usage("source takes a file.")
      }
      do throws(SmallFile.Failure) {
        let text = try SmallFile.text(of: Paths.expand(path), bytesMax: Debugger.scriptBytesMax)
        var answer = Answer()
        answer.runs = Self.lines(of: text, named: path)
        return answer
      } catch {
        throw CommandError.no("\(Printable.line(path)) cannot be read: \(error.reason).")
      }
    },
    Command(
      name: "define",
      synopsis: "NAME … end",
      summary: "make a command of the lines up to end; help NAME shows it",
      group: .console,
      details: [
        "$1 to $9 in its lines stand for the words behind the name, $$ for a dollar. It stops at the "
          + "first error. Without a line it is forgotten. Those in the init file are always there."
      ],
      examples: ["define lost", "  prev dirty $1", "  why", "end", "lost draft.txt"]
    ) { session, words in try begin(.define, session, words) },
    Command(
      name: "document",
      synopsis: "NAME … end",
      summary: "say what a command of your own does, in the lines up to end",
      group: .console
    ) { session, words in try begin(.document, session, words) },
  ]

  private static func begin(_ kind: Definitions.Block.Kind, _ session: Session, _ words: [String])
    throws -> Answer
  {
    try session.definitions.begin(kind, words)
    var answer = Answer()
    answer.note(Fact(kind.rawValue, .text(words[0])))
    return answer
  }

  /// The lines of a file, each with its place.
  static func lines(of text: String, named name: String) -> [ScriptLine] {
    // A carriage return and a line feed are one character.
    var parts = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    if parts.last == "" { parts.removeLast() }
    return parts.enumerated().map { number, line in
      ScriptLine(text: String(line), place: "\(Printable.line(name)):\(number + 1): ")
    }
  }

  /// Help about a command of one's own: what it does, and of what it is made.
  static func help(_ name: String, _ definition: Definitions.Definition) -> Answer {
    var answer = Answer()
    answer.say(Line(name), [Fact("name", .text(name))])
    answer.say("document", definition.document.map(Printable.line), indent: 2)
    answer.say("  It runs:")
    answer.say("lines", definition.lines.map { Printable.line($0.text) }, indent: 4)
    return answer
  }
}
