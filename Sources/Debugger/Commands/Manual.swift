// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceQuery
import LifetraceReplay
import LifetraceReports
import LifetraceRules
import LifetraceWords

/// Help, `apropos` and the manual page, all made from ``CommandTable``.
package enum Manual {
  static func help(_ word: String?, _ rules: RuleSet = .builtIn) throws -> Answer {
    switch word {
    case nil: return overview()
    case "kinds": return kinds()
    case "places":
      return Answer(.line("A place is \(Places.forms).", [Fact("places", .text(Places.forms))]))
    case "settings": return settings()
    case "expressions": return expressions()
    case let word?:
      if let rule = rules.info(word.uppercased()) { return self.rule(rule) }
      return page(try CommandTable.command(word))
    }
  }

  static func apropos(_ word: String) throws -> Answer {
    let word = word.lowercased()
    let found = CommandTable.all.filter { command in
      ([command.name, command.summary] + command.aliases + command.details)
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

  private static func overview() -> Answer {
    var answer = Answer()
    for group in Command.Group.allCases {
      if !answer.parts.isEmpty { answer.say("") }
      answer.say(Line(group.rawValue))
      let commands = CommandTable.all.filter { $0.group == group }
      answer.list("commands", commands.map { summary($0) }, indent: 2)
    }
    answer.say("")
    answer.say(
      "For more: help COMMAND, help RULE, help kinds, help expressions, help places, help settings."
    )
    answer.say("A beginning of a name will do. An empty line steps, or lists, again.")
    return answer
  }

  private static func summary(_ command: Command) -> Listing.Row {
    .facts([
      Fact("name", .text(command.name), command.usage),
      Fact("summary", .text(command.summary)),
      Fact(data: "aliases", .texts(command.aliases)),
    ])
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
