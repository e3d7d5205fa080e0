// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTrace
import LifetraceWords

/// Commands about the prompt itself.
enum PromptCommands {
  static let all: [Command] = [
    Command(
      name: "help",
      aliases: ["h"],
      synopsis: "[COMMAND | CHAPTER | RULE | kinds | expressions | places | settings]",
      summary: "list the commands, or tell about one, a chapter or a rule",
      group: .console,
      examples: ["help next", "help DS02", "help places"],
      completes: .commands
    ) { session, words in
      guard words.count <= 1 else { throw CommandError.usage("help takes one word.") }
      if let word = words.first, let own = session.definitions[word] {
        return ScriptCommands.help(word, own)
      }
      return try Manual.help(words.first, session.settings.judgement.table)
    },
    Command(
      name: "apropos",
      synopsis: "WORD",
      summary: "list the commands whose manual mentions WORD",
      group: .console
    ) { _, words in
      guard !words.isEmpty else { throw CommandError.usage("apropos takes a word.") }
      return try Manual.apropos(words.joined(separator: " "))
    },
    Command(
      name: "set",
      synopsis: "SETTING VALUE",
      summary: "change a setting; help settings lists them",
      group: .console,
      examples: ["set source-dir ~/app/Sources", "set only notes", "set profile ios7"],
      completes: .settings
    ) { session, words in
      guard let name = words.first else {
        throw CommandError.usage("set takes a setting and a value.")
      }
      let setting = try Setting.find(name)
      try setting.set(session, words.dropFirst().joined(separator: " "))
      let value = setting.get(session)
      let facts = [Fact("setting", .text(setting.name)), Fact("value", .text(value))]
      return Answer(.line("\(setting.name) is \(value).", facts))
    },
    Command(
      name: "show",
      synopsis: "[SETTING]",
      summary: "show the settings",
      group: .console,
      completes: .settings
    ) { session, words in
      let shown = try words.isEmpty ? Setting.all : words.map(Setting.find)
      let rows = shown.map { setting in
        let value = setting.get(session)
        return Listing.Row.facts([
          Fact(words: setting.name, .strong), Fact(setting.name, .text(value), value),
          Fact(words: setting.summary, .faint),
        ])
      }
      return Answer(.listing(Listing(key: nil, rows: rows)))
    },
    Command(
      name: "quit",
      aliases: ["q", "exit"],
      summary: "leave; so does Ctrl-D",
      group: .console
    ) { _, words in
      try CommandWords.none(words, "quit")
      var answer = Answer()
      answer.leaves = true
      return answer
    },
  ]
}

/// Something that `set` changes.
struct Setting: Sendable {
  var name: String
  var values: String
  var summary: String
  var get: @Sendable (Session) -> String
  var set: @Sendable (Session, String) throws -> Void

  /// What can be typed as the value, where it is one of a few words.
  var choices: @Sendable (Session) -> [String] = { _ in [] }

  static let all: [Setting] = [
    Setting(
      name: "source-dir",
      values: "DIRECTORY",
      summary: "where source files are looked for",
      get: { $0.sources.directory },
      set: { session, value in
        guard !value.isEmpty else { throw CommandError.usage("source-dir takes a directory.") }
        session.sources.directory = Paths.expand(value)
      }
    ),
    Setting(
      name: "only",
      values: "WRITER | all",
      summary: "the writer that step, next, find and list look at",
      get: { session in
        guard let only = session.player.only else { return "all" }
        return only.sorted().map { session.player.labels[$0] }.joined(separator: " ")
      },
      set: { session, value in
        if value == "all" {
          (session.player.only, session.onlyNamed) = (nil, nil)
          return
        }
        let found = try session.streams(named: value)
        guard !found.isEmpty else { throw session.noWriter(value) }
        session.player.only = Set(found.map(session.id))
        session.onlyNamed = value
      },
      choices: { $0.player.labels.labels.sorted() + ["all"] }
    ),
    Setting(
      name: "profile",
      values: "NAME",
      summary: "the deadlines and habits that rules use",
      get: { $0.profile.name },
      set: { session, value in
        guard let profile = Profile.named(value) else {
          let all = Wording.list(Profile.all.map(\.name))
          throw CommandError.usage("There is no profile \(value). There are \(all).")
        }
        session.settings.judgement.profile = profile
        session.player.profile = profile
        session.player.violation = nil
        // What was answered with other times of the system's.
        session.askings = []
        session.askAnew()
      },
      choices: { _ in Profile.all.map(\.name).sorted() }
    ),
    Setting(
      name: "list-size",
      values: "COUNT",
      summary: "how many events list shows",
      get: { "\($0.settings.listSize)" },
      set: { session, value in
        guard let count = Int(value), 1...1_000 ~= count else {
          throw CommandError.usage("list-size takes a number from 1 to 1,000.")
        }
        session.settings.listSize = count
      }
    ),
    Setting(
      name: "digits",
      values: "COUNT",
      summary: "decimals of a second in listings",
      get: { "\($0.settings.digits)" },
      set: { session, value in
        guard let count = Int(value), 0...9 ~= count else {
          throw CommandError.usage("digits takes a number from 0 to 9.")
        }
        session.settings.digits = count
      }
    ),
    flag("clock", "whether listings show the time of day, where it is known", \.showsClock),
    flag("color", "whether output is coloured", \.hasColor),
    flag("pager", "whether long output goes through a pager on a terminal", \.hasPager),
    flag("json", "whether answers are JSON, one object a line", \.isJSON),
    flag("echo", "whether commands are printed where nobody types them", \.echoes),
  ]

  private static func flag(
    _ name: String,
    _ summary: String,
    _ path: any WritableKeyPath<Settings, Bool> & Sendable
  ) -> Setting {
    Setting(
      name: name,
      values: "on | off",
      summary: summary,
      get: { $0.settings[keyPath: path] ? "on" : "off" },
      set: { session, value in
        switch value {
        case "on", "yes", "1", "": session.settings[keyPath: path] = true
        case "off", "no", "0": session.settings[keyPath: path] = false
        default: throw CommandError.usage("\(name) is on or off.")
        }
      },
      choices: { _ in ["off", "on"] }
    )
  }

  /// The setting of this name, or the only one that begins so.
  static func find(_ name: String) throws -> Setting {
    if let exact = all.first(where: { $0.name == name }) { return exact }
    let begun = all.filter { $0.name.hasPrefix(name) }
    if begun.count == 1 { return begun[0] }
    if begun.isEmpty { throw CommandError.usage("There is no setting \(name). Try help settings.") }
    throw CommandError.usage("\(name) is ambiguous: \(begun.map(\.name).joined(separator: ", ")).")
  }
}
