// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceScenario
import LifetraceTesting
import NotesCore
import Support
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

private let lostEdit = Golden.root + "/Sources/Examples/Notes/lost-edit.yml"

private struct Refused: Error {}

/// Tests that pass although their lives break rules; they run only in a process that ``MarkedTests``
/// starts.
@Suite("Unasked on purpose", .enabled(if: getenv("LIFETRACE_FAIL") != nil))
@MainActor
struct RunsUnasked {
  private func play() throws -> SimulatedLife {
    let scratch = try TestFolder()
    var options = NotesDelegate.Options()
    options.directory = scratch.path
    return try Simulator.current { [options] in NotesDelegate(options: options) }.play()
  }

  @Test(.lifetrace(scenario: lostEdit))
  func doesNotAsk() throws { #expect(try play().report.failures.isEmpty) }

  @Test(.lifetrace(scenario: lostEdit))
  func asks() throws { #expect(try !play().violations.isEmpty) }
}

/// Tests that fail, each in its way; they run only in a process that ``FailingTestsTests`` starts.
@Suite("Fails on purpose", .enabled(if: getenv("LIFETRACE_FAIL") != nil))
@MainActor
struct FailsOnPurpose {
  private func play() throws -> SimulatedLife {
    let scratch = try TestFolder()
    var options = NotesDelegate.Options()
    options.directory = scratch.path
    return try Simulator.current { [options] in NotesDelegate(options: options) }.play()
  }

  @Test(.lifetrace(scenario: lostEdit))
  func expectation() throws {
    #expect(try play().violations.isEmpty)
  }

  @Test(.lifetrace(scenario: lostEdit))
  func throwing() throws {
    _ = try play()
    throw Refused()
  }

  @Test(.lifetrace(scenario: Golden.root + "/Tests/LifetraceTestingTests/Scenarios/wrong.yml"))
  func scenario() throws { _ = try play() }

  @Test(.lifetrace(scenario: Golden.root + "/Tests/LifetraceTestingTests/Scenarios/broken.yml"))
  func unreadable() throws { _ = try play() }

  @Test func traitless() throws { _ = try play() }

  @Test(.lifetrace(scenario: lostEdit))
  func known() throws {
    // A violation is found, and it is what the test is about: nothing failed, and nothing is kept.
    let life = try play()
    #expect(!life.violations.isEmpty)
    withKnownIssue { #expect(life.violations.isEmpty) }
  }
}

@Suite("A test that fails keeps its trace", .waits)
struct FailingTestsTests {
  @Test("A folder that is not there yet is made, with those above it")
  func makesTheFolder() throws {
    let scratch = try TestFolder()
    let folder = scratch.path + "/kept/of/today"
    let run = TestProgram.runTests(
      "--testing-library swift-testing --filter FailsOnPurpose/expectation",
      keepingIn: folder
    )
    let path = try #require(run.kept.first, "\(run.said)")
    #expect(path.hasPrefix(folder + "/"))
    _ = try TraceReader(path: path)
  }

  @Test("Where it cannot be made the trace is kept all the same, and it is said where")
  func saysWhereElse() throws {
    let scratch = try TestFolder()
    let folder = scratch.path + "/file/kept"
    close(open(scratch.path + "/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    let run = TestProgram.runTests(
      "--testing-library swift-testing --filter FailsOnPurpose/expectation",
      keepingIn: folder
    )
    let path = try #require(run.kept.first, "\(run.said)")
    defer { unlink(path) }
    _ = try TraceReader(path: path)
    #expect(run.said.contains("cannot keep traces in \(folder) (LIFETRACE_KEEP): "), "\(run.said)")
  }

  @Test(
    "Whatever it fails of, with the command that replays it",
    arguments: [("expectation", "failed"), ("throwing", "threw"), ("scenario", "failed")]
  )
  func keeps(_ test: String, outcome: String) throws {
    let scratch = try TestFolder()
    let run = TestProgram.runTests(
      "--testing-library swift-testing --filter FailsOnPurpose/\(test)",
      keepingIn: scratch.path
    )
    #expect(run.code != 0, "\(run.said)")
    let path = try #require(run.kept.first, "\(run.said)")
    #expect(run.kept.count == 1)
    #expect(path.hasPrefix(scratch.path + "/LifetraceTestingTests-\(test)-"))
    let reader = try TraceReader(path: path)
    var events: [Event] = []
    for stream in reader.streams {
      for chunk in stream.chunks { events += try reader.decode(chunk).events }
    }
    let end = try #require(events.first { $0.kind == .testEnd })
    #expect(reader.names[NameID(rawValue: UInt32(end[0]))] == outcome)
    #expect(events.contains { $0.kind == .testBegin && $0.identity == end.identity })
    #expect(events.contains { $0.kind == .dataDirty })
    // The command, as it was printed.
    let replay = TestProgram.shell(
      "'\(TestProgram.products)/lifetrace' replay \(path) -e dirty 2>&1"
    )
    #expect(replay.code == 0 && !replay.said.isEmpty, "\(replay.said)")
  }

  @Test("A test that succeeds keeps nothing")
  func keepsNothing() throws {
    let scratch = try TestFolder()
    let run = TestProgram.runTests(
      "--testing-library swift-testing --filter FailsOnPurpose/known",
      keepingIn: scratch.path
    )
    #expect(run.code == 0 && run.kept.isEmpty, "\(run.said)")
  }

  @Test("A step of the scenario that does not hold is told with its place")
  func scenario() throws {
    let scratch = try TestFolder()
    let run = TestProgram.runTests(
      "--testing-library swift-testing --filter FailsOnPurpose/scenario",
      keepingIn: scratch.path
    )
    #expect(
      run.said.contains("wrong.yml:6:5: expected state inactive, found active"),
      "\(run.said)"
    )
    #expect(run.said.contains("recorded an issue at FailingTests.swift:"), "\(run.said)")
  }

  @Test(
    "What is wrong with the test is told at its place, not at one of the library",
    arguments: [
      ("unreadable", "broken.yml:3:5: there is no step `launhc`"),
      ("traitless", "needs the trait .lifetrace(scenario:)"),
    ]
  )
  func places(_ test: String, message: String) throws {
    let scratch = try TestFolder()
    let run = TestProgram.runTests(
      "--testing-library swift-testing --filter FailsOnPurpose/\(test)",
      keepingIn: scratch.path
    )
    #expect(run.code != 0)
    #expect(run.said.contains(message), "\(run.said)")
    #expect(run.said.contains("recorded an issue at FailingTests.swift:"), "\(run.said)")
    #expect(!run.said.contains("Trait.swift:"), "\(run.said)")
  }

  @Test("Under XCTest too")
  func xctest() throws {
    let scratch = try TestFolder()
    let run = TestProgram.runTests("LifetraceXCTestTests.PlayedByXCTest", keepingIn: scratch.path)
    #expect(run.code != 0)
    #expect(run.said.contains("with 1 failure"), "\(run.said)")
    let path = try #require(run.kept.first, "\(run.said)")
    #expect(run.kept.count == 1)
    #expect(path.hasPrefix(scratch.path + "/LifetraceXCTestTests-PlayedByXCTest-testLosesEdit-"))
    #expect(try TraceReader(path: path).hasEnd)
  }
}
