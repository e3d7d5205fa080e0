// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceScenario
import LifetraceTesting
import NotesCore
import Support
import Testing

@Suite("The sample app in virtual time")
@MainActor
struct NotesTests {
  private static let lostEdit = """
    app: notes
    steps:
      - launch
      - tell: {edit: "Dear diary, today I lost nothing."}
      - home
      - purge
      - relaunch
    """

  private func play(_ text: String, fixed: Bool) throws -> SimulatedLife {
    let directory = try TestFolder()
    let scenario = try Scenario(parsing: text, file: "lost-edit.yml")
    var options = NotesDelegate.Options()
    options.fixed = fixed
    options.directory = directory.path
    return try Simulator(scenario) { [options] in NotesDelegate(options: options) }.play()
  }

  @Test("The buggy app is suspended and purged with its last edit in memory")
  func losesEdit() throws {
    let life = try play(Self.lostEdit, fixed: false)
    #expect(life.streams.count == 2)
    #expect(life.report.failures.isEmpty)
    #expect(!life.events(.dataDirty).isEmpty)
    #expect(life.events(.dataDurable).isEmpty)
    #expect(life.events(.purge).count == 1)
  }

  @Test("The fixed app flushes under a background task")
  func keepsEdit() throws {
    let life = try play(Self.lostEdit, fixed: true)
    #expect(life.events(.dataDurable).count == 1)
    #expect(life.events(.dataRestored).last.map { $0.arguments.0 } == 1)
    #expect(life.violations.isEmpty)
  }

  @Test("Two plays of one seed give the same events")
  func deterministic() throws {
    let first = try play(Self.lostEdit, fixed: true)
    let second = try play(Self.lostEdit, fixed: true)
    #expect(first.text == second.text)
  }
}
