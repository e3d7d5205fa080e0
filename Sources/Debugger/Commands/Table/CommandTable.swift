// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceReplay
import LifetraceTrace
import LifetraceWords

/// All commands: the prompt runs them, help and the manual page describe them.
enum CommandTable {
  /// In the order of the manual.
  static let all: [Command] =
    MovingCommands.all + FollowCommand.all + StopCommands.all + LookingCommands.all
    + PlacesDiffCommand.all
    + MessageCommands.all + TimelineCommand.all + SearchCommands.all + QuestionCommands.all
    + WhyCommands.all
    + WhatIfCommand.all + SlackCommand.all + MinimizeCommand.all + RerunCommand.all
    + NoteCommands.all + CutCommand.all + ScriptCommands.all + PromptCommands.all

  /// What one word of a line may mean.
  enum Match {
    case one(Command)
    case several([String])
    case none
  }

  /// The command with this name or alias, or the only one that begins so.
  ///
  /// A beginning that several names of the same command share is not ambiguous.
  static func find(_ word: String) -> Match {
    if let exact = all.first(where: { $0.name == word || $0.aliases.contains(word) }) {
      return .one(exact)
    }
    guard elsewhere[word] == nil else { return .none }
    var begun: [Command] = []
    for command in all
    where ([command.name] + command.aliases).contains(where: { $0.hasPrefix(word) }) {
      begun.append(command)
    }
    // A beginning of a name comes before a beginning of an alias.
    let named = begun.filter { $0.name.hasPrefix(word) }
    if named.count == 1 { return .one(named[0]) }
    if named.count > 1 { return .several(named.map(\.name).sorted()) }
    if begun.count == 1 { return .one(begun[0]) }
    if begun.isEmpty { return .none }
    return .several(
      begun.flatMap { [$0.name] + $0.aliases }.filter { $0.hasPrefix(word) }.sorted()
    )
  }

  /// What other debuggers call it, or people do; none of these is the beginning of a name here.
  private static let elsewhere = [
    "condition": "To give a stop another condition: delete N, then break EXPRESSION if CONDITION",
    "clear": "To forget a stop: delete N",
    "thread": "Events of all threads are one order: spans tells what is open on each, and "
      + "next thread == t7 goes to what a thread does.",
    "who":
      "For the processes: ps. For what changed something last: last NAME, and why for its cause.",
    "save": "For the saves of data: next save. To keep this place: mark NAME, or note TEXT",
    "lives": "For the lives of all apps: ps all. To see them drawn: timeline all",
  ]

  /// What may have been meant by a word that is no command.
  private static func hint(for word: String) -> String {
    if Places.isNumber(word) || EventName(word) != nil { return "To go there: goto \(word)" }
    if let words = elsewhere[word] { return words }
    let names = all.flatMap { [$0.name] + $0.aliases }.filter { $0.count > 2 }
    guard let meant = nearest(to: word, among: names) else {
      return "Try help, or apropos \(word)."
    }
    return "Did you mean \(meant)?"
  }

  /// The command of a word, or what is wrong with the word.
  static func command(_ word: String) throws(CommandError) -> Command {
    switch find(word) {
    case .one(let command): return command
    case .several(let names):
      throw .usage("\(word) is ambiguous: \(names.joined(separator: ", ")).")
    case .none:
      throw .usage("There is no command \(word). \(hint(for: word))")
    }
  }

  /// The command of a line and its arguments; one that takes a text gets it as it was typed.
  ///
  /// Nil for a line without a command.
  static func read(_ line: String) throws(CommandError) -> (Command, [String])? {
    if let (word, rest) = CommandWords.head(line), case .one(let command) = find(word),
      command.takesText
    {
      return (command, rest.isEmpty ? [] : [rest])
    }
    let words = try CommandWords.split(line)
    guard let first = words.first else { return nil }
    return (try command(first), Array(words.dropFirst()))
  }
}
