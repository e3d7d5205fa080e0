// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// What there is to say of the language: its page, and `help expressions`, are made from this.
package enum QueryManual {
  /// Expressions, each with what it asks; a test runs all of them.
  package static let examples: [(text: String, meaning: String)] = [
    ("dirty", "an edit; any word of `help kinds`"),
    ("dirty && object == \"draft.txt\" && bytes > 1kB", "fields of the event"),
    ("callback.end && took > 4s && thread == main", "an end, and how long ago its begin was"),
    ("object =~ `*.txt`", "a name that fits a pattern"),
    ("data.durable && level in [kernel, disk]", "one of several values"),
    ("state == suspended", "any event after which the app is suspended"),
    (
      "before.state == active && state != active", "the event with which the app stops being active"
    ),
    ("purge && any data where unsaved > 0", "a purge that loses something"),
    ("suspend && any resources where class == lock", "suspended with a lock held"),
    ("data(\"draft.txt\").unsaved > 0", "any event after which the draft is not saved"),
    ("count tasks > 1", "several background tasks are held"),
    ("notification.delivered && value != before.queue(type).value", "another value than waited"),
    ("deadline(\"upload\").left < 500ms", "for `until`: the instant is computed"),
    ("deadline(\"didEnterBackground\").left < 1s", "of the system: for a callback, wake or task"),
  ]

  /// The grammar.
  package static let grammar = """
    expr       = or ;
    or         = and { ("||" | "or") and } ;
    and        = not { ("&&" | "and" | "if") not } ;
    not        = [ "!" | "not" ] compare ;
    compare    = sum [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" | "=~" | "in" ) sum ] ;
    sum        = term { ("+" | "-") term } ;
    term       = atom | "-" atom ;
    atom       = number [ unit ] | string | pattern | "true" | "false" | "(" expr ")" | set
               | rows | path ;
    rows       = [ scope "." ] ( ( "any" | "all" ) table [ "where" expr ]
               | "count" table [ "where" ( compare | "(" expr ")" ) ] ) ;
    set        = "[" sum { "," sum } "]" ;
    path       = [ scope "." ] name [ "(" sum ")" ] { "." name } ;
    scope      = "before" | "after" | writer ;
    unit       = "ns" | "us" | "ms" | "s" | "min" | "h" | "d"
               | "B" | "kB" | "MB" | "GB" | "KiB" | "MiB" | "GiB" ;
    """

  /// What every reader must know, a paragraph each.
  package static let rules = [
    "A kind word alone, such as dirty, purge or data.durable, holds at events of that kind.",
    "A field that an event does not have makes a comparison false. A value that missing events may "
      + "have changed is unknown, and what cannot be decided is told, not taken for false.",
    "The state is that after the event; before. asks the one before it. It is that of the event's "
      + "own writer; syncd. asks another one, at the same instant: suspend && syncd.any resources where "
      + "name == \"group/notes.sqlite\". An app's name means the life that it has then, syncd#1 that life. "
      + "Before it has started nothing holds of it.",
    "took is the time since the begin that the event ends; age and left move with time.",
  ]

  /// The fields of events: a name, what it is, and the kinds that have it.
  package static var fields: [(name: String, type: String, kinds: String)] {
    Schema.known.fields.values.flatMap { $0 }
      .sorted { ($0.name, $0.type.noun) < ($1.name, $1.type.noun) }
      .map { ($0.name, $0.type.noun, words(for: $0.kinds)) }
  }

  /// A list of kinds, or how many they are.
  private static func words(for kinds: [EventKind]) -> String {
    let known = kinds.compactMap { $0.info?.name }
    if known.count == KindInfo.all.count { return "every event" }
    guard known.count > 12 else { return known.joined(separator: ", ") }
    return "\(known.count) kinds: those without a name of their own"
  }

  /// The page.
  package static var markdown: String {
    var text = """
      # The language of questions

      `find`, `next`, `prev`, `last`, `list where`, `count`, `break`, `watch`, `until`, `print`, `history` and
      `expect` of `lifetrace replay`, and `--where` of `lifetrace dump` and `export`, take expressions of this language. So do scenarios
      (`wait: {until: EXPRESSION, within: 5s}`, `expect: EXPRESSION within 2s`) and the rules of a project in
      `lifetrace.yml`, which may `bind` a name to a value of one event and ask another for it: `object == doc`. They have no
      side effects and no loops: what one costs is known when it is compiled.

      | expression | holds at |
      |---|---|

      """
    for (example, meaning) in examples {
      text += "| \(code(example)) | \(meaning) |\n"
    }
    text += "\n"
    for rule in rules { text += "- \(rule)\n" }
    text += "\n## Grammar\n\n```\n\(grammar)\n```\n\n"
    text += """
      A pattern stands in backquotes, `*` and `?` in it for letters. Precedence is as in C. What follows `where`
      goes as far as it can: put `(any data where …)` in brackets where something else follows.

      ## Types

      A length of time needs its unit; a size may be a bare number of bytes. Names, patterns and the words of
      enumerations are compared exactly, upper and lower case apart.

      | type | words |
      |---|---|

      """
    for type in ValueType.enumerations {
      text += "| \(type.noun) | \(type.words.map { "`\($0.word)`" }.joined(separator: ", ")) |\n"
    }
    text += "\n## Fields of events\n\n| field | is | kinds |\n|---|---|---|\n"
    for field in fields { text += "| `\(field.name)` | \(field.type) | \(field.kinds) |\n" }
    text += "\n## The state\n\n| value | is | |\n|---|---|---|\n"
    for fact in StateFact.all {
      text += "| `\(fact.name)` | \(fact.type.noun) | \(fact.summary) |\n"
    }
    for table in StateTable.all {
      let key = table.fields[table.key].name
      text += "\n### `\(table.word)`: \(table.summary)\n\n"
      text +=
        "A row is found by its \(key): `\(table.singular)(\"…\")`; of several, the oldest.\n\n"
      text += "| field | is | |\n|---|---|---|\n"
      for field in table.fields {
        text += "| `\(field.name)` | \(field.type.noun) | \(field.summary) |\n"
      }
    }
    return text
  }

  /// An expression as code in a cell: a bar would end the cell, a backquote needs two around it.
  private static func code(_ text: String) -> String {
    let text = text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    return text.contains("`") ? "`` \(text) ``" : "`\(text)`"
  }
}
