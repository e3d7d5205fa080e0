// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceRules
import LifetraceTrace
import LifetraceWords

/// Reads the rules of a project's own: ids, and below each one what it says and one of five patterns.
///
///     rules:
///       APP01:
///         says: The upload ends within 20 s after the app went to the background
///         within: {from: callback didEnterBackground, to: work.end upload, limit: 20s}
struct OwnRuleReader {
  /// Where the rules stand, as verdicts have it.
  let file: String

  /// The rule of a pair below `rules`.
  func rule(_ pair: YAMLNode.Pair) throws(ScenarioProblem) -> OwnRule {
    let id = try pair.key.text(for: "rules")
    if let problem = OwnRule.problem(withID: id) { throw pair.key.problem(problem) }
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
        isRunning: clock == "running",
        during: try values.during()
      )
    case "order":
      return .order(try values.span("first", "then"), since: try values.find("since")?.selector())
    case "pair":
      let begin = try values["begin"].selector()
      let end = try values.end(of: begin)
      let span = OwnRule.Span(begin, end, try values.tie())
      guard let before = values.find("before") else {
        return .pair(span, before: .processEnd)
      }
      return .pair(span, before: try before.selector())
    case "never":
      return .never(
        try values["event"].selector(),
        in: try values.find("in")?.states() ?? [],
        during: try values.during()
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
    OwnRule.Span(try self[first].selector(), try self[second].selector(), try tie())
  }

  func tie() throws(ScenarioProblem) -> EventTie? {
    guard let node = find("same") else { return nil }
    return EventTie(rawValue: try node.choice(EventTie.allCases.map(\.rawValue), for: "same"))
  }

  /// What has to go on.
  func during() throws(ScenarioProblem) -> EventSelector? {
    guard let node = find("while") else { return nil }
    let selector = try node.selector()
    guard selector.ending != nil else {
      throw node.problem(
        "`\(selector.text)` does not go on: it has no end",
        advice:
          "what goes on has a begin and an end: work upload, callback didEnterBackground, task sync"
      )
    }
    return selector
  }

  /// What ends it, where that is not said: the kind that does.
  func end(of begin: EventSelector) throws(ScenarioProblem) -> EventSelector {
    if let node = find("end") { return try node.selector() }
    guard let end = begin.ending else {
      throw self["begin"].problem(
        "nothing ends `\(begin.text)` by itself",
        advice: "say what does: end: resource.release library.lock"
      )
    }
    return end
  }
}

extension YAMLNode {
  fileprivate func problem(_ problem: OwnRuleProblem) -> ScenarioProblem {
    self.problem(problem.message, advice: problem.advice)
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

  /// One state, or a list of them.
  fileprivate func states() throws(ScenarioProblem) -> [AppState] {
    var states: [AppState] = []
    for node in sequence ?? [self] {
      let known = AppState.allCases.filter { $0 != .unknown }
      let word = try node.choice(known.map(\.word), for: "in")
      if let state = AppState(word: word) { states.append(state) }
    }
    guard !states.isEmpty else {
      throw problem("`in` names no state", advice: "in: background, or in: [background, suspended]")
    }
    return states
  }

  /// `KIND NAME`, a mapping that says more, or a list of these.
  fileprivate func selector() throws(ScenarioProblem) -> EventSelector {
    switch content {
    case .scalar(let text):
      do throws(OwnRuleProblem) { return try EventSelector(text) } catch { throw problem(error) }
    case .mapping(let pairs): return try selector(pairs)
    case .sequence(let nodes):
      guard (1...EventSelector.alternativesMax).contains(nodes.count) else {
        throw problem("a list of events has one to \(EventSelector.alternativesMax)")
      }
      var some: [EventSelector] = []
      for node in nodes {
        if node.sequence != nil { throw node.problem("a list of events holds no lists") }
        some.append(try node.selector())
      }
      return EventSelector(any: some)
    }
  }

  private func selector(_ pairs: [Pair]) throws(ScenarioProblem) -> EventSelector {
    let known = ["event", "name", "thread", "where"]
    for pair in pairs where !known.contains(pair.key.scalar ?? "") {
      throw pair.key.unknown("key of an event", among: known)
    }
    guard let event = pairs.first(where: { $0.key.scalar == "event" })?.value else {
      throw problem("an event needs its kind", advice: "event: work.end")
    }
    if event.scalar == nil { throw event.problem("`event` is a kind and perhaps a name") }
    var selector = try event.selector()
    for pair in pairs {
      switch pair.key.scalar {
      case "name":
        let name = try pair.value.line(for: "name")
        do throws(OwnRuleProblem) { try selector.require(name: name) } catch {
          throw pair.value.problem(error)
        }
      case "thread":
        let known = EventSelector.Thread.allCases.map(\.rawValue)
        let word = try pair.value.choice(known, for: "thread")
        guard let thread = EventSelector.Thread(rawValue: word) else { continue }
        do throws(OwnRuleProblem) { try selector.require(thread: thread) } catch {
          throw pair.value.problem(error)
        }
      case "where":
        for field in try pair.value.pairs(for: "where") {
          let name = try field.key.text(for: "where")
          let test = try field.value.line(for: name)
          do throws(OwnRuleProblem) { try selector.require(name, test) } catch {
            let isField = error.message.contains("`\(test)`")
            throw (isField ? field.value : field.key).problem(error)
          }
        }
      default: break
      }
    }
    return selector
  }
}
