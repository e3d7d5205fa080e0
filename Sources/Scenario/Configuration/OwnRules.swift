// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceQuery
import LifetraceRules
import LifetraceTrace
import LifetraceWords

/// Reads the rules of a project's own: ids, and below each one what it says and one of six patterns.
///
///     rules:
///       APP01:
///         says: The upload ends within 20 s after the app went to the background
///         within: {from: background, to: work.end && name == "upload", limit: 20s}
struct OwnRuleReader {
  /// Where the rules stand, as verdicts have it.
  let file: String

  /// The rule of a pair below `rules`.
  func rule(_ pair: YAMLNode.Pair) throws(ScenarioProblem) -> OwnRule {
    let id = try pair.key.text(for: "rules")
    if let problem = OwnRule.problem(withID: id) {
      throw pair.key.problem(problem.message, advice: problem.advice)
    }
    let pairs = try pair.value.pairs(for: id)
    let known = OwnRuleKeys.rule.map(\.name) + OwnRulePattern.all.map(\.name)
    for one in pairs where !known.contains(one.key.scalar ?? "") {
      throw one.key.unknown("key of a rule", among: known)
    }
    let forms = pairs.filter { one in OwnRulePattern.all.contains { $0.name == one.key.scalar } }
    guard let form = forms.first else {
      throw pair.key.problem(
        "`\(id)` has no pattern",
        advice: "one of " + OwnRulePattern.all.map(\.name).joined(separator: ", ")
      )
    }
    if forms.count > 1 {
      throw forms[1].key.problem(
        "`\(id)` has two patterns",
        advice:
          "`\(form.key.scalar ?? "")` stands in line \(form.key.place.line): make it two rules"
      )
    }
    var rule = OwnRule(id: id, try read(form), origin: "\(file):\(pair.key.place.line)")
    for one in pairs { try read(one, into: &rule) }
    return rule
  }

  private func read(_ pair: YAMLNode.Pair, into rule: inout OwnRule) throws(ScenarioProblem) {
    switch pair.key.scalar {
    case "says": rule.says = try pair.value.line(for: "says")
    case "fix": rule.fix = try pair.value.line(for: "fix")
    case "severity":
      let word = try pair.value.choice(Severity.allCases.map(\.rawValue), for: "severity")
      rule.severity = Severity(rawValue: word) ?? .error
    case "app": rule.app = Glob(try pair.value.line(for: "app"))
    case "of":
      let word = try pair.value.choice(OwnRuleKeys.roles.map(\.word), for: "of")
      rule.roles = OwnRuleKeys.roles.first { $0.word == word }?.roles ?? .apps
    default: break
    }
  }

  // MARK: Patterns

  private func read(_ pair: YAMLNode.Pair) throws(ScenarioProblem) -> OwnRule.Form {
    guard let pattern = OwnRulePattern.all.first(where: { $0.name == pair.key.scalar }) else {
      throw pair.key.unknown("pattern", among: OwnRulePattern.all.map(\.name))
    }
    let values = try Values(pair, pattern)
    switch pattern.name {
    case "within":
      let limit = try values["limit"].duration(for: "limit")
      let span = try values.span("from", "to")
      let clock = try values.find("clock")?.choice(["wall", "running"], for: "clock")
      return .within(
        span,
        limit: limit,
        isRunning: clock == "running"
      )
    case "order":
      return .order(try values.span("first", "then"), since: try values.find("since")?.selector())
    case "pair":
      let begin = try values["begin"].selector()
      let given = try values.bind(at: begin)
      let span =
        if let given {
          OwnRule.Span(begin, try values.asking(given, "end"), bind: given)
        } else {
          OwnRule.Span(begin, try values.end(of: begin), try values.tie())
        }
      guard let before = values.find("before") else {
        return .pair(span, before: .processEnd)
      }
      return .pair(span, before: try before.selector(given))
    case "never": return .never(try values["event"].selector(), try values.bounds())
    case "always":
      return .always(
        try values["event"].selector(),
        holds: try values["holds"].selector(),
        try values.bounds()
      )
    default:
      let count = try values["count"].count(for: "count")
      let per = try values["per"].span(for: "per")
      let tie = try values.tie() ?? .nothing
      return .atMost(try values["event"].selector(), count: count, per: per, tie)
    }
  }
}

/// The values below a pattern.
private struct Values {
  private let key: YAMLNode
  private let pairs: [YAMLNode.Pair]

  init(_ pair: YAMLNode.Pair, _ pattern: OwnRulePattern) throws(ScenarioProblem) {
    key = pair.key
    // What needs one event only may be that event.
    if let only = pattern.only, pair.value.scalar != nil {
      pairs = [YAMLNode.Pair(key: pair.key.named(only), value: pair.value)]
      return
    }
    pairs = try pair.value.pairs(for: pattern.name)
    let known = pattern.keys.map(\.name)
    for one in pairs where !known.contains(one.key.scalar ?? "") {
      throw one.key.unknown("key of `\(pattern.name)`", among: known)
    }
    for one in pattern.keys where one.isNeeded && find(one.name) == nil {
      throw key.problem(
        "`\(pattern.name)` needs `\(one.name)`: \(one.summary)",
        advice: "it takes " + known.joined(separator: ", ")
      )
    }
  }

  func find(_ name: String) -> YAMLNode? { pairs.first { $0.key.scalar == name }?.value }

  /// One that is needed.
  subscript(name: String) -> YAMLNode { find(name) ?? key }

  func span(_ first: String, _ second: String) throws(ScenarioProblem) -> OwnRule.Span {
    let begin = try self[first].selector()
    guard let given = try bind(at: begin) else {
      return OwnRule.Span(begin, try self[second].selector(), try tie())
    }
    return OwnRule.Span(begin, try asking(given, second), bind: given)
  }

  /// The name that is bound to a value of some events, if one is.
  func bind(at events: EventSelector) throws(ScenarioProblem) -> GivenName? {
    guard let node = find("bind") else { return nil }
    if let same = find("same") {
      throw same.problem("`same` and `bind` both say what ties the two", advice: "leave one out")
    }
    let text = try node.text(for: "bind")
    do throws(QueryError) { return try GivenName(text, at: events.question) } catch {
      throw node.problem(error, in: text)
    }
  }

  /// The events of a key, which have to ask for the value that is bound.
  func asking(_ given: GivenName, _ name: String) throws(ScenarioProblem) -> EventSelector {
    guard let node = find(name) else {
      throw key.problem(
        "with `bind`, `\(name)` has to be said",
        advice: "such as object == \(given.word.name)"
      )
    }
    let events = try node.selector(given)
    guard events.question.asksGiven else {
      throw node.problem(
        "`\(name)` does not ask for `\(given.word.name)`, which is bound",
        advice: "such as object == \(given.word.name)"
      )
    }
    return events
  }

  func tie() throws(ScenarioProblem) -> EventTie? {
    guard let node = find("same") else { return nil }
    return EventTie(rawValue: try node.choice(EventTie.allCases.map(\.rawValue), for: "same"))
  }

  /// From where to where it is asked.
  func bounds() throws(ScenarioProblem) -> OwnRule.Bounds {
    OwnRule.Bounds(since: try find("since")?.selector(), until: try find("until")?.selector())
  }

  /// What ends it, where that is not said: the kind that does.
  func end(of begin: EventSelector) throws(ScenarioProblem) -> EventSelector {
    if let node = find("end") { return try node.selector() }
    guard let end = begin.ending else {
      throw self["begin"].problem(
        "nothing ends `\(begin.text)` by itself",
        advice: "say what does: end: resource.release && class == lock"
      )
    }
    return end
  }
}

extension YAMLNode {
  /// The same place with another text.
  fileprivate func named(_ text: String) -> YAMLNode {
    YAMLNode(content: .scalar(text), place: place)
  }

  /// A text that is not empty and has one line.
  fileprivate func line(for key: String) throws(ScenarioProblem) -> String {
    let text = try text(for: key).split(whereSeparator: \.isNewline).joined(separator: " ")
    guard !text.isEmpty else { throw problem("`\(key)` says nothing") }
    return text
  }

  fileprivate func duration(for key: String) throws(ScenarioProblem) -> Int64 {
    let text = try text(for: key)
    guard let length = Scenario.nanoseconds(text), length > 0 else {
      throw problem("`\(text)` is no length of time", advice: "such as 500ms, 20s, 3min")
    }
    return length
  }

  /// A length of time; nil for a process.
  fileprivate func span(for key: String) throws(ScenarioProblem) -> Int64? {
    if scalar == "process" { return nil }
    guard scalar.flatMap(Scenario.nanoseconds).map({ $0 > 0 }) == true else {
      throw problem(
        "`\(scalar ?? "?")` is neither a length of time nor `process`",
        advice: "such as 1s, 10min, process"
      )
    }
    return try duration(for: key)
  }

  fileprivate func count(for key: String) throws(ScenarioProblem) -> Int {
    guard let count = scalar.flatMap(Int.init), (1...OwnRule.countMax).contains(count) else {
      throw problem(
        "`\(key)` is a whole number from 1 to \(OwnRule.countMax)",
        advice: "what must not happen at all is `never`"
      )
    }
    return count
  }

  /// The events at which an expression holds.
  fileprivate func selector(_ given: GivenName? = nil) throws(ScenarioProblem) -> EventSelector {
    guard scalar != nil else {
      throw problem(
        "events are said by one expression, not by a list or mapping",
        advice: "such as resource.acquire && class == lock && name =~ `*.lock`"
      )
    }
    let text = try line(for: "events")
    do throws(QueryError) { return try EventSelector(text, given: given) } catch {
      throw problem(error, in: text)
    }
  }
}
