// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp
import LifetraceRules
import LifetraceScenario
import LifetraceTesting
import Testing

/// A queue whose work can wait: what it does while the app is inactive, and what is said of it.
@Suite("Queues that can wait")
@MainActor
struct WaitingQueueTests {
  private static let steps = """
    [launch, {tell: {make: a}}, {wait: 1s}, {interrupt: begin}, {tell: {make: b}}, {wait: 1s}, \
    {interrupt: end}, {wait: 1s}, {expect: said made b}]
    """

  private func play(suspends: Bool) throws -> SimulatedLife {
    let scenario = try Scenario(
      parsing: "app: thumbnails\nsteps: \(Self.steps)\n",
      file: "thumbnails.yml"
    )
    return try Simulator(scenario) { Thumbnails(suspends: suspends) }.play()
  }

  @Test func itemsWaitUntilItIsResumed() throws {
    let life = try play(suspends: true)
    #expect(life.report.failures.isEmpty, "\(life.report.failures)")
    #expect(!life.verdicts.contains { $0.outcome == .violated }, "\(life.verdicts)")
  }

  @Test func oneThatGoesOnIsTold() throws {
    let life = try play(suspends: false)
    #expect(life.violations(atLeast: .warning).map(\.rule) == ["RS17"], "\(life.verdicts)")
    #expect(life.violations.isEmpty)
  }

  @Test("What an app is to say within a time is waited for", arguments: ["a", "z"])
  func saysWithin(word: String) throws {
    let scenario = try Scenario(
      parsing: """
        app: thumbnails
        steps: [launch, {tell: {make: a}}, {expect: said made \(word) within 1s}]

        """,
      file: "thumbnails.yml"
    )
    let life = try Simulator(scenario) { Thumbnails(suspends: true) }.play()
    let failures = life.report.failures.map { $0.text(file: "thumbnails.yml") }
    #expect(failures.isEmpty == (word == "a"), "\(failures)")
    #expect(failures.allSatisfy { $0.contains("has not said `made z`") }, "\(failures)")
  }
}

/// Makes thumbnails on a queue, which it lets rest while it is inactive, or not.
@MainActor
private final class Thumbnails: ApplicationDelegate {
  private let suspends: Bool
  private let queue = WorkQueue(label: "thumbnails", isCritical: false)

  init(suspends: Bool) { self.suspends = suspends }

  func application(_ application: Application, told word: String, _ value: String) {
    queue.async { application.say("made \(value)") }
  }

  func applicationDidBecomeActive(_ application: Application) { queue.resume() }

  func applicationWillResignActive(_ application: Application) {
    if suspends { queue.suspend() }
  }
}
