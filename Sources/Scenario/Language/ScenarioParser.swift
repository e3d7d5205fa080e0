// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
package import LifetraceRules
import LifetraceTrace
import LifetraceWords

extension Scenario {
  /// The keys of the file beside `steps`, with what they are, for messages and the schema.
  package static let keys: [(name: String, summary: String)] = [
    (
      "profile",
      """
      the generation of the system: \(profiles.joined(separator: ", ")); when left out, that of \
      lifetrace.yml, else \(Profile.standard.name)
      """
    ),
    ("time-scale", "real time for one unit of nominal time, such as 0.01"),
    ("seed", "for `choose`"),
    ("multitasking", "false: a device without a background, where leaving an app ends it"),
    ("app", "the name of the only app"),
    (
      "apps",
      """
      several apps: their names, with the command of each; which of them it is to be, a command \
      learns from its arguments, and where two are the same, from $LIFETRACE_APP
      """
    ),
    ("app-group", "a directory that apps share: no lock in it may outlast the suspension"),
    (
      "disk",
      """
      the size of a disk for the apps (32MiB), mounted at $LIFETRACE_DISK: a reboot is a power cut, and \
      what is not synced is gone; needs root, else said and kept in a directory; simulated, nothing is lost
      """
    ),
    (
      "data",
      """
      fresh: each app has an empty folder for its data, $LIFETRACE_DATA, which goes with the run \
      (default); keep: none is given, and the app finds what earlier runs have left where it keeps \
      its data; simulated apps ask for application.dataDirectory
      """
    ),
    (
      "suspend-by",
      """
      signal: SIGSTOP to the app (default, and where cgroups are not permitted); freezer: its cgroup, \
      with all that it has forked
      """
    ),
    (
      "suspend-after",
      "how long after its last need to run an app is suspended (100ms); up to an hour"
    ),
    ("steps", "what happens, in order"),
  ]
  /// What ext4 takes with a journal, and more than any test needs.
  package static let diskBytes = (4 << 20)...(64 << 30)
  package static let profiles = Profile.all.map(\.name)
  package static let timeScales = 0.001...1000.0
  /// More steps than this are refused.
  package static let stepsMax = 100_000

  /// The scenario that `text` describes.
  ///
  /// - Throws: The first of its ``problems(in:)``.
  package init(parsing text: String, file: String) throws(ScenarioProblem) {
    self.init(file: file)
    var problems: [ScenarioProblem] = []
    read(text, &problems)
    if var first = problems.first {
      first.file = file
      throw first
    }
  }

  /// Everything that is wrong with `text`, at most one problem a key or step.
  package static func problems(in text: String) -> [ScenarioProblem] {
    var scenario = Scenario(file: "")
    var problems: [ScenarioProblem] = []
    scenario.read(text, &problems)
    return problems
  }

  private mutating func read(_ text: String, _ problems: inout [ScenarioProblem]) {
    let root: YAMLNode?
    do throws(ScenarioProblem) { root = try YAMLNode.parse(text) } catch {
      return problems.append(error)
    }
    guard let root, let pairs = root.mapping else {
      return problems.append(
        ScenarioProblem(
          place: ScenarioPlace(line: 1, column: 1),
          message: "a scenario is a mapping with the key `steps`",
          advice: "lifetrace init writes one to begin with"
        )
      )
    }
    var hasSteps = false
    for pair in pairs {
      if pair.key.scalar == "steps" {
        hasSteps = true
        steps = Self.steps(pair.value, &problems)
      } else {
        do throws(ScenarioProblem) { try read(pair) } catch { problems.append(error) }
      }
    }
    // A file that is wrong in its keys may have meant one of them.
    guard hasSteps || !problems.isEmpty else {
      return problems.append(
        ScenarioProblem(place: root.place, message: "the key `steps` is missing")
      )
    }
    if diskBytes != nil, data == .keep, let key = pairs.first(where: { $0.key.scalar == "data" }) {
      problems.append(
        key.key.problem("`data: keep` and `disk` exclude each other: a disk is always new")
      )
    }
    if apps.isEmpty { apps = [App(name: "app", command: [])] }
    checkApps(steps, &problems)
  }

  private mutating func read(_ pair: YAMLNode.Pair) throws(ScenarioProblem) {
    switch pair.key.scalar {
    case "profile": profile = try pair.value.choice(Self.profiles, for: "profile")
    case "time-scale":
      guard let scale = pair.value.scalar.flatMap(Double.init), Self.timeScales.contains(scale)
      else {
        throw pair.value.problem("`time-scale` is a number from 0.001 to 1000, such as 0.01")
      }
      // A trace holds thousandths: the host must not go by another scale than the rules.
      timeScale = (scale * 1000).rounded() / 1000
    case "seed":
      guard let value = pair.value.scalar.flatMap(UInt64.init) else {
        throw pair.value.problem("`seed` is a whole number")
      }
      seed = value
    case "disk":
      let size = TypedQuantity.bytes(try pair.value.text(for: "disk"))
      guard let size, Self.diskBytes.contains(size) else {
        throw pair.value.problem("`disk` is a size from 4MiB to 64GiB, such as 32MiB")
      }
      diskBytes = size
    case "data":
      let word = try pair.value.choice(Data.allCases.map(\.rawValue), for: "data")
      data = Data(rawValue: word) ?? data
    case "suspend-by":
      let known = Suspension.allCases.map(\.rawValue)
      let word = try pair.value.choice(known, for: "suspend-by")
      suspendBy = Suspension(rawValue: word) ?? suspendBy
    case "suspend-after":
      let delay = Self.nanoseconds(try pair.value.text(for: "suspend-after"))
      guard let delay, 0...Self.suspendAfterMax ~= delay else {
        throw pair.value.problem("`suspend-after` is a duration of at most an hour, such as 400ms")
      }
      suspendAfter = delay
    case "multitasking":
      multitasking = try pair.value.choice(["true", "false"], for: "multitasking") == "true"
    case "app-group": appGroup = try pair.value.text(for: "app-group")
    case "app", "apps":
      guard apps.isEmpty else {
        throw pair.key.problem("a scenario has `app` or `apps`, and either of them once")
      }
      apps =
        pair.key.scalar == "app"
        ? [App(name: try pair.value.text(for: "app"), command: [])] : try Self.apps(pair.value)
    default: throw pair.key.unknown("key", among: Self.keys.map(\.name))
    }
  }

  private static func apps(_ node: YAMLNode) throws(ScenarioProblem) -> [App] {
    if let names = node.sequence {
      var out: [App] = []
      for name in names { out.append(App(name: try name.text(for: "apps"), command: [])) }
      return out
    }
    guard let pairs = node.mapping, !pairs.isEmpty else {
      throw node.problem("`apps` is a list of names, or a mapping of names to commands")
    }
    var out: [App] = []
    for pair in pairs {
      let name = try pair.key.text(for: "apps")
      if let words = pair.value.sequence {
        var command: [String] = []
        for word in words { command.append(try word.text(for: name)) }
        out.append(App(name: name, command: command))
      } else {
        let command = try pair.value.text(for: name).split(separator: " ").map(String.init)
        out.append(App(name: name, command: command))
      }
    }
    return out
  }

  /// The steps that are right; the mistakes in the others join the problems.
  private static func steps(_ node: YAMLNode, _ problems: inout [ScenarioProblem]) -> [Step] {
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
      guard let expected = Expectation(text) else {
        throw (value ?? key).problem(
          "`\(text)` is no expectation",
          advice:
            "state == suspended within 2s · no violations · violation DS02 · said TEXT within 2s"
        )
      }
      // A rule of the project's own is known where its configuration is.
      if case .violation(let rule) = expected, RuleTable.info(rule) == nil,
        OwnRule.problem(withID: rule) != nil
      {
        throw (value ?? key).unknownRule(rule)
      }
    }
    return step
  }

  /// The first expectation of a rule that is not one of `rules`: a project's own, which its
  /// configuration lacks.
  package func problem(with rules: RuleSet) -> ScenarioProblem? {
    Self.unknownRule(steps, rules)
  }

  private static func unknownRule(_ steps: [Step], _ rules: RuleSet) -> ScenarioProblem? {
    for step in steps {
      if let problem = unknownRule(step.steps, rules) { return problem }
      guard step.name == .expect, let text = step["that"],
        case .violation(let rule) = Expectation(text), rules.info(rule) == nil
      else { continue }
      return ScenarioProblem(
        place: step.place,
        message: "there is no rule `\(rule)`",
        advice: rules.own.isEmpty
          ? "no lifetrace.yml has rules here"
          : "the rules of lifetrace.yml are " + rules.own.map(\.id).joined(separator: ", ")
      )
    }
    return nil
  }

  /// Every app that a step names must be one of the scenario's.
  private func checkApps(_ steps: [Step], _ problems: inout [ScenarioProblem]) {
    let known = apps.map(\.name)
    for step in steps {
      // An app outside the scenario can be switched to all the same.
      if let named = step["app"], !known.contains(named) {
        let near = nearest(to: named, among: known).map { "did you mean `\($0)`?" }
        problems.append(
          ScenarioProblem(
            place: step.place,
            message: "the scenario has no app `\(named)`",
            advice: near ?? "its apps are " + known.joined(separator: ", ")
          )
        )
      }
      checkApps(step.steps, &problems)
    }
  }
}

extension Scenario.Step {
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

extension Scenario {
  fileprivate static func list(_ node: YAMLNode) throws(ScenarioProblem) -> [Step] {
    var problems: [ScenarioProblem] = []
    let found = steps(node, &problems)
    if let first = problems.first { throw first }
    return found
  }
}

extension YAMLNode {
  func unknownRule(_ id: String, _ own: [OwnRule] = []) -> ScenarioProblem {
    problem("there is no rule `\(id)`", advice: RuleSet(own: own).advice(for: id))
  }

  package func problem(_ message: String, advice: String = "") -> ScenarioProblem {
    ScenarioProblem(place: place, message: message, advice: advice)
  }

  package func unknown(_ what: String, among known: [String]) -> ScenarioProblem {
    let word = scalar ?? "?"
    // Among system versions a near spelling is as wrong as any other.
    let near =
      what == "profile" ? nil : nearest(to: word, among: known).map { "did you mean `\($0)`?" }
    return problem(
      "there is no \(what) `\(word)`",
      advice: near ?? "there is: " + known.joined(separator: ", ")
    )
  }

  package func text(for key: String) throws(ScenarioProblem) -> String {
    guard let text = scalar else {
      throw problem("`\(key)` takes one value, not a list or mapping")
    }
    return text
  }

  package func choice(_ known: [String], for key: String) throws(ScenarioProblem) -> String {
    let text = try text(for: key)
    guard known.contains(text) else { throw unknown(key, among: known) }
    return text
  }

  func check(_ text: String, _ parameter: Parameter) throws(ScenarioProblem) {
    switch parameter.type {
    case .text, .steps: break
    case .duration:
      guard Scenario.nanoseconds(text) != nil else {
        throw problem(
          "`\(text)` is no duration",
          advice: "a number and a unit, such as 500ms, 2s, 3min"
        )
      }
    case .integer:
      guard let number = Int(text), (0...1_000_000).contains(number) else {
        throw problem("`\(parameter.name)` is a whole number up to 1,000,000")
      }
    case .flag:
      guard ["true", "false"].contains(text) else {
        throw problem("`\(parameter.name)` is true or false")
      }
    case .choice(let known): _ = try choice(known, for: parameter.name)
    }
  }
}
