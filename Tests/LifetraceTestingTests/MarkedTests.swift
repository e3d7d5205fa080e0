// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
import LifetraceTesting
import NotesCore
import Support
import Synchronization
import TestThreads
import Testing

private let arrived = Atomic(0)

/// Goes on once so many have arrived, counted over the whole run.
private func meet(_ count: Int) async {
  arrived.add(1, ordering: .relaxed)
  while arrived.load(ordering: .relaxed) < count { try? await Task.sleep(for: .milliseconds(1)) }
}

private func runEmitter(_ words: String, for environment: [String: String]) {
  let test = environment["LIFETRACE_TEST"] ?? ""
  let emitter = "\(TestProgram.products)/Emitter"
  _ = TestProgram.shell("LIFETRACE_TEST='\(test)' '\(emitter)' \(words)")
}

/// Tests that run at the same time; they run only in a process that ``MarkedTests`` starts.
@Suite("Side by side on purpose", .lifetrace, .enabled(if: getenv("LIFETRACE_FAIL") != nil))
struct RunsSideBySide {
  /// Its process belongs to it, although the other test is under way.
  @Test func starts() async {
    await meet(2)
    runEmitter("unsaved", for: MarkedTest.environment)
    await meet(4)
  }

  /// What it edits itself may be the other's as well.
  @Test func edits() async {
    await meet(2)
    Lifetrace.Object("shared.txt").dirty(bytes: 7)
    await meet(4)
  }
}

/// Alone: what is edited here is its own.
@Suite("Alone on purpose", .lifetrace, .serialized, .enabled(if: getenv("LIFETRACE_FAIL") != nil))
struct RunsAlone {
  @Test func editsAlone() { Lifetrace.Object("alone.txt").dirty(bytes: 7) }
  @Test func isClean() {}
}

@Suite("lifetrace test has a verdict for each test", .waits)
struct MarkedTests {
  private func run(_ filter: String, _ folder: TestFolder) -> TestProgram.Outcome {
    TestProgram.shell(
      """
      cd '\(folder.path)' && export LIFETRACE_FAIL=1 XDG_RUNTIME_DIR='\(folder.path)' && \
      '\(TestProgram.products)/lifetrace' test --keep kept -- '\(TestProgram.executable)' \
        \(filter) 2>&1
      """
    )
  }

  @Test("In parallel: by process, else all that were under way are named")
  func parallel() throws {
    let folder = try TestFolder()
    let run = run("--testing-library swift-testing --filter RunsSideBySide", folder)
    #expect(run.code == 1, "\(run.said)")
    let name = "LifetraceTestingTests.RunsSideBySide"
    #expect(
      run.said.contains("  broken   \(name) starts()\n      DS02 error: draft.txt"),
      "\(run.said)"
    )
    #expect(run.said.contains("  passed   \(name) edits()\n"), "\(run.said)")
    let several =
      "  unclear  several tests: \(name) edits(), \(name) starts()\n      DS02 error: shared.txt"
    #expect(run.said.contains(several), "\(run.said)")
  }

  @Test("One after the other: by the only one that is under way")
  func serial() throws {
    let folder = try TestFolder()
    let run = run("--testing-library swift-testing --filter RunsAlone", folder)
    #expect(run.code == 1, "\(run.said)")
    let name = "LifetraceTestingTests.RunsAlone"
    #expect(
      run.said.contains("  broken   \(name) editsAlone()\n      DS02 error: alone.txt"),
      "\(run.said)"
    )
    #expect(run.said.contains("  passed   \(name) isClean()\n"), "\(run.said)")
    #expect(run.said.contains("2 tests, 1 in which a rule was broken."), "\(run.said)")
  }

  @Test("Simulated tests stand in the same list, with the traces of those that failed")
  func simulated() throws {
    let folder = try TestFolder()
    let run = run(
      "--testing-library swift-testing --filter 'FailsOnPurpose/(expectation|known)'",
      folder
    )
    #expect(run.code != 0)
    let name = "LifetraceTestingTests.FailsOnPurpose"
    #expect(
      run.said.contains("  failed   \(name) expectation()\n      DS01 error: "),
      "\(run.said)"
    )
    #expect(run.said.contains("  passed   \(name) known()\n"), "\(run.said)")
    #expect(run.said.contains("      lifetrace replay kept/LifetraceTestingTests-expectation-"))
    #expect(run.said.contains("2 tests, 1 failed."), "\(run.said)")
  }

  @Test("A life that broke a rule is told where its test does not ask")
  func unasked() throws {
    let folder = try TestFolder()
    let run = run("--testing-library swift-testing --filter RunsUnasked", folder)
    let name = "LifetraceTestingTests.RunsUnasked"
    #expect(run.code == 0, "\(run.said)")
    #expect(
      run.said.contains("  passed   \(name) doesNotAsk(); its life broke DS01"),
      "\(run.said)"
    )
    #expect(run.said.contains("  passed   \(name) asks()\n"), "\(run.said)")
  }

  @Test("XCTest marks its tests too")
  func xctest() throws {
    let folder = try TestFolder()
    let run = run("LifetraceXCTestTests.PlayedByXCTest", folder)
    #expect(run.code != 0)
    let name = "LifetraceXCTestTests PlayedByXCTest"
    #expect(
      run.said.contains("  failed   \(name).testLosesEdit\n      DS01 error: "),
      "\(run.said)"
    )
    #expect(run.said.contains("  passed   \(name).testSurvivesPurge\n"), "\(run.said)")
  }
}
