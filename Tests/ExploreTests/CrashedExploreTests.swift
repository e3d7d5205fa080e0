// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceTesting
import Support
import TestThreads
import Testing

/// A crash of the app ends the process that explores it, and is told before.
@Suite(.waits) struct CrashedExploreTests {
  @Test("A crash at a launch is told with the point that it comes from")
  func crash() {
    let run = TestProgram.runAlone("CrashingAlone/crash")
    #expect(run.code != 0 && run.code != TestProgram.allWell, "\(run)")
    #expect(
      run.said.contains("the app crashes in the play that purge ends right behind index is away ("),
      "\(run)"
    )
    #expect(
      run.said.contains("To play that alone: `launch: {ends: purge, after: "),
      "\(run)"
    )
  }
}

/// What ends the process in which it is tried.
@Suite(.enabled(if: TestProgram.isAlone))
@MainActor
struct CrashingAlone {
  @Test func crash() throws {
    let text = "app: planted\nsteps:\n- launch\n- tell: {tidy: up}\n- home\n"
    _ = try explore(try Scenario(parsing: text, file: "crash.yml")) { CrashingApp() }
  }
}
