// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceTesting
import NotesCore
import TestThreads
import Testing
import LifetraceTrace

/// `wait: {after: data.durable}`: for what is recorded, in both worlds.
@Suite("Waiting for an event of the trace", .waits)
@MainActor
struct EventWaitTests {
  /// Two edits, each of which is awaited by another form, while a third is left alone.
  static let life = """
    app: notes
    steps:
    - launch
    - tell: {edit: one}
    - wait: {after: data.dirty}
    - home
    - wait: {after: data.durable, name: draft.txt, within: 20s}
    - wait: {after: task.end, within: 20s}
    - open
    - tell: {edit: two}
    - home
    - wait: {after: draft.txt.durable, within: 20s}
    """

  static let impatient = """
    app: notes
    steps:
    - launch
    - tell: {edit: one}
    - home
    - wait: {after: data.durable, name: letter.txt, within: 6s}
    - open
    - wait: {after: data.durable, within: 300ms}
    """

  private func virtual(_ text: String) throws -> [ScenarioProblem] {
    let scenario = try Scenario(parsing: text, file: "wait.yml")
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
    #expect(played.leftBehind == 0)
    return played.report.failures
  }

  @Test("It goes on as soon as the event is there")
  func succeeds() async throws {
    #expect(try virtual(Self.life) == [])
    #expect(try await real(Self.life) == [])
  }

  @Test("A wait in vain says what came instead")
  func fails() async throws {
    for failures in [try virtual(Self.impatient), try await real(Self.impatient)] {
      #expect(failures.map(\.place.line) == [6, 8])
      let first = try #require(failures.first)
      #expect(first.message == "`notes` recorded no data.durable of `letter.txt`")
      #expect(first.advice.contains("data.durable draft.txt"), "\(first.advice)")
      let last = try #require(failures.last)
      #expect(last.message == "`notes` recorded no data.durable")
      #expect(last.advice.contains("callback.begin"), "\(last.advice)")
      #expect(!last.advice.contains("data.durable"), "an earlier step's: \(last.advice)")
    }
  }

  @Test("An event answers one wait")
  func once() throws {
    let text = """
      app: notes
      steps:
      - launch
      - tell: {edit: one}
      - wait: {after: data.dirty, within: 1s}
      - wait: {after: data.dirty, within: 1s}
      """
    #expect(try virtual(text).map(\.place.line) == [6])
  }

  @Test("Of several apps the one that is named counts")
  func severalApps() throws {
    let text = """
      apps: [one, two]
      steps:
      - launch: two
      - launch: one
      - tell: {app: one, edit: x}
      - wait: {app: two, after: data.dirty, within: 1s}
      - wait: {app: one, after: data.dirty, within: 1s}
      """
    let failures = try virtual(text)
    #expect(failures.map(\.place.line) == [6])
    #expect(failures.first?.message == "`two` recorded no data.dirty")
    #expect(failures.first?.advice.contains("state.suspend") == true)
    #expect(failures.first?.advice.contains("data.dirty") == false)
  }

  /// The save goes on behind `home`, and its app ends with it.
  @Test(
    "A wait is passed over once the planned end of its app has come",
    arguments: [
      "wait: {after: never said}", "wait: {after: data.restored}", "wait: {until: active}",
      "expect: said never within 30s", "expect: state == active within 30s",
    ]
  )
  func fallen(step: String) throws {
    let failures = try virtual(
      """
      app: notes
      steps:
      - launch: {ends: crash, after: draft.txt.durable}
      - tell: {edit: one}
      - home
      - \(step)
      - relaunch
      - expect: state == active
      """
    )
    #expect(failures.isEmpty, "\(failures)")
  }
}
