// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJudging
import LifetraceQuery
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// Commands that look for something.
enum SearchCommands {
  static let all: [Command] = [
    Command(
      name: "find",
      aliases: ["f", "search", "/"],
      synopsis: "[EXPRESSION | TEXT]",
      summary: "go forward to an event at which EXPRESSION holds, or that mentions TEXT",
      group: .searching,
      details: [
        "EXPRESSION is a condition of the event and the state, with a sign such as == or && in it: "
          + "help expressions. Any other TEXT is looked for in what the line of an event shows: "
          + "kinds, names, words, numbers, threads, source files, whatever the case. Without "
          + "either: that of last time."
      ],
      examples: [
        "find draft.txt", "find dirty && bytes > 1kB", "find purge && any data where unsaved > 0",
      ],
      completes: .expressions,
      takesText: true,
      repeats: true,
      repeatsAs: "find"
    ) { try find($0, $1, .forward) },
    Command(
      name: "reverse-find",
      aliases: ["rf", "reverse-search", "?"],
      synopsis: "[EXPRESSION | TEXT]",
      summary: "go backward to an event at which EXPRESSION holds, or that mentions TEXT",
      group: .searching,
      completes: .expressions,
      takesText: true,
      repeats: true,
      repeatsAs: "reverse-find"
    ) { try find($0, $1, .backward) },
    Command(
      name: "last",
      synopsis: "[WHAT]",
      summary: "say when WHAT last changed, without moving",
      group: .searching,
      details: [
        "WHAT is a data object, or a value of the state, and old and new value are told then; or a "
          + "kind or a condition of events as for next: the last of those. Of any other name it is the "
          + "last event that mentions it. Without WHAT: the state."
      ],
      examples: [
        "last state", "last draft.txt", "last data(\"draft.txt\").saved",
        "last dirty && bytes > 1kB",
      ],
      completes: .expressions,
      takesText: true
    ) { session, words in try LastCommand.run(session, words) },
    Command(
      name: "violations",
      aliases: ["v", "check"],
      synopsis: "[all | RULE [all]]",
      summary: "list the broken rules; all adds what could not be decided",
      group: .searching,
      details: [
        "Where a rule is broken again and again, the first of each app are listed; violations RULE "
          + "lists where it is broken, the first \(ruleMax); violations RULE all lists all of it.",
        "Of a finished recording of more than a million events it is kept in "
          + "$XDG_CACHE_HOME/lifetrace/verdicts, or ~/.cache/lifetrace/verdicts, for the next time, "
          + "where recording, program, profile and rules are the same; else it is dropped, which is "
          + "said. To be rid of it, remove that folder.",
      ],
      examples: ["violations", "violations DS01", "goto #1", "why #1"],
      completes: .rules
    ) { session, words in try violations(session, words) },
  ]

  private static func find(_ session: Session, _ words: [String], _ direction: Direction) throws
    -> Answer
  {
    let typed = words.joined(separator: " ")
    guard let text = typed.isEmpty ? session.lastText : typed else {
      throw CommandError.usage("find takes an expression, or a word to look for.")
    }
    var search = try session.search(for: text)
    session.lastText = text
    let player = session.player
    let from = player.here
    let found = try session.find(direction) {
      search = try session.search(for: text)
      return search.filter
    }
    guard let place = found else {
      let other = direction == .forward ? "reverse-find" : "find"
      let where_ = direction == .forward ? "after" : "before"
      let end = direction == .forward ? player.timeline.finish : player.timeline.start
      let open = search.asking.flatMap { session.undecided($0, from: from, to: end) }
      let nothing = search.asking.flatMap { session.nothingThere($0.question) }
      throw CommandError.no(
        "No \(search.words) \(where_) this place.\(open.map { " \($0.text)" } ?? "")"
          + "\(nothing.map { " \($0)" } ?? "")"
          + "\(search.asking == nil ? session.didYouMean(text) : "") "
          + "For the other way: \(other)"
      )
    }
    player.seek(to: place)
    var answer = session.standing(
      search.asking.flatMap { session.undecided($0, from: from, to: player.here) }
    )
    if !typed.isEmpty { answer.say(session.kindsMeant(search.asking?.question)) }
    return answer
  }

  private static func violations(_ session: Session, _ words: [String]) throws -> Answer {
    let isAll = words == ["all"]
    if let word = words.first, !isAll {
      let rules = session.settings.judgement.table
      let isWhole = words.dropFirst() == ["all"]
      guard words.count == 1 || isWhole, let rule = rules.info(word.uppercased()) else {
        try Places.refuse(["violation", word], "goto")
        throw CommandError.usage(
          "violations takes all, a rule such as DS01, a rule and all, or nothing."
        )
      }
      // A program takes what there is.
      let isLong = isWhole || session.settings.isJSON
      return try violations(session, of: rule.id, most: isLong ? ListCommand.countMax : ruleMax)
    }
    let findings = try session.findings(upToDate: true)
    var answer = Answer()
    if findings.violations.isEmpty { answer.say(Line(session.nothingBroken)) }
    let told = findings.violations.filter { $0.kept != nil }
    answer.list("violations", told.map { .facts(session.facts($0, $0.kept)) })
    let unlisted = unlisted(findings)
    let counts = unlisted.map { Fact(data: $0.rule, .count($0.count)) }
    answer.say(sentence(unlisted), [Fact("unlisted", .object(counts))])
    let unplaced = findings.unplaced.map { Fact(data: $0.rule, .count($0.count)) }
    answer.say(session.unplaced(findings), [Fact("unplaced", .object(unplaced))])
    let doubts = findings.undecidable.filter { $0.kept != nil }
    let rows = doubts.map { session.facts($0, $0.kept, marker: "?") }
    if isAll {
      if !rows.isEmpty { for line in ["", "Not to be decided:"] { answer.say(Line(line)) } }
      answer.list("undecidable", rows.map(Listing.Row.facts))
      let more = findings.undecidable.count - doubts.count
      if more > 0 { answer.say("\(Quantity.count(more, "case")) more like these.") }
    } else {
      let count = Quantity.count(findings.undecidable.count, "case")
      answer.say(
        findings.undecidable.isEmpty ? nil : "\(count) could not be decided: violations all",
        [Fact("undecidable", .list(rows.map(Value.object)))]
      )
    }
    answer.say("remarks", session.remarks)
    return answer
  }

  /// As many of a rule are listed where not all are asked for.
  private static let ruleMax = 20

  /// The violations of one rule, with their words where they were kept.
  private static func violations(_ session: Session, of rule: String, most: Int) throws -> Answer {
    var rows: [Listing.Row] = []
    var more = 0
    for finding in try session.findings(upToDate: true).violations.lazy where finding.rule == rule {
      if session.player.isInterrupted() { throw SearchInterrupted() }
      guard rows.count < most else {
        more += 1
        continue
      }
      rows.append(.facts(session.facts(finding, finding.kept)))
    }
    var answer = Answer()
    answer.list("violations", rows)
    if rows.isEmpty { answer.say("\(rule) is not broken in this recording.") }
    let count = Quantity.count(more, "violation")
    answer.say(
      more == 0
        ? nil
        : most < ListCommand.countMax
          ? "\(count) more: violations \(rule) all lists them, next violation goes to each."
          : "\(count) more: next violation goes to each.",
      [Fact("more", .count(more))]
    )
    answer.say(session.unplaced(try session.findings()))
    return answer
  }

  /// Violations whose place is known, and whose words were not kept, by rule.
  private static func unlisted(_ findings: Findings) -> [(rule: String, count: Int)] {
    var counts: [String: Int] = [:]
    for finding in findings.violations where finding.kept == nil {
      counts[finding.rule, default: 0] += 1
    }
    return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static func sentence(_ unlisted: [(rule: String, count: Int)]) -> Line? {
    guard let first = unlisted.first else { return nil }
    let rules = unlisted.map { "\(Quantity.grouped($0.count)) of \($0.rule)" }
    return """
      Of an app and a rule, the first are listed. Not listed are \(Wording.list(rules)): violations \
      \(first.rule) all lists them, next violation goes to each, why explains it.
      """
  }
}
