// SPDX-License-Identifier: Apache-2.0
import LifetraceApp
import LifetraceLifecycle
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

  @Test(
    "A hang is borne; one that keeps a later transition waiting is not",
    arguments: [
      ("launch; tell: {pass: 25}; home; wait: 5s", [20.0]),
      ("launch; tell: {pass: 25}; wait: 9s; home; wait: 5s", []),
      ("launch; tell: {pass: 15}; home; wait: 5s", []),
      ("launch; tell: {pass: 45}; tell: {pass: 1}; home; wait: 5s", [30.0]),
      ("launch; tell: {pass: 25}; wait: 40s; home", []),
      ("launch; tell: {pass: 25}; crash", [10.0]),
    ]
  )
  func hang(steps: String, ends: [Double]) throws {
    let (lines, life) = try diary(steps)
    let exits = life.events(.processExit)
    #expect(exits.map { Double($0.time.rawValue) / 1e9 } == ends)
    if let code = exits.first.map({ Payload.ProcessExit($0).code }), !steps.hasSuffix("crash") {
      #expect(code == TerminationCode.watchdog)
    }
    // What is behind the end has not happened.
    #expect(lines.contains { $0.hasPrefix("resigns") } == (ends.isEmpty))
    let times = life.streams.map { $0.events.map(\.time) }
    #expect(times.allSatisfy { $0 == $0.sorted() })
    let end = exits.first?.time ?? HostTime(rawValue: .max)
    #expect(life.events(.callbackEnd).allSatisfy { $0.time <= end })
  }

  @Test("A change that has waited for the app may not keep its return waiting either")
  func queued() throws {
    let text = """
      app: slow
      steps: [{launch: {}}, {home: {}}, {suspend: {}}, {post: NSCurrentLocaleDidChange}, {open: {}}]
      """
    let life = try Simulator(Scenario(parsing: text, file: "q.yml")) { Slow() }.play()
    #expect(life.events(.processExit).map { Payload.ProcessExit($0).code } == [0x8bad_f00d])
  }

  private final class Slow: ApplicationDelegate {
    func application(
      _ application: Application,
      didFinishLaunchingWithOptions options: [Application.LaunchOptionsKey: Any]?
    ) -> Bool {
      application.notificationCenter.addObserver(forName: .currentLocaleDidChange) { _ in
        application.pass(seconds: 25)
      }
      return true
    }
  }
}
