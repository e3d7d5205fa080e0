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
        within:
          from: callback.begin && callback == didEnterBackground && any spans where name == "upload"
          to: work.end && name == "upload"
          limit: 20s
        fix: Begin a background task before the upload, and cancel it when the task expires.

      # Order: the second not before the first, here anew after each return to the screen.
      APP02:
        says: The account is read before anything is synchronised
        order:
          first: data.restored && object == "account.json"
          then: work.begin && name =~ `sync*`
          since: active

      # In pairs: what was begun is ended before something comes; without `before`, the process ends.
      APP03:
        says: What locks the library gives it back before the app is suspended
        pair: {begin: resource.acquire && class == lock && name =~ `*.lock`, before: suspend}

      # Never: whatever the state, in some states, or from one event to another.
      APP04:
        severity: warning
        never: (work.begin && name =~ `analytics*` || log && text =~ `*tracked*`) && state in [background, suspended]

      # At most so often in a stretch of time, or in a process.
      APP05:
        severity: warning
        at-most: {event: data.flushing && object =~ `*.json`, count: 3, per: 1s, same: identity}

      # Always: what holds at each of some events.
      APP06:
        says: What was edited is saved when the app is suspended
        always: {event: suspend, holds: all data where unsaved == 0, since: active}

      # Bound: a value of the first event has a name, for which the second asks, whatever its field is called.
      APP07:
        says: A document that changed elsewhere is read anew within 2 s
        within:
          from: notification.delivered && type == "documentDidChange"
          bind: doc = key
          to: data.restored && object == doc
          limit: 2s

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
    "Events are said by an expression of the [language of questions](../Query/QUERY.md), the one of `find`",
    "and `dump --where`: a kind (`work.end`), what it carries (`name == \"upload\"`, `bytes > 1MB`,",
    "`thread == main`), and the state after it (`state == background`, `any tasks`); `before.` asks the",
    "state before it. `callback == didEnterBackground` is the callback in any form of its name. `exit` is",
    "the end of the process, whatever ended it. What ends has the name that it began with.",
    "",
    "`bind: doc = key` gives a value of the first event a name, by which the second asks for it. An event",
    "of the second kind is put to each that is open, by its own value. `order`, `never`, `always` and",
    "`at-most` have no `bind`: what they ask of an event is not about one that is open.",
    "",
    "Where an event that would decide is missing (lost, let go, or before the recording began), a rule",
    "is undecidable and says why. A rule that had no occasion, or asks for a name that is not in the",
    "recording, is named below the verdicts, with the names of that kind that are there.",
  ]
}
