// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceQuery
import LifetraceReplay
import LifetraceReports
import LifetraceRules
import LifetraceTrace
import LifetraceWords

/// Help, `apropos` and the manual page, all made from ``CommandTable``.
package enum Manual {
  /// Whether a command of the prompt has this name, in full, or this other name.
  package static func hasCommand(_ word: String) -> Bool {
    CommandTable.all.contains { $0.name == word || $0.aliases.contains(word) }
  }

  static func help(_ word: String?, _ rules: RuleSet = .builtIn) throws -> Answer {
    switch word {
    case nil: return overview()
    case "kinds": return kinds()
    case "places":
      return Answer(.line("A place is \(Places.forms).", [Fact("places", .text(Places.forms))]))
    case "settings": return settings()
    case "expressions": return expressions()
    case let word?:
      if let group = Command.Group.allCases.first(where: { $0.word == word.lowercased() }) {
        return chapter(group)
      }
      if let rule = rules.info(word.uppercased()) { return self.rule(rule) }
      return page(try CommandTable.command(word))
    }
  }

  static func apropos(_ word: String) throws -> Answer {
    let word = word.lowercased()
    let found = CommandTable.all.filter { command in
      ([command.name, command.summary] + command.aliases + command.details + command.examples)
        .contains { $0.lowercased().contains(word) }
    }
    guard !found.isEmpty else { throw CommandError.no("No command mentions \(word).") }
    var answer = Answer()
    answer.list(
      nil,
      found.map { .facts([Fact(words: $0.usage), Fact(words: $0.summary)]) },
      indent: 2
    )
    answer.note(Fact("commands", .texts(found.map(\.name))))
    return answer
  }

  // MARK: -

  /// The commands to begin with.
  private static let first = [
    "step", "back", "next", "goto", "continue", "list", "why", "dirty",
  ]
  /// The names of a chapter are broken into lines of this many columns.
  private static let namesColumns = 80

  /// One screen: the commands to begin with, and the names of all.
  private static func overview() -> Answer {
    var answer = Answer()
    answer.say("To begin with:")
    let begin = first.compactMap { name in CommandTable.all.first { $0.name == name } }
    answer.list(
      nil,
      begin.map { .facts([Fact(words: $0.name), Fact(words: $0.summary)]) },
      indent: 2
    )
    answer.say("All of them:")
    var rows: [Listing.Row] = []
    for group in Command.Group.allCases {
      let names = CommandTable.all.filter { $0.group == group }.map(\.name)
      for (number, line) in lines(of: names).enumerated() {
        let chapter = number == 0 ? "help \(group.word)" : ""
        rows.append(.facts([Fact(words: chapter, .faint), Fact(words: line)]))
      }
    }
    answer.list(nil, rows, indent: 2)
    answer.note(Fact(data: "commands", .list(CommandTable.all.map { .object(facts($0)) })))
    answer.say(
      "For more: help COMMAND, help RULE, help kinds, help expressions, help places, help settings."
    )
    answer.say("A beginning of a name will do. An empty line steps, or lists, again.")
    return answer
  }

  /// Words with commas, broken into lines.
  private static func lines(of words: [String]) -> [String] {
    var lines: [String] = []
    for (number, word) in words.enumerated() {
      let word = number + 1 < words.count ? word + "," : word
      if let last = lines.last, last.count + 1 + word.count <= namesColumns {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(word)
      }
    }
    return lines
  }

  /// The commands of a chapter, a line each.
  private static func chapter(_ group: Command.Group) -> Answer {
    var answer = Answer(.line(Line(group.rawValue), [Fact("chapter", .text(group.word))]))
    answer.list(
      "commands",
      CommandTable.all.filter { $0.group == group }.map { .facts(facts($0)) },
      indent: 2
    )
    return answer
  }

  private static func facts(_ command: Command) -> [Fact] {
    [
      Fact("name", .text(command.name), command.usage),
      Fact("summary", .text(command.summary)),
      Fact(data: "aliases", .texts(command.aliases)),
    ]
  }

  private static func page(_ command: Command) -> Answer {
    var answer = Answer()
    answer.say(
      Line(command.usage),
      [Fact("name", .text(command.name)), Fact("synopsis", .text(command.synopsis))]
    )
    answer.say("  \(sentence(command.summary))", [Fact("summary", .text(command.summary))])
    answer.say("details", command.details, indent: 2)
    if !command.aliases.isEmpty {
      answer.say("  Also: \(command.aliases.joined(separator: ", ")).")
    }
    answer.note(Fact("aliases", .texts(command.aliases)))
    if command.repeats { answer.say("  An empty line does it again.") }
    if !command.examples.isEmpty { answer.say("  For example:") }
    answer.say("examples", command.examples, indent: 4)
    return answer
  }

  private static func rule(_ rule: RuleInfo) -> Answer {
    var answer = Answer()
    for line in rule.manual { answer.say(Line(line)) }
    answer.note(
      Fact("rule", .text(rule.id)),
      Fact("severity", .text(rule.severity.rawValue)),
      Fact("statement", .text(rule.statement)),
      Fact("source", .text(rule.source)),
      Fact("fix", .text(rule.fix))
    )
    return answer
  }

  private static func kinds() -> Answer {
    var answer = Answer()
    answer.say(
      "next and prev take one of these words, a dotted kind such as data.dirty, or a family:",
      [Fact("kinds", .texts(KindWord.all.map(\.word) + KindWord.deviceWords.sorted()))]
    )
    answer.list(
      nil,
      KindWord.all.map { .facts([Fact(words: $0.word), Fact(words: $0.summary)]) },
      indent: 2
    )
    answer.say(Line(deviceWords))
    return answer
  }

  private static func expressions() -> Answer {
    var answer = Answer()
    answer.list(
      "examples",
      QueryManual.examples.map {
        .facts([Fact("expression", .text($0.text)), Fact("meaning", .text($0.meaning))])
      },
      indent: 2
    )
    answer.say("rules", QueryManual.rules)
    for table in StateTable.all {
      let fields = table.fields.map(\.name).joined(separator: ", ")
      answer.say("  \(table.word): \(fields)")
    }
    answer.say("  state: \(StateFact.all.map(\.name).joined(separator: ", "))")
    let names = Set(Schema.known.fields.keys).sorted()
    answer.say("  events: \(names.joined(separator: ", "))")
    answer.note(Fact(data: "fields", .texts(names)))
    return answer
  }

  /// Words for what happens to the device, which `next` takes as well.
  private static var deviceWords: String {
    "Of the device also: \(KindWord.deviceWords.sorted().joined(separator: ", "))."
  }

  private static func settings() -> Answer {
    var answer = Answer()
    answer.list(
      nil,
      Setting.all.map {
        .facts([Fact(words: "set \($0.name) \($0.values)"), Fact(words: $0.summary)])
      },
      indent: 2
    )
    answer.note(Fact("settings", .texts(Setting.all.map(\.name))))
    return answer
  }

  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  // MARK: -

  /// The whole manual in Markdown, as the golden page holds it.
  package static var markdown: String {
    var text = "# Commands of `lifetrace replay`\n"
    for group in Command.Group.allCases {
      text += "\n## \(group.rawValue)\n"
      for command in CommandTable.all where command.group == group {
        text += "\n### `\(command.usage)`\n\n\(sentence(command.summary))"
        for detail in command.details { text += "\n\n\(detail)" }
        if !command.aliases.isEmpty {
          let aliases = command.aliases.map { "`\($0)`" }.joined(separator: ", ")
          text += "\n\nAlso: \(aliases)."
        }
        if command.repeats { text += "\n\nAn empty line does it again." }
        if !command.examples.isEmpty {
          text += "\n\n" + command.examples.map { "    \($0)" }.joined(separator: "\n")
        }
        text += "\n"
      }
    }
    text += "\n## Kinds of events\n\n"
    for word in KindWord.all { text += "- `\(word.word)`: \(word.summary)\n" }
    text += "\n\(deviceWords)\n"
    text += "\n## Places\n\nA place is \(Places.forms).\n\n## Settings\n\n"
    for setting in Setting.all {
      text += "- `\(setting.name) \(setting.values)`: \(setting.summary)\n"
    }
    return text
  }
}
