// SPDX-License-Identifier: Apache-2.0
import LifetraceQuery
import LifetraceRules
import LifetraceTrace

// Steps of a scenario, read from YAML.

extension Scenario {
  /// The steps that are right; the mistakes in the others join the problems.
  static func steps(_ node: YAMLNode, _ problems: inout [ScenarioProblem]) -> [Step] {
    guard let nodes = node.sequence, nodes.count <= stepsMax else {
      let isList = node.sequence != nil
      problems.append(node.problem(isList ? "there are too many steps" : "steps are a list"))
      return []
    }
    return nodes.compactMap { node in
      do throws(ScenarioProblem) { return try step(node) } catch {
        problems.append(error)
        return nil
      }
    }
  }

  private static func step(_ node: YAMLNode) throws(ScenarioProblem) -> Step {
    if node.scalar != nil { return try step(named: node, value: nil) }
    guard let pairs = node.mapping, let pair = pairs.first else {
      throw node.problem("a step is a name, or a name and its parameters")
    }
    guard pairs.count == 1 else {
      throw pairs[1].key.problem(
        "a step has one name",
        advice: "begin each step with `- `, or put parameters in braces: `wait: {until: active}`"
      )
    }
    return try step(named: pair.key, value: pair.value)
  }

  private static func step(named key: YAMLNode, value: YAMLNode?) throws(ScenarioProblem) -> Step {
    let word = try key.text(for: "step")
    guard let name = StepName(rawValue: word) else {
      throw key.unknown("step", among: StepName.allCases.map(\.rawValue))
    }
    let info = name.info
    var step = Step(name: name, arguments: [], steps: [], place: key.place)
    switch value?.content {
    case nil, .scalar(""): break
    case .scalar(let text):
      guard let bare = info.parameters.first(where: { $0.name == info.bare }) else {
        throw key.problem(
          "`\(word)` takes no bare value",
          advice: info.shapes(of: word).joined(separator: " | ")
        )
      }
      if name == .wait, Scenario.nanoseconds(text) == nil, let meant = StateWords.meant(by: text) {
        throw (value ?? key).problem(
          "`\(text)` is no duration",
          advice: "for a state: `wait: {until: \(meant)}`"
        )
      }
      try value?.check(text, bare)
      step.arguments = [Argument(name: bare.name, value: text)]
    case .sequence(let nodes):
      throw (nodes.first ?? key).problem(
        "`\(word)` takes no list",
        advice: info.shapes(of: word).joined(separator: " | ")
      )
    case .mapping(let pairs):
      for pair in pairs { try step.take(pair, of: info) }
    }
    for parameter in info.parameters where parameter.required {
      let given = parameter.type == .steps ? !step.steps.isEmpty : step[parameter.name] != nil
      if !given {
        throw key.problem(
          "`\(word)` needs `\(parameter.name)`: \(parameter.summary)",
          advice: info.shapes(of: word).joined(separator: " | ")
        )
      }
    }
    if name == .wait { try step.checkEvent(key, value) }
    if name.launches { try step.checkEnd(key, value) }
    if name == .tell, !step.arguments.contains(where: { $0.name != "app" }) {
      throw key.problem("`tell` needs a word for the app", advice: "tell: {edit: \"Dear diary\"}")
    }
    if name == .expect, let text = step["that"] {
      guard let expected = Expectation(text) else { throw step.noExpectation(text, value ?? key) }
      // A rule of the project's own is known where its configuration is.
      if case .violation(let rule) = expected, RuleTable.info(rule) == nil,
        OwnRule.problem(withID: rule) != nil
      {
        throw (value ?? key).unknownRule(rule)
      }
    }
    return step
  }

  fileprivate static func list(_ node: YAMLNode) throws(ScenarioProblem) -> [Step] {
    var problems: [ScenarioProblem] = []
    let found = steps(node, &problems)
    if let first = problems.first { throw first }
    return found
  }
}

extension Scenario.Step {
  /// What is wrong with the text of an `expect`; of an expression, where.
  fileprivate func noExpectation(_ text: String, _ value: YAMLNode) -> ScenarioProblem {
    let node = value.mapping?.first { $0.key.scalar == "that" }?.value ?? value
    if let meant = StateWords.meant(by: text) {
      return node.problem(
        "`\(text)` is no expectation",
        advice: "of a state: `expect: state == \(meant)`, or within a time: "
          + "`expect: state == \(meant) within 2s`"
      )
    }
    let words = ["no ", "violation", "said"]
    if text.contains(" "), !words.contains(where: text.hasPrefix) {
      let expression = Expectation.parts(text).expression
      do throws(QueryError) {
        _ = try Question(ofStep: expression)
      } catch {
        return node.problem(error, in: expression)
      }
    }
    return node.problem(
      "`\(text)` is no expectation",
      advice: "state == suspended within 2s · count tasks == 0 · no violations · violation DS02 · "
        + "said TEXT within 2s"
    )
  }

  /// An end behind an event needs both, and an event that there is.
  fileprivate func checkEnd(_ key: YAMLNode, _ value: YAMLNode?) throws(ScenarioProblem) {
    let pairs = value?.mapping ?? []
    func node(_ name: String) -> YAMLNode { pairs.first { $0.key.scalar == name }?.value ?? key }
    guard let after = self["after"] else {
      guard self["ends"] == nil, self["nth"] == nil, self["name"] == nil else {
        throw node("ends").problem(
          "`ends` needs `after`: the event behind which it ends",
          advice: "ends: purge, after: draft.txt.flushing"
        )
      }
      return
    }
    guard self["ends"] != nil else {
      throw node("after").problem("`after` goes with `ends`", advice: "ends: purge, after: 17")
    }
    guard ScriptedEnd(self) == nil else { return }
    let near = EventCondition.misspelt(after) ?? ""
    throw node("after").problem(
      "there is no event `\(after)`",
      advice: near.isEmpty
        ? "data.durable, draft.txt.flushing, state.suspend, or a number from 1"
        : "did you mean `\(near)`?"
    )
  }

  /// An event that is waited for must be one that there is.
  fileprivate func checkEvent(_ key: YAMLNode, _ value: YAMLNode?) throws(ScenarioProblem) {
    let pairs = value?.mapping ?? []
    func node(_ name: String) -> YAMLNode { pairs.first { $0.key.scalar == name }?.value ?? key }
    guard let after = self["after"] else {
      guard self["name"] == nil else {
        throw node("name").problem("`name` goes with an event", advice: "after: data.durable")
      }
      return
    }
    if condition == nil, let near = EventCondition.misspelt(after) {
      throw node("after").problem(
        "there is no event `\(after)`",
        advice: near.isEmpty
          ? "lifetrace dump shows the events of a trace" : "did you mean `\(near)`?"
      )
    }
    if condition == nil, self["name"] != nil {
      throw node("after").problem(
        "`\(after)` is no event, and only an event has a `name`",
        advice: "after: data.durable"
      )
    }
  }

  fileprivate mutating func take(_ pair: YAMLNode.Pair, of info: StepInfo) throws(ScenarioProblem) {
    let key = try pair.key.text(for: "parameter")
    guard let parameter = info.parameters.first(where: { $0.name == key }) else {
      guard info.open else {
        if key == "state", name == .expect || name == .wait, let word = pair.value.scalar,
          let meant = StateWords.meant(by: word)
        {
          throw pair.key.problem(
            "`\(name.rawValue)` has no parameter `state`",
            advice: name == .expect ? "`expect: state == \(meant)`" : "`wait: {until: \(meant)}`"
          )
        }
        throw pair.key.unknown("parameter", among: info.parameters.map(\.name))
      }
      arguments.append(.init(name: key, value: try pair.value.text(for: key)))
      return
    }
    if parameter.type == .steps {
      steps = try Scenario.list(pair.value)
    } else {
      let text = try pair.value.text(for: key)
      try pair.value.check(text, parameter)
      arguments.append(.init(name: key, value: text))
    }
  }
}
