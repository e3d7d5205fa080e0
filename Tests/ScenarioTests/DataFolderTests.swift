// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceScenario
import Support
import TestThreads
import Testing
import LifetraceTrace

/// Each run of a scenario begins with empty folders, unless it says otherwise.
@Suite("Data folders", .serialized, .waits)
struct DataFolderTests {
  private static let steps = """
    steps:
    - launch
    - tell: {save: A}
    - home
    - purge
    - relaunch
    - tell: {load: A}

    """

  private func found(_ played: Played) -> [UInt64] {
    played.events(.dataRestored).map { $0[0] }
  }

  @Test("What is saved outlives a purge, and not the run")
  func fresh() throws {
    let text =
      "apps: [probe, other]\n" + Self.steps + "- launch: other\n- tell: {app: other, load: A}\n"
    for _ in 0..<2 {
      let played = try Played(text)
      #expect(played.report.failures.isEmpty, "\(played.report.failures)")
      // The other app has a folder of its own.
      #expect(found(played) == [1, 0])
      #expect(access(played.session, F_OK) != 0)
      #expect(!played.events(.device).contains { played.name($0.identity) == DeviceNote.data })
    }
  }

  @Test("A run can keep what is there; then the recording says so")
  func keep() throws {
    let folder = try TestFolder()
    let tool = "\(TestProgram.products)/lifetrace"
    // Long enough for the save that the app defers, on a busy machine too.
    let life =
      "steps:\n- launch\n- tell: {edit: diary}\n- wait: 15s\n- home\n- purge\n- relaunch\n"
    let notes = "\(TestProgram.products)/notes"
    func record(_ text: String) throws -> TestProgram.Outcome {
      try folder.write("app: notes\ntime-scale: 0.1\n" + text + life, to: "life.yml")
      return TestProgram.shell(
        "cd \(folder.path) && \(tool) record -f --check --scenario life.yml -o t -- \(notes) 2>&1"
      )
    }
    #expect(try record("").code == 0)
    #expect(!folder.names.contains("draft.txt"))
    // The second run finds what the first has saved, and types the same once more.
    for _ in 0..<2 {
      let outcome = try record("data: keep\n")
      #expect(outcome.code == 0, "\(outcome.said)")
      #expect(folder.names.contains("draft.txt"))
    }
    let info = TestProgram.shell("cd \(folder.path) && \(tool) info t 2>&1").said
    #expect(info.contains("data: \(DeviceNote.keptData)"), "\(info)")
  }

  @Test("A disk is always new")
  func disk() {
    let problems = Scenario.problems(in: "data: keep\ndisk: 8MiB\nsteps: [launch]\n")
    #expect(
      problems.map(\.message) == [
        "`data: keep` and `disk` exclude each other: a disk is always new"
      ]
    )
    #expect(problems.map(\.place.line) == [1])
    #expect(Scenario.problems(in: "data: fresh\ndisk: 8MiB\nsteps: [launch]\n").isEmpty)
    #expect(Scenario.problems(in: "data: keep\nsteps: [launch]\n").isEmpty)
    #expect(Scenario.problems(in: "data: kept\nsteps: [launch]\n").count == 1)
  }

  @Test("What an app prints is not lost when it is purged")
  func printed() throws {
    let folder = try TestFolder()
    try folder.write(
      "app: probe\nsteps:\n- launch\n- tell: {print: here I am}\n- home\n- purge\n",
      to: "life.yml"
    )
    let products = TestProgram.products
    let outcome = TestProgram.shell(
      "cd \(folder.path) && \(products)/lifetrace record --scenario life.yml -o t -- \(products)/Probe 2>&1"
    )
    #expect(outcome.said.contains("here I am\n"), "\(outcome.said)")
  }
}
