// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJSON
import LifetraceReplay
import LifetraceRules
import LifetraceWords

/// Help, `apropos` and the manual page, all made from ``CommandTable``.
package enum Manual {
  static func help(_ word: String?) throws -> Reply {
    switch word {
    case nil: return overview()
    case "kinds": return kinds()
    case "places":
      return Reply(["A place is \(Places.forms)."], json: [("places", .string(Places.forms))])
    case "settings": return settings()
    case let word?:
      if let rule = RuleTable.info(word.uppercased()) { return self.rule(rule) }
      return page(try CommandTable.command(word))
    }
  }

  static func apropos(_ word: String) throws -> Reply {
    let word = word.lowercased()
    let found = CommandTable.all.filter { command in
      ([command.name, command.summary] + command.aliases + command.details)
        .contains { $0.lowercased().contains(word) }
    }
    guard !found.isEmpty else { throw CommandError.no("No command mentions \(word).") }
    return Reply(summaries(found), json: [("commands", .array(found.map { .string($0.name) }))])
  }

  // MARK: -

  private static func overview() -> Reply {
    var lines: [String] = []
    for group in Command.Group.allCases {
      if !lines.isEmpty { lines.append("") }
      lines.append(group.rawValue)
      lines += summaries(CommandTable.all.filter { $0.group == group })
    }
    lines += [
      "", "For more: help COMMAND, help RULE, help kinds, help places, help settings.",
      "A beginning of a name will do. An empty line steps, or lists, again.",
    ]
    return Reply(
      lines,
      json: [
        (
          "commands",
          .array(
            CommandTable.all.map {
              .object([
                ("name", .string($0.name)), ("summary", .string($0.summary)),
                ("aliases", .array($0.aliases.map { .string($0) })),
              ])
            }
          )
        )
      ]
    )
  }

  private static func summaries(_ commands: [Command]) -> [String] {
    var table = Table(indent: 2)
    for command in commands {
      table.add([
        Cell(command.synopsis.isEmpty ? command.name : "\(command.name) \(command.synopsis)"),
        Cell(command.summary),
      ])
    }
    return table.lines(Paint(isOn: false))
  }

  private static func page(_ command: Command) -> Reply {
    var lines = [
      command.synopsis.isEmpty ? command.name : "\(command.name) \(command.synopsis)",
      "  " + sentence(command.summary),
    ]
    lines += command.details.map { "  " + $0 }
    if !command.aliases.isEmpty {
      lines.append("  Also: \(command.aliases.joined(separator: ", ")).")
    }
    if command.repeats { lines.append("  An empty line does it again.") }
    if !command.examples.isEmpty {
      lines.append("  For example:")
      lines += command.examples.map { "    " + $0 }
    }
    return Reply(
      lines,
      json: [
        ("name", .string(command.name)), ("synopsis", .string(command.synopsis)),
        ("summary", .string(command.summary)),
        ("details", .array(command.details.map { .string($0) })),
        ("aliases", .array(command.aliases.map { .string($0) })),
        ("examples", .array(command.examples.map { .string($0) })),
      ]
    )
  }

  private static func rule(_ rule: RuleInfo) -> Reply {
    Reply(
      rule.manual,
      json: [
        ("rule", .string(rule.id)), ("severity", .string(rule.severity.rawValue)),
        ("statement", .string(rule.statement)), ("source", .string(rule.source)),
        ("fix", .string(rule.fix)),
      ]
    )
  }

  private static func kinds() -> Reply {
    var table = Table(indent: 2)
    for word in KindWord.all { table.add([Cell(word.word), Cell(word.summary)]) }
    let words = KindWord.all.map(\.word) + KindWord.deviceWords.sorted()
    return Reply(
      ["next and prev take one of these words, a dotted kind such as data.dirty, or a family:"]
        + table.lines(Paint(isOn: false)) + [deviceWords],
      json: [("kinds", .array(words.map { .string($0) }))]
    )
  }

  /// Words for what happens to the device, which `next` takes as well.
  private static var deviceWords: String {
    "Of the device also: \(KindWord.deviceWords.sorted().joined(separator: ", "))."
  }

  private static func settings() -> Reply {
    var table = Table(indent: 2)
    for setting in Setting.all {
      table.add([Cell("set \(setting.name) \(setting.values)"), Cell(setting.summary)])
    }
    return Reply(
      table.lines(Paint(isOn: false)),
      json: [("settings", .array(Setting.all.map { .string($0.name) }))]
    )
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
        let synopsis = command.synopsis.isEmpty ? "" : " \(command.synopsis)"
        text += "\n### `\(command.name)\(synopsis)`\n\n\(sentence(command.summary))"
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
