// SPDX-License-Identifier: Apache-2.0
import LifetraceApp
import LifetraceScenario
import LifetraceTesting
import Testing
import LifetraceTrace

/// What virtual time makes of an app that is slow: it is ended when a process would be, and then is over.
@Suite("Slow apps in virtual time")
@MainActor
struct SlowLifeTests {
  @Test("An app that is killed in a call gets no further one")
  func killedInCall() throws {
    var configuration = Application.Configuration(bundleIdentifier: "diary")
    configuration.scenes = true
    let (lines, life) = try diary(
      "launch; wait: 5s",
      configuration: configuration,
      launchSeconds: 22,
      hasScene: true
    )
    #expect(lines == ["launched, inactive"])
    #expect(life.events(.processExit).map { $0.time.rawValue } == [20_000_000_000])
    #expect(life.events(.callbackBegin).count == 2)
  }
}
