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
    if apps.isEmpty { apps = [App(name: Self.unnamed, command: [])] }
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
