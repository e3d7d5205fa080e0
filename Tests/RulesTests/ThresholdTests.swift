// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJudging
import LifetraceLifecycle
import LifetraceRules
import LifetraceScenario
import Support
import Testing

/// The limits that `lifetrace rules ID` shows of a rule are those by which it judges.
@Suite struct ThresholdTests {
  /// Limits that a rule does not name, all a thousand times as much or as little, change nothing of
  /// what it says of its own stories.
  @Test(arguments: StoryGoldenTests.stories)
  func whoReadsALimitNamesIt(_ folder: String) throws {
    let rule = try #require(folder.dropFirst("Traces/".count).split(separator: "-").first)
    let info = try #require(RuleTable.info(String(rule)))
    let others = Threshold.all.filter { !info.thresholds.contains($0.name) }
    let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
    let before = outcomes(story, info.id) { _ in }
    for factor in [0.001, 1000] {
      let after = outcomes(story, info.id) { profile in
        for threshold in others { threshold.measure.scale(by: factor, in: &profile) }
      }
      #expect(before == after, "\(info.id) reads a limit that it does not name")
    }
  }

  private func outcomes(
    _ story: Story,
    _ rule: String,
    _ change: (inout Profile) -> Void
  ) -> [String] {
    var profile = Profile.named(story.writers.first?.attributes.profile ?? "") ?? .standard
    change(&profile)
    let rules = try? RuleSelection(rule)
    return Judgement(profile: profile, rules: rules ?? .all).checker(of: story.source).finish()
      .map { "\($0.rule) \($0.outcome.word) \($0.severity)" }
  }
}

extension Threshold.Measure {
  /// Makes the limit so many times what it is.
  fileprivate func scale(by factor: Double, in profile: inout Profile) {
    func scaled(_ value: Int64) -> Int64 { Int64(max(1, min(Double(value) * factor, 9e18))) }
    switch self {
    case .time(let path):
      profile[keyPath: path].warn = scaled(profile[keyPath: path].warn)
      profile[keyPath: path].kill = scaled(profile[keyPath: path].kill)
    case .bytes(let path): profile[keyPath: path] = UInt64(scaled(Int64(profile[keyPath: path])))
    case .share(let path): profile[keyPath: path] *= factor
    case .count(let path): profile[keyPath: path] = Int(scaled(Int64(profile[keyPath: path])))
    }
  }
}
