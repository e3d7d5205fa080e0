// SPDX-License-Identifier: Apache-2.0

/// What rules know of things that an app says it holds: their class, and the word that says more.
package struct HeldThing: Sendable {
  /// The class of the resource, as a story has it: `media`.
  package let kind: String
  /// The attribute; empty where none is asked for.
  package let attribute: String
  /// What it is, in words.
  package let words: String
  /// The rules that look at it.
  package let rules: [String]

  private init(_ kind: String, _ attribute: String, _ words: String, _ rules: [String]) {
    (self.kind, self.attribute, self.words, self.rules) = (kind, attribute, words, rules)
  }

  /// All of them, in order of their classes.
  package static let all: [HeldThing] = [
    HeldThing("lock", "shared", "a lock in the container of an app group", ["RS06"]),
    HeldThing("file", "complete", "an open file with complete protection", ["RS05", "RS18"]),
    HeldThing("socket", "listening", "a socket that accepts connections", ["RS09"]),
    HeldThing("socket", "", "a connection", ["NQ11"]),
    HeldThing("timer", "", "a timer that runs", ["RS01", "RS02", "RS25"]),
    HeldThing("query", "", "a query that goes on by itself", ["RS14"]),
    HeldThing("media", "game", "a game that is played", ["RS04", "RS16"]),
    HeldThing("media", "movie", "a movie that is shown", ["RS16"]),
    HeldThing("media", "audio", "sound", ["RS22"]),
    HeldThing("view", "sensitive", "what others must not see", ["RS10", "RS23"]),
    HeldThing("alert", "", "a question to the user", ["RS11"]),
    HeldThing(
      "cache",
      "NSCurrentLocaleDidChange",
      "what was made of a value of the system; the attribute is the notification that makes it stale",
      ["NQ08", "NQ09", "NQ12"]
    ),
    HeldThing("pendingSave", "", "a save that was put off", ["DS09"]),
    HeldThing("temporaryFile", "", "a file that is to go", ["DS11"]),
    HeldThing("other", "transaction", "what comes again until it is acknowledged", ["DS13"]),
    HeldThing("other", "session", "a visit, with an id of its own", ["PR04", "PR07"]),
    HeldThing("other", "url", "the URL that the app is launched with", ["RS19", "RS24"]),
    HeldThing("other", "later-url", "one that it is given later", ["RS24"]),
    HeldThing(
      "other",
      "observer",
      "an observer: its name is the type of the notification, its id its own",
      ["NQ13"]
    ),
    HeldThing("other", "file-presenter", "a registered file presenter", ["RS21"]),
    HeldThing("other", "queue", "a queue whose work can wait", ["RS17"]),
    HeldThing("other", "system-database", "contacts, calendar", ["RS07"]),
    HeldThing(
      "other",
      "previous-end",
      "used, not held: what the app takes its last end for; its name is `crash`, `watchdog`, `hang` "
        + "or `memory`",
      ["PR05"]
    ),
  ]

  /// A section of the page of rules, in lines of Markdown.
  static var section: [String] {
    [
      "", "## What an app holds", "",
      "Many rules look at what an app says that it takes and gives back (`Lifetrace.Resource`,",
      "`LT_RESOURCE_ACQUIRE`): the class and the attribute say what it is. Names are the app's own.",
      "",
      "| class | attribute | what it is | rules |", "|---|---|---|---|",
    ]
      + all.map { thing in
        let attribute = thing.attribute.isEmpty ? "" : "`\(thing.attribute)`"
        return
          "| \(thing.kind) | \(attribute) | \(thing.words) | \(thing.rules.joined(separator: ", ")) |"
      }
  }
}
