// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceScenario
import Support
import TestThreads
import Testing

@Suite("What scenarios expect of a recording", .serialized, .waits)
struct ExpectationTests {
  private static func life(expecting expectations: [String]) -> String {
    let head = """
      app: notes
      steps:
      - launch
      - tell: {edit: "Dear diary"}
      - home
      - purge

      """
    return head + expectations.map { "- expect: \($0)\n" }.joined()
  }

  /// What `lifetrace record --scenario` prints, and its exit code.
  private static func record(_ text: String, fixed: Bool) throws -> TestProgram.Outcome {
    let folder = try TestFolder()
    try folder.write(text, to: "life.yml")
    let option = fixed ? "--fixed" : ""
    let line = """
      cd \(folder.path) && \(TestProgram.products)/lifetrace record --scenario life.yml -o run.lifetrace \
      -- \(TestProgram.products)/notes \(option) --directory . 2>&1
      """
    return TestProgram.shell(line)
  }

  @Test("A violation that was not expected fails the recording, with its place")
  func unexpected() throws {
    let run = try Self.record(Self.life(expecting: ["no violations"]), fixed: false)
    #expect(run.code == 1, "\(run.said)")
    #expect(run.said.contains("life.yml:7:3: expected no violations, found"), "\(run.said)")
    #expect(run.said.contains("DS02 in notes#1"), "\(run.said)")
  }

  @Test("A violation that was expected is fine, and so is an app that breaks nothing")
  func expected() throws {
    let broken = try Self.record(Self.life(expecting: ["violation DS02"]), fixed: false)
    #expect(broken.code == 0, "\(broken.said)")
    let fixed = try Self.record(Self.life(expecting: ["no violations"]), fixed: true)
    #expect(fixed.code == 0, "\(fixed.said)")
  }

  @Test("A violation that does not come fails the recording")
  func missing() throws {
    let run = try Self.record(
      Self.life(expecting: ["no violations", "violation DS02"]),
      fixed: true
    )
    #expect(run.code == 1, "\(run.said)")
    #expect(
      run.said.contains("life.yml:8:3: expected a violation of DS02, found none"),
      "\(run.said)"
    )
  }

  @Test("A rule that does not exist is refused where it stands")
  func unknownRule() {
    let text = "steps:\n- launch\n- expect: violation DS2\n"
    let problem = #expect(throws: ScenarioProblem.self) {
      try Scenario(parsing: text, file: "x.yml")
    }
    #expect(problem?.place == ScenarioPlace(line: 3, column: 11))
    #expect(problem?.advice == "did you mean DS02?")
  }
}
