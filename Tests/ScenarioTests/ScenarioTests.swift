// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceScenario
import LifetraceAppProtocol
import LifetraceLifecycle
import Support
import Testing

@Suite("The scenario language")
struct ScenarioTests {
  private func problem(_ text: String) -> ScenarioProblem? {
    do throws(ScenarioProblem) {
      _ = try Scenario(parsing: text, file: "x.yml")
      return nil
    } catch {
      return error
    }
  }

  @Test("A whole scenario")
  func whole() throws {
    let text = """
      profile: ios7
      time-scale: 0.01
      seed: 7
      disk: 32MiB
      suspend-by: freezer
      apps: {notes: "./notes --fixed", mail: [./mail]}
      steps:
        - launch: notes
        - wait: 500ms
        - wait: {until: active, within: 2s}
        - call: begin
        - tell: {app: notes, edit: "Dear diary", save: now}
        - repeat: {times: 3, steps: [home, open]}
        - choose: {steps: [home, {lock: {passcode: false}}]}
        - expect: state == suspended within 2s
      """
    let scenario = try Scenario(parsing: text, file: "x.yml")
    #expect(scenario.profile == "ios7")
    #expect(scenario.timeScale == 0.01)
    #expect(scenario.seed == 7)
    #expect(scenario.diskBytes == 32 << 20)
    #expect(scenario.suspendBy == .freezer)
    #expect(scenario.apps.map(\.name) == ["notes", "mail"])
    #expect(scenario.apps[0].command == ["./notes", "--fixed"])
    #expect(scenario.steps.count == 8)
    #expect(scenario.steps[2]["until"] == "active")
    #expect(scenario.steps[4].arguments.map(\.name) == ["app", "edit", "save"])
    #expect(scenario.steps[5].steps.map(\.name) == [.home, .open])
  }

  /// A wrong scenario, the place of the problem, and a word of what is said.
  struct Wrong: Sendable, CustomTestStringConvertible {
    var text: String
    var line: Int
    var column: Int
    var says: String
    var testDescription: String { says }
  }

  static let wrong: [Wrong] = [
    Wrong(text: "steps:\n  - launhc\n", line: 2, column: 5, says: "did you mean `launch`?"),
    Wrong(
      text: "steps:\n  - wait: {untl: active}\n",
      line: 2,
      column: 12,
      says: "did you mean `until`?"
    ),
    Wrong(text: "steps:\n  - wait: soon\n", line: 2, column: 11, says: "no duration"),
    Wrong(text: "steps:\n  - call: begins\n", line: 2, column: 11, says: "did you mean `begin`?"),
    Wrong(text: "steps:\n  - call\n", line: 2, column: 5, says: "needs `phase`"),
    Wrong(text: "profile: ios14\nsteps: []\n", line: 1, column: 10, says: "there is: classic"),
    Wrong(text: "stpes: []\n", line: 1, column: 1, says: "did you mean `steps`?"),
    Wrong(text: "app: a\n", line: 1, column: 1, says: "`steps` is missing"),
    Wrong(text: "steps:\n  - launch: {app: b}\n", line: 2, column: 5, says: "no app `b`"),
    Wrong(
      text: "steps:\n  - &a launch\n  - *a\n",
      line: 3,
      column: 5,
      says: "aliases are not allowed"
    ),
    Wrong(text: "steps: [home]\nsteps: [lock]\n", line: 2, column: 1, says: "in line 1 already"),
    Wrong(
      text: "steps:\n- post: {value: a, type: b,\n    value: c}\n",
      line: 3,
      column: 5,
      says: "`value` stands here a second time"
    ),
    Wrong(text: "steps: [home]\n---\nsteps: []\n", line: 2, column: 1, says: "a second document"),
    Wrong(text: "steps: [\n", line: 2, column: 1, says: "not YAML"),
    Wrong(text: "steps:\n  - home: 3\n", line: 2, column: 5, says: "no bare value"),
    Wrong(text: "steps:\n  - {home: , lock: }\n", line: 2, column: 14, says: "one name"),
    Wrong(text: "steps:\n  - expect: happiness\n", line: 2, column: 13, says: "no expectation"),
    Wrong(text: "disk: 3MiB\nsteps: []", line: 1, column: 7, says: "from 4MiB to 64GiB"),
    Wrong(text: "disk: large\nsteps: []", line: 1, column: 7, says: "such as 32MiB"),
    Wrong(text: "suspend-by: sigstop\nsteps: []", line: 1, column: 13, says: "signal, freezer"),
    Wrong(text: "time-scale: -1\nsteps: []", line: 1, column: 13, says: "from 0.001 to 1000"),
    Wrong(text: "time-scale: 0.0005\nsteps: []", line: 1, column: 13, says: "from 0.001 to 1000"),
    Wrong(text: "time-scale: nan\nsteps: []", line: 1, column: 13, says: "from 0.001 to 1000"),
    Wrong(text: "", line: 1, column: 1, says: "mapping"),
    Wrong(
      text: "app: a\napps: [b]\nsteps: [launch]\n",
      line: 2,
      column: 1,
      says: "`app` or `apps`"
    ),
    Wrong(
      text: "steps:\n- wait: {after: data.durabel}\n",
      line: 2,
      column: 17,
      says: "did you mean `data.durable`?"
    ),
    Wrong(
      text: "steps:\n- wait: {after: task.x}\n",
      line: 2,
      column: 17,
      says: "no event `task.x`"
    ),
    Wrong(
      text: "steps:\n- wait: {after: fetch, name: x}\n",
      line: 2,
      column: 17,
      says: "`fetch` is no event"
    ),
    Wrong(
      text: "steps:\n- wait: {for: 1s, name: x}\n",
      line: 2,
      column: 25,
      says: "goes with an event"
    ),
    Wrong(text: "steps:\n\t- launch\n", line: 2, column: 1, says: "indented with a tab"),
    Wrong(text: "steps:\n- wait:\n  \tuntil: active\n", line: 3, column: 3, says: "put spaces"),
    Wrong(
      text: "steps:\n- expect: state: active\n",
      line: 2,
      column: 16,
      says: "a text with a colon in it stands in quotes"
    ),
    Wrong(
      text: "steps:\n- expect: state is active\n",
      line: 2,
      column: 11,
      says: "of a state: `expect: state == active`, or within a time: "
        + "`expect: state == active within 2s`"
    ),
    Wrong(
      text: "steps:\n- expect: {state: active}\n",
      line: 2,
      column: 12,
      says: "`expect: state == active`"
    ),
    Wrong(
      text: "steps:\n- wait: until suspended\n",
      line: 2,
      column: 9,
      says: "for a state: `wait: {until: suspended}`"
    ),
    Wrong(
      text: "steps:\n- wait: {until: state is active}\n",
      line: 2,
      column: 17,
      says: "a state is one word: `until: active`"
    ),
  ]

  @Test("Problems say where, and what was meant", arguments: wrong)
  func explains(_ wrong: Wrong) throws {
    let found = try #require(problem(wrong.text))
    #expect(found.place == ScenarioPlace(line: wrong.line, column: wrong.column))
    #expect(found.text(file: "x.yml").contains(wrong.says), "\(found.text(file: "x.yml"))")
  }

  @Test("All problems of a file are told at once, in order")
  func all() {
    let text = """
      profle: ios13
      apps: [a]
      steps:
      - lanch
      - home
      - wait: {until: actve}
      - open: b
      - repeat: {times: 2, steps: [home, hme, opn]}
      """
    let problems = Scenario.problems(in: text)
    #expect(problems.map(\.place.line) == [1, 4, 6, 8, 7])
    #expect(problems.allSatisfy { $0.advice.hasPrefix("did you mean") || $0.place.line == 7 })
    #expect(Scenario.problems(in: "steps: [home]\n").isEmpty)
  }

  @Test("The schema that is published is the one that the tool prints")
  func published() {
    #expect(
      Golden.difference(Scenario.jsonSchema, "Sources/Scenario/scenario.schema.json") == nil
    )
  }

  @Test(
    "Every step of the table stands in the schema, with its parameters, and the parser takes it"
  )
  func schemaAgrees() throws {
    let schema = try JSON(parsing: Scenario.jsonSchema.utf8)
    let items = schema["$defs"]?["steps"]?["items"]?["anyOf"]?.array ?? []
    for name in StepName.allCases {
      let item = try #require(items.first { $0["properties"]?[name.rawValue] != nil })
      let form = item["properties"]?[name.rawValue]?["anyOf"]?.array?.first
      let known = form?["properties"]?.object?.keys.sorted()
      #expect(known == name.info.parameters.map(\.name).sorted())
      #expect(problem("app: a\nsteps:\n- \(example(name))\n") == nil)
    }
    #expect(items.count == StepName.allCases.count + 1)
  }

  /// A step with all parameters that the table knows.
  private func example(_ name: StepName) -> String {
    var pairs = name.info.parameters.map { parameter in
      let value =
        switch parameter.type {
        case .text: ["that": "no violations", "after": "data.durable"][parameter.name] ?? "a"
        case .duration: "1s"
        case .integer: "1"
        case .flag: "true"
        case .choice(let words), .condition(let words): words[0]
        case .steps: "[home]"
        }
      return "\(parameter.name): \(value)"
    }
    if name.info.open { pairs.append("edit: x") }
    return "\(name.rawValue): {\(pairs.joined(separator: ", "))}"
  }

  @Test(
    "The examples of a step are right, and show each of its parameters",
    arguments: StepName.allCases
  )
  func examples(_ name: StepName) throws {
    var shown: Set<String> = []
    for example in name.examples {
      let text = "steps:\n  \(example)\n"
      let steps = try Scenario(parsing: text, file: "x.yml").steps
      #expect(steps.map(\.name) == [name], "\(example)")
      for step in steps {
        shown.formUnion(step.arguments.map(\.name))
        if !step.steps.isEmpty { shown.insert("steps") }
      }
      #expect(Scenario.manual.contains("        \(example)\n"))
    }
    #expect(!name.examples.isEmpty)
    let parameters = Set(name.info.parameters.map(\.name)).subtracting(["app"])
    #expect(shown.isSuperset(of: parameters), "not shown: \(parameters.subtracting(shown))")
    #expect(name.info.open || shown.isSubset(of: parameters.union(["app"])))
  }

  @Test("Hostile and random text is refused or read, and never more")
  func random() {
    let pieces = [
      "steps:", "\n", "- ", "launch", "wait: ", "{", "}", "[", "]", "500ms", ": ", "\"", "\t", "é",
      "&a ", "*a", "!!", "%", "|", ">", "- repeat: {times: 2, steps: ",
    ]
    for seed in 0..<3000 as Range<UInt64> {
      var generator = SeededRandom(seed: seed)
      let count = Int.random(in: 0..<40, using: &generator)
      let text = (0..<count).compactMap { _ in pieces.randomElement(using: &generator) }.joined()
      _ = problem(text)
    }
    let deep = "steps: " + String(repeating: "[", count: 5000)
    #expect(problem(deep) != nil)
  }
}
