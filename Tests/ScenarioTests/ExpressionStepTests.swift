// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceTesting
import NotesCore
import TestThreads
import Testing

/// `wait: {until: EXPRESSION}` and `expect: EXPRESSION`, in both worlds.
@Suite("Steps that ask the language of questions", .waits)
@MainActor
struct ExpressionStepTests {
  /// Each holds in the fixed app, at its step and not before the step in front of it.
  static let life = """
    app: notes
    steps:
    - launch
    - expect: count data where unsaved > 0 == 0
    - tell: {edit: one}
    - wait: {until: any data where unsaved > 0, within: 5s}
    - expect: state == active && data("draft.txt").version == 1
    - home
    - wait: {until: data.durable && object == "draft.txt", within: 20s}
    - expect: all data where unsaved == 0
    - wait: {until: task.end, within: 20s}
    - expect: {that: count tasks == 0 within 2s}
    - purge
    - relaunch
    - expect: data("draft.txt").saved == 1 || state == active
    """

  static let wrong = """
    app: notes
    steps:
    - launch
    - expect: count tasks == 3 && state == active
    - tell: {edit: one}
    - wait: {until: data.durable && object == "draft.txt", within: 200ms}
    - expect: any data where object == "letter.txt"
    """

  private func virtual(_ text: String) throws -> [ScenarioProblem] {
    let scenario = try Scenario(parsing: text, file: "ask.yml")
    let directory = Played.scratch()
    defer { Played.remove(directory) }
    var options = NotesDelegate.Options()
    options.fixed = true
    options.directory = directory
    return try Simulator(scenario) { [options] in NotesDelegate(options: options) }.play().report
      .failures
  }

  /// Not on the main thread, which others need meanwhile.
  private nonisolated func real(_ text: String) async throws -> [ScenarioProblem] {
    let arguments = ["--fixed", "--directory", "DIRECTORY"]
    let played = try Played(text, app: "notes", arguments: arguments)
    return played.report.failures
  }

  @Test("It goes on where they hold")
  func holds() async throws {
    #expect(try virtual(Self.life) == [])
    #expect(try await real(Self.life) == [])
  }

  @Test("Where one does not hold, the step says what there was instead")
  func fails() async throws {
    for failures in [try virtual(Self.wrong), try await real(Self.wrong)] {
      #expect(failures.map(\.place.line) == [4, 6, 7])
      let first = try #require(failures.first)
      #expect(first.message == "`notes`: count tasks == 3 && state == active does not hold")
      #expect(first.advice == "count tasks is 0, state is active")
      let second = failures[1].advice
      #expect(second.contains("since the step before it recorded: "), "\(second)")
      #expect(second.contains("data.dirty draft.txt"), "\(second)")
      #expect(failures[2].advice == "count data where (object == \"letter.txt\") is 0")
    }
  }

  @Test("An event answers one step, and those before the step in front answer none")
  func once() throws {
    let text = """
      app: notes
      steps:
      - launch
      - tell: {edit: one}
      - wait: {until: data.dirty, within: 1s}
      - wait: {until: data.dirty, within: 1s}
      - tell: {edit: two}
      - wait: 1s
      - home
      - wait: {until: data.dirty, within: 1s}
      """
    #expect(try virtual(text).map(\.place.line) == [6, 10])
  }

  @Test("Of several apps, the one that is named is asked; a new process begins anew")
  func severalApps() throws {
    let text = """
      apps: [one, two]
      steps:
      - launch: two
      - launch: one
      - tell: {app: one, edit: x}
      - expect: {app: two, that: any data where unsaved > 0}
      - expect: {app: one, that: any data where unsaved > 0 within 1s}
      - kill: one
      - launch: one
      - expect: {app: one, that: any data where unsaved > 0}
      """
    #expect(try virtual(text).map(\.place.line) == [6, 10])
  }

  nonisolated struct Wrong: Sendable {
    var step: String
    var column: Int
    var says: String
    var caret = "\n"
  }

  nonisolated static let mistakes = [
    Wrong(
      step: "wait: {until: activ}",
      column: 19,
      says: "there is no until `activ`\n  did you mean `active`?"
    ),
    Wrong(step: "wait: {until: durty && bytes > 1}", column: 19, says: "dirty?", caret: "^~~~~"),
    Wrong(
      step: "wait: {until: dirty && bytes > 3s}",
      column: 36,
      says: "bytes is a size; 3s is a length of time",
      caret: "                   ^~"
    ),
    Wrong(step: "expect: count taks == 0", column: 19, says: "tasks?", caret: "      ^~~~"),
    Wrong(step: "expect: {that: count taks == 0 within 2s}", column: 26, says: "tasks?"),
    Wrong(step: "expect: happiness", column: 13, says: "`happiness` is no expectation"),
    Wrong(step: "expect: any data where age > 5s", column: 13, says: "age and left move with time"),
    Wrong(
      step: "wait: {until: syncd.state == active}",
      column: 19,
      says: "there is no syncd.state"
    ),
  ]

  @Test(arguments: mistakes) func aMistakeIsNamedWithItsColumn(wrong: Wrong) throws {
    let text = "steps:\n  - \(wrong.step)\n"
    let problem = try #require(Scenario.problems(in: text).first)
    #expect(problem.place == ScenarioPlace(line: 2, column: wrong.column))
    let words = problem.text(file: "x.yml")
    #expect(words.contains(wrong.says), "\(words)")
    #expect(words.contains(wrong.caret), "\(words)")
  }
}
