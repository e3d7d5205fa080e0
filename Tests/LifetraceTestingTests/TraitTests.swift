// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceScenario
import LifetraceTesting
import NotesCore
import Support
import Testing
import LifetraceTrace
import LifetraceTraceFile

private let lostEdit =
  #filePath.split(separator: "/", omittingEmptySubsequences: false)
  .dropLast(3).joined(separator: "/") + "/Sources/Examples/Notes/lost-edit.yml"

@Suite("The trait")
@MainActor
struct TraitTests {
  @Test("A test plays the scenario of its trait", .lifetrace(scenario: lostEdit))
  func plays() throws {
    let scratch = try TestFolder()
    var options = NotesDelegate.Options()
    options.fixed = true
    options.directory = scratch.path
    let life = try Simulator.current { [options] in NotesDelegate(options: options) }.play()
    #expect(life.violations.isEmpty)
    #expect(life.events(.testBegin).count == 1)
  }

  @Test("A scenario's expectations about violations are judged in virtual time too")
  func judges() throws {
    let scratch = try TestFolder()
    var options = NotesDelegate.Options()
    for fixed in [false, true] {
      options.fixed = fixed
      options.directory = scratch.path
      let text = """
        app: notes
        steps:
        - launch
        - tell: {edit: "Dear diary"}
        - home
        - purge
        - expect: no violations
        - expect: violation DS02
        """
      let scenario = try Scenario(parsing: text, file: "life.yml")
      let life = try Simulator(scenario) { [options] in NotesDelegate(options: options) }.play()
      let failures = life.report.failures
      #expect(failures.count == 1)
      #expect(failures.first?.place.line == (fixed ? 8 : 7))
      #expect(failures.first?.message.contains(fixed ? "found none" : "DS02 in notes#1") == true)
    }
  }

  @Test("A life is kept as a trace that reads back the same")
  func keeps() throws {
    let scratch = try TestFolder()
    var options = NotesDelegate.Options()
    options.directory = scratch.path
    let scenario = try Scenario(contentsOf: lostEdit)
    let life = try Simulator(scenario) { [options] in NotesDelegate(options: options) }.play()
    let path = scratch.path + "/kept.lifetrace"
    try life.write(to: path)
    let reader = try TraceReader(path: path)
    #expect(reader.hasEnd)
    #expect(reader.problems.isEmpty)
    // The device has a stream in any case: it says which scenario was played.
    let writers = Set(life.streams.filter { !$0.events.isEmpty }.map(\.writer))
    let device = reader.streams.filter { $0.attributes.role == .harness }.map(\.writer)
    #expect(Set(reader.streams.map(\.writer)) == writers.union(device) && device.count == 1)
    var count = 0
    var kept: KeptScenario?
    for event in try reader.streams.flatMap(\.chunks).flatMap({ try reader.decode($0).events }) {
      if let found = KeptScenario(event, reader.names) { kept = found } else { count += 1 }
    }
    #expect(count == life.streams.reduce(0) { $0 + $1.events.count })
    #expect(try kept?.scenario().steps.count == scenario.steps.count)
    #expect(kept?.folder == "", "it was played in virtual time")
  }
}

@Suite("The trait of a suite", .lifetrace(scenario: lostEdit))
@MainActor
struct SuiteTraitTests {
  @Test("Each test plays the scenario, side by side and as writers of their own", arguments: 0..<4)
  func plays(_ number: Int) throws {
    let scratch = try TestFolder()
    var options = NotesDelegate.Options()
    options.fixed = true
    options.directory = scratch.path
    let lives = try (0..<2).map { _ in
      try Simulator.current { [options] in NotesDelegate(options: options) }.play()
    }
    #expect(lives[0].callbacks() == lives[1].callbacks())
    #expect(Set(lives.flatMap(\.streams).map(\.writer)).count == lives.flatMap(\.streams).count)
  }
}
