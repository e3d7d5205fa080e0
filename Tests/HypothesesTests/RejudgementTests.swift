// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp
import LifetraceExplore
import LifetraceJudging
import LifetraceLifecycle
import LifetracePlatform
import LifetraceRules
import LifetraceScenario
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

@testable import LifetraceHypotheses
@testable import LifetraceTesting

/// What is said of another profile is what happens under it, up to the first act: random lives are
/// judged by it, and then lived under it.
///
/// Twenty lives, or LIFETRACE_TEST_SCALE times as many (50 makes it 1,000); LIFETRACE_SEED is the first
/// seed, and a failure names its own.
@Suite @MainActor struct RejudgementTests {
  private static let lives = 20 * (environment("LIFETRACE_TEST_SCALE").flatMap { UInt64($0) } ?? 1)

  @Test("Lives under another profile are broken as was said, up to its first act")
  func lives() throws {
    var counts = (lives: 0, acts: 0, findings: 0, news: 0, gone: 0)
    for seed in SeededRandom.seed..<(SeededRandom.seed + Self.lives) {
      var random = SeededRandom(seed: seed)
      let one = Profile.all[random.below(Profile.all.count)]
      let other = Profile.all[random.below(Profile.all.count)]
      guard one.hasScenes == other.hasScenes || !one.hasScenes else { continue }
      let scenario = try Scenario(parsing: Self.life(&random), file: "seed-\(seed).yml")
      let recorded = try play(scenario, under: one)
      let lived = try play(scenario, under: other)
      let said = try Rejudgement(recorded, by: Judgement(), under: other)
      let before = { (finding: Finding) in
        !Rejudgement.isOfTheSystem(finding)
          && said.act.map { act in finding.time.map { $0 < act.time } ?? false } ?? true
      }
      let truth = try Findings(lived, by: Judgement()).violations.filter(before)
      let foretold = try Findings(recorded, by: Judgement(profile: other)).violations.filter(before)
      #expect(
        truth.map(Self.text) == foretold.map(Self.text),
        "seed \(seed): \(one.name) judged by \(other.name), up to \(String(describing: said.act))"
      )
      counts.lives += 1
      counts.acts += said.act == nil ? 0 : 1
      counts.findings += truth.count
      counts.news += said.news.count
      counts.gone += said.gone.count
    }
    print("seed \(SeededRandom.seed): \(counts)")
    #expect(counts.findings > counts.lives / 4 && counts.acts > 0, "\(counts)")
  }

  private static func text(_ finding: Finding) -> String {
    "\(finding.rule) \(finding.stream.rawValue):\(finding.sequence) \(finding.object)"
  }

  private func play(_ scenario: Scenario, under profile: Profile) throws -> Timeline {
    let makers = scenario.apps.map { app in
      VirtualWorld.Maker(
        configuration: .init(bundleIdentifier: app.name),
        delegate: { SlowApp() }
      )
    }
    var stage = VirtualStage(makers: makers, project: ProjectRules(profile: profile))
    let life = try stage.play(scenario)
    return Timeline(MemorySource(life.writers, names: life.names))
  }

  private static func life(_ random: inout SeededRandom) -> String {
    var steps = ["launch"]
    for _ in 0..<(3 + random.below(5)) {
      steps.append("tell: {enter: \"\(random.below(9))\"}")
      if random.once(in: 2) { steps.append("tell: {hold: \"\(10 * random.below(30))\"}") }
      if random.once(in: 2) { steps.append("tell: {edit: \"x\"}") }
      steps.append(random.once(in: 4) ? "lock" : "home")
      steps.append("wait: \(1 + random.below(300))s")
      steps.append(steps[steps.count - 2] == "lock" ? "unlock" : "open")
    }
    return "app: slow\nsteps:\n" + steps.map { "  - \($0)\n" }.joined()
  }
}

/// An app that takes its time on the way to the background, and holds a task there.
private final class SlowApp: ApplicationDelegate {
  private var (enters, holds) = (0.0, 0.0)

  func application(_ application: Application, told word: String, _ value: String) {
    switch word {
    case "enter": enters = Double(value) ?? 0
    case "hold": holds = Double(value) ?? 0
    default: Lifetrace.Object("draft").dirty(bytes: value.utf8.count)
    }
  }

  func applicationDidEnterBackground(_ application: Application) {
    if holds > 0 {
      let task = application.beginBackgroundTask(withName: "hold") {}
      WorkQueue.main.asyncAfter(seconds: holds) { application.endBackgroundTask(task) }
    }
    application.pass(seconds: enters)
    (enters, holds) = (0, 0)
  }
}
