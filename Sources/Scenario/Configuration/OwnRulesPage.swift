// SPDX-License-Identifier: Apache-2.0

/// What `CONFIGURATION.md` says of a project's own rules.
package enum OwnRulesPage {
  /// A rule of each pattern; the lives beside `Traces/own-rules/lifetrace.yml` break and keep them.
  package static let example = """
    rules:
      # Within a limit: from one event to another; here only where an upload is under way.
      APP01:
        says: The upload ends within 20 s after the app went to the background
        severity: error
        within: {from: callback didEnterBackground, while: work upload, to: work.end upload, limit: 20s}
        fix: Begin a background task before the upload, and cancel it when the task expires.

      # Order: the second not before the first, here anew after each return to the screen.
      APP02:
        says: The account is read before anything is synchronised
        order: {first: data.restored account.json, then: work.begin sync*, since: state active}

      # In pairs: what was begun is ended before something comes; without `before`, the process ends.
      APP03:
        says: What locks the library gives it back before the app is suspended
        pair:
          begin: {event: resource.acquire, name: "*.lock", where: {class: lock}}
          before: state suspended

      # Never: in some states, while something goes on, or at all.
      APP04:
        severity: warning
        never: {event: [work.begin analytics*, "log *tracked*"], in: [background, suspended]}

      # At most so often in a stretch of time, or in a process.
      APP05:
        severity: warning
        at-most: {event: data.flushing "*.json", count: 3, per: 1s, same: identity}

    """

  static var markdown: [String] {
    var out = [
      "", "## Rules of your own", "",
      "Below `rules`, by ids of three to eight capital letters and a number (two letters are those of",
      "lifetrace). They are judged, listed (`lifetrace rules`), chosen (`--rules APP`), switched off,",
      "suppressed and reported as the others are, by `check`, `record --check`, `test` and `replay`.",
      "",
      "```yaml",
    ]
    out += example.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
      String.init
    )
    out += [
      "```", "", "| key of a rule | what it says |", "|---|---|",
    ]
    out += OwnRuleKeys.rule.map { "| `\($0.name)` | \($0.summary) |" }
    out += ["", "and one of the patterns:"]
    for pattern in OwnRulePattern.all {
      out += ["", "### \(pattern.name)", "", "\(pattern.summary.prefix(1).uppercased())"]
      out[out.count - 1] += "\(pattern.summary.dropFirst())."
      out += ["", "| key | |", "|---|---|"]
      out += pattern.keys.map {
        "| `\($0.name)`\($0.isNeeded ? "" : " (optional)") | \($0.summary) |"
      }
    }
    return out + events
  }

  private static let events = [
    "", "### Events", "",
    "An event is a kind and perhaps a name: `work.end upload`. The kinds, and the fields that each",
    "carries, are those of [FORMAT.md](../TraceFile/FORMAT.md), a glob of them (`data.*`), or the first",
    "word of one that has an end (`callback` is `callback.begin`). `state background` is the app's",
    "becoming that, and `end` the end of its process, whatever ended it. The name is that of the work, the",
    "callback (in any of its forms), the object, the resource, the task, the wake's reason; a glob (`*`,",
    "`?`, `[a-z]`) means several. What ends has the name that it began with. A list means any of its",
    "events. A mapping says more:", "",
    "```yaml",
    "{event: resource.acquire, name: \"*.sqlite\", thread: main, where: {class: lock, attribute: shared}}",
    "```", "",
    "| key of an event | what it says |", "|---|---|",
    "| `event` | the kind, and perhaps the name |",
    "| `name` | the name, where it is not in `event` |", "| `thread` | `main` or `other` |",
    "| `where` | fields of the kind: a word, a glob of names, a number, `\"> 2s\"`, `\">= 4096\"`, `\"<= 1MiB\"` |",
    "",
    "Where an event that would decide is missing (lost, let go, or before the recording began), a rule",
    "is undecidable and says why. A rule that had no occasion, or asks for a name that is not in the",
    "recording, is named below the verdicts, with the names of that kind that are there.",
  ]
}
