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
  /// Rules that a limit moves, and that do not judge by it, each with the reason.
  private static let others: [String: [String: String]] = [:]

  /// A limit that is a thousand times as much, or as little, changes what is said of the stories of
  /// the rules that name it, and of no others.
  @Test(arguments: Threshold.all.map(\.name))
  func whoReadsALimitNamesIt(_ name: String) throws {
    let threshold = try #require(Threshold.all.first { $0.name == name })
    for folder in StoryGoldenTests.stories {
      let rule = try #require(folder.dropFirst("Traces/".count).split(separator: "-").first)
      let info = try #require(RuleTable.info(String(rule)))
      guard !info.thresholds.contains(name), Self.others[info.id]?[name] == nil else { continue }
      let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
      for factor in [0.001, 1000] {
        let before = outcomes(story, info.id) { _ in }
        let after = outcomes(story, info.id) { threshold.measure.scale(by: factor, in: &$0) }
        #expect(before == after, "\(folder): \(info.id) reads \(name)")
      }
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
