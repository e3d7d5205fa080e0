// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJudging
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

extension Session {
  /// Finds events that mention `text`, whatever the case; all events for an empty text.
  ///
  /// Names are looked at once each, not once an event.
  func filter(mentioning text: String) -> EventFilter {
    guard !text.isEmpty else { return EventFilter { _, _ in true } }
    let matcher = NameMatcher(text)
    var filter = EventFilter { event, names in
      matcher.learn(names)
      return event.nameIDs(in: names).contains { matcher.matches($0) }
        || EventText.kind(event.kind, names).contains(matcher.text)
    }
    let player = self.player
    let kinds = KindInfo.all.filter { $0.name.contains(matcher.text) }
    // A kind's own name is in no chunk's name filter.
    if kinds.isEmpty {
      filter.names = {
        let names = player.names
        matcher.learn(names)
        return matcher.hits.map { names[$0] }
      }
    }
    return filter
  }
}

/// Which names hold a text; learns names as chunks bring them.
final class NameMatcher {
  let text: String
  private(set) var hits: [NameID] = []
  private var isHit: [Bool] = []

  init(_ text: String) { self.text = text.lowercased() }

  func learn(_ names: Names) {
    while isHit.count < names.strings.count {
      let hit = names.strings[isHit.count].lowercased().contains(text)
      if hit { hits.append(NameID(rawValue: UInt32(isHit.count))) }
      isHit.append(hit)
    }
  }

  func matches(_ id: NameID) -> Bool {
    Int(id.rawValue) < isHit.count && isHit[Int(id.rawValue)]
  }
}

/// Commands that look for something.
enum SearchCommands {
  static let all: [Command] = [
    Command(
      name: "find",
      aliases: ["f", "search", "/"],
      synopsis: "[TEXT]",
      summary: "go forward to an event that mentions TEXT",
      group: .searching,
      details: [
        "TEXT is looked for in names, objects, values, source files and kinds, whatever the "
          + "case. Without TEXT: the text of last time."
      ],
      examples: ["find draft.txt", "find Editor.swift"],
      completes: .names,
      repeats: true,
      repeatsAs: "find"
    ) { try find($0, $1, .forward) },
    Command(
      name: "reverse-find",
      aliases: ["rf", "reverse-search", "?"],
      synopsis: "[TEXT]",
      summary: "go backward to an event that mentions TEXT",
      group: .searching,
      completes: .names,
      repeats: true,
      repeatsAs: "reverse-find"
    ) { try find($0, $1, .backward) },
    Command(
      name: "last",
      synopsis: "[WHAT]",
      summary: "say when WHAT last changed, without moving",
      group: .searching,
      details: [
        "WHAT is a kind as for next, or a name: a data object, a callback, a task. Without WHAT: "
          + "the state."
      ],
      examples: ["last state", "last draft.txt", "last wake"],
      completes: .names
    ) { session, words in try last(session, words) },
    Command(
      name: "violations",
      aliases: ["v", "check"],
      synopsis: "[all | RULE]",
      summary: "list the broken rules; all adds what could not be decided",
      group: .searching,
      details: [
        "Where a rule is broken again and again, the first of each app are listed; violations RULE "
          + "lists where it is broken, all of it."
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
      throw CommandError.usage("find takes a text to look for.")
    }
    session.lastText = text
    guard let place = try session.player.find(session.filter(mentioning: text), direction) else {
      let other = direction == .forward ? "reverse-find" : "find"
      throw CommandError.no(
        "No event \(direction == .forward ? "after" : "before") this place mentions "
          + "\(text). For the other way: \(other)"
      )
    }
    session.player.seek(to: place)
    return session.standing()
  }

  private static func last(_ session: Session, _ words: [String]) throws -> Answer {
    let player = session.player
    let what = words.isEmpty ? "state" : words.joined(separator: " ")
    var filter: EventFilter
    let kind = KindWord.find(what)
    if let kind, !kind.isViolation {
      filter = EventFilter(kinds: kind.kinds) { event, _ in kind.accepts(event) }
    } else {
      filter = session.filter(mentioning: what)
    }
    if what == "state" { filter.streams = [player.focus] }
    // Standing on the change itself, it is the last one.
    guard let place = try player.find(filter, .backward, from: player.here) else {
      throw CommandError.no(
        kind == nil
          ? "Nothing up to here mentions \(what)." : "There is no \(what) event up to here."
      )
    }
    let number = player.timeline.number(of: place)
    let age = player.time - player.timeline.time(of: player.timeline.event(at: place))
    let ago = number == player.here.ordinal ? "here" : "\(Quantity.duration(age)) before here"
    return Answer(
      .line(nil, [Fact("what", .text(what))]),
      .event("last", EventPoint(place: place, number: number), .line),
      .line("That is \(ago). To go there: goto \(number)", [])
    )
  }

  private static func violations(_ session: Session, _ words: [String]) throws -> Answer {
    let isAll = words == ["all"]
    if let word = words.first, !isAll {
      let rules = session.settings.judgement.table
      guard words.count == 1, let rule = rules.info(word.uppercased()) else {
        throw CommandError.usage("violations takes all, a rule such as DS01, or nothing.")
      }
      return try violations(session, of: rule.id)
    }
    let findings = try session.findings()
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

  /// Every violation of one rule, with its words where they were kept.
  private static func violations(_ session: Session, of rule: String) throws -> Answer {
    var rows: [Listing.Row] = []
    var more = 0
    for finding in try session.findings().violations.lazy where finding.rule == rule {
      if session.player.isInterrupted() { throw SearchInterrupted() }
      guard rows.count < ListCommand.countMax else {
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
      more > 0 ? "\(count) more: next violation goes to each." : nil,
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
      \(first.rule) lists them, next violation goes to each, why explains it.
      """
  }
}
