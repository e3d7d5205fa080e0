// SPDX-License-Identifier: Apache-2.0
import LifetraceApp
import LifetraceJudging
import LifetraceRules
import LifetraceScenario
import LifetraceTesting
import LifetraceTrace
import ProbeCore
import Testing

/// Sockets on which an app listens while it sleeps, and URLs that nobody reads.
@Suite("What is left open over a suspension, seen without a word of the app")
@MainActor
struct ListeningTests {
  private func broken(_ rule: String, _ life: SimulatedLife) -> [Verdict] {
    life.verdicts.filter { $0.rule == rule && $0.outcome == .violated }
  }

  @Test(
    "A server that listens at the suspension is found, each time",
    arguments: [
      ("tell: {listen: here}; home; suspend", 1),
      ("tell: {listen: here}; home; suspend; open; home; suspend", 2),
      ("tell: {listen: here}; tell: {deafen: now}; home; suspend", 0),
      ("tell: {listen: here}; home; suspend; open; tell: {deafen: now}; home; suspend", 1),
      ("home; suspend", 0),
    ]
  )
  func server(steps: String, times: Int) throws {
    let text = "app: probe\nsteps:\n- launch\n- \(steps.replacing("; ", with: "\n- "))\n"
    let life = try Simulator(Scenario(parsing: text, file: "s.yml")) { ProbeDelegate() }.play()
    #expect(life.report.failures.isEmpty)
    let seen = life.events(.resourceAcquire).filter { $0.observer == .host }
    #expect(seen.count == times)
    #expect(broken("RS09", life).count == times)
  }

  private final class Linked: ApplicationDelegate, SceneDelegate {
    let reads: Bool
    var options: ConnectionOptions?
    init(reads: Bool) { self.reads = reads }
    var sceneDelegate: (any SceneDelegate)? { self }
    func sceneWillConnect(_ application: Application, options: ConnectionOptions) {
      self.options = options
    }
    // Later is soon enough.
    func sceneDidBecomeActive(_ application: Application) {
      if reads { application.say(options?.urlContexts.first?.url ?? "nothing") }
    }
  }

  @Test(
    "A URL that launches an app with scenes is read, or nobody opens it",
    arguments: [(true, true), (true, false), (false, false)]
  )
  func unread(hasURL: Bool, reads: Bool) throws {
    let launch = hasURL ? "launch: {url: \"notes://today?token=1\"}" : "launch"
    let text = "app: linked\nsteps: [\(hasURL ? "{\(launch)}" : launch), home, suspend]\n"
    var configuration = Application.Configuration(bundleIdentifier: "linked")
    configuration.scenes = true
    let life = try Simulator(
      Scenario(parsing: text, file: "u.yml"),
      configuration: configuration
    ) { Linked(reads: reads) }.play()
    let verdicts = broken("RS19", life)
    #expect(verdicts.count == (hasURL && !reads ? 1 : 0))
    #expect(verdicts.allSatisfy { "\($0.title)".contains("notes://today") })
    #expect(verdicts.allSatisfy { !"\($0.title)".contains("token") })
  }

  @Test(
    "A kill by the user throws the preserved state away, and that is said",
    arguments: ["yes", "no"]
  )
  func preserved(keeps: String) throws {
    let text =
      "app: probe\nsteps: [launch, {tell: {preserve: \(keeps)}}, home, suspend, kill, launch]\n"
    let life = try Simulator(Scenario(parsing: text, file: "k.yml")) { ProbeDelegate() }.play()
    let said = life.events(.log).filter { $0.observer == .host }
      .map { life.names[Payload.Log($0).text] }
    #expect(said.count { $0.contains("preserved") } == (keeps == "yes" ? 1 : 0))
  }
}
