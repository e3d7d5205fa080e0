// SPDX-License-Identifier: Apache-2.0
import LifetraceRules

/// A pattern of the rules of a project, as `lifetrace.yml` has it: its keys, and what each says.
struct OwnRulePattern: Sendable {
  /// A key and what it says.
  struct Key: Sendable {
    let name: String
    let summary: String
    var isNeeded = true
  }

  let name: String
  let summary: String
  /// The key that is meant where a text stands in place of keys.
  var only: String?
  let keys: [Key]

  private static let same = Key(
    name: "same",
    summary: "what the two have in common: `identity` (object, id, name of a resource), `name` or "
      + "`none`; left out, the identity where both have one",
    isNeeded: false
  )
  private static func bind(_ first: String, _ second: String) -> Key {
    Key(
      name: "bind",
      summary:
        "instead of `same`: a name for a value of `\(first)`, `doc = object`, which \(second) "
        + "asks: `object == doc`",
      isNeeded: false
    )
  }
  private static let bounds = [
    Key(
      name: "since",
      summary: "the event from which on it is asked; left out, the start of the process",
      isNeeded: false
    ),
    Key(
      name: "until",
      summary: "the event up to which it is asked, again from `since` on",
      isNeeded: false
    ),
  ]

  /// The six of them.
  static let all = [
    OwnRulePattern(
      name: "within",
      summary:
        "what begins is followed by something in time; judged where that comes, or where the "
        + "process or the recording ends",
      keys: [
        Key(name: "from", summary: "the event that starts the clock, where it does not run yet"),
        Key(name: "to", summary: "the event that stops it"),
        Key(name: "limit", summary: "such as `500ms`, `20s`; nominal, as thresholds are"),
        Key(
          name: "clock",
          summary: "`wall` (default), or `running`: suspensions do not count",
          isNeeded: false
        ), same, bind("from", "`to`"),
      ]
    ),
    OwnRulePattern(
      name: "order",
      summary: "the one never comes without the other before it",
      keys: [
        Key(name: "first", summary: "the event that has to come first"),
        Key(name: "then", summary: "the event that needs it; each is an occasion"),
        Key(
          name: "since",
          summary:
            "the event from which on it has to come anew, and before which nothing is asked; "
            + "left out, the start of the process",
          isNeeded: false
        ), same,
      ]
    ),
    OwnRulePattern(
      name: "pair",
      summary: "what was begun is ended, or undone, before something comes",
      keys: [
        Key(name: "begin", summary: "the event that begins it; each is an occasion"),
        Key(name: "end", summary: "what ends it; left out, the kind that does", isNeeded: false),
        Key(
          name: "before",
          summary: "what must not come while it is open; left out, the end of the process",
          isNeeded: false
        ), same, bind("begin", "`end`, and perhaps `before`,"),
      ]
    ),
    OwnRulePattern(
      name: "never",
      summary: "something does not happen; the expression alone will do: `never: purge`",
      only: "event",
      keys: [Key(name: "event", summary: "what does not happen; each is an occasion")] + bounds
    ),
    OwnRulePattern(
      name: "always",
      summary: "at each of some events something holds",
      keys: [
        Key(name: "event", summary: "at which events; each is an occasion"),
        Key(name: "holds", summary: "what holds then, such as `all data where unsaved == 0`"),
      ] + bounds
    ),
    OwnRulePattern(
      name: "at-most",
      summary: "something happens no more often than that; a stretch with too many is one breach",
      keys: [
        Key(name: "event", summary: "what is counted; each is an occasion"),
        Key(name: "count", summary: "how many there may be, up to \(OwnRule.countMax)"),
        Key(name: "per", summary: "in any stretch of that length, `1s`, or in a `process`"),
        Key(
          name: "same",
          summary: "`identity` or `name`: each has a count of its own",
          isNeeded: false
        ),
      ]
    ),
  ]
}

/// The keys of a rule beside its pattern.
enum OwnRuleKeys {
  static let rule: [(name: String, summary: String)] = [
    ("says", "the rule in a sentence; left out, what its pattern asks"),
    ("severity", "`error` (default), `warning` or `info`"),
    ("fix", "what to do about a breach"),
    ("app", "the apps that it is about, a glob; left out, all"),
    ("of", "whose processes: `apps` (default), `apps and extensions` or `all`"),
  ]

  /// The words of `of`.
  static let roles: [(word: String, roles: RuleInfo.Roles)] = [
    ("apps", .apps), ("apps and extensions", .interactive), ("all", .all),
  ]
}
