// SPDX-License-Identifier: Apache-2.0
import BothSidesHere
import BothSidesThere
import LifetraceScenario
import LifetraceApp
import LifetraceTesting
import Testing

/// One source file with a delegate, compiled against LifetraceApp and against UIKit's declarations.
@Suite("The same delegate on both sides")
@MainActor
struct BothSidesTests {
  @Test("It hears the same, here from the simulator and there from what UIKit calls")
  func same() throws {
    let text = """
      app: shared
      profile: ios7
      steps:
      - launch
      - memory-warning
      - time-change
      - lock
      - wake: push
      - wake: fetch
      - wake: {reason: url-session, payload: x}
      - unlock
      - open-url: {url: "notes:today", from: com.example.mail}
      - terminate
      """
    let scenario = try Scenario(parsing: text, file: "shared.yml")
    let (delegate, heard) = Here.make()
    let life = try Simulator(scenario) { delegate }.play()
    #expect(life.report.failures.isEmpty)
    #expect(heard() == There.play())
    #expect(heard().count == 18)
  }
}
