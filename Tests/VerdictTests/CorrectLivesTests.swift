// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetracePlatform
import LifetraceRules
import LifetraceTesting
import Support
import Testing

/// Random lives of apps without a mistake, over which every rule has to be silent.
///
/// LIFETRACE_TEST_LIVES says how many (200 by default), LIFETRACE_SEED from which on; a failure
/// names the seed. With LIFETRACE_OCCASIONS it prints in how many lives each rule had an occasion, and
/// where that is in their ``Surroundings`` alone it says so; each rule must have had at least one for each hundred
/// of them, those of ``LivedApp/besides`` counted too.
@Suite("Correct lives, at random")
@MainActor
struct CorrectLivesTests {
  private static let lives = environment("LIFETRACE_TEST_LIVES").flatMap { UInt64($0) } ?? 200

  /// One life of ``LivedApp/besides`` comes to so many others.
  private static let besides: UInt64 = 2

  @Test func nobodyIsAccused() throws {
    var (occasions, surrounded) = ([String: Int](), [String: Int]())
    let seeds = SeededRandom.seed..<(SeededRandom.seed + Self.lives)
    let lives =
      seeds.map { ($0, LivedApp.unspoilt) }
      + seeds.filter { $0 % Self.besides == 0 }.map { ($0, LivedApp.besides) }
    for (seed, apps) in lives {
      let life = RandomLife(seed: seed, among: apps)
      let lived = try life.live()
      let complaints =
        lived.accusations.map(\.description) + lived.blamedEnds
        + lived.report.failures.map { $0.text(file: lived.scenario.file) }
      guard complaints.isEmpty else {
        Issue.record("seed \(seed): \(complaints.joined(separator: "; "))\n\(life.text)")
        continue
      }
      for rule in Set(lived.checker.counts.filter { $0.held > 0 }.map(\.rule)) {
        occasions[rule, default: 0] += 1
      }
      // Where there is a warning of memory, which is rare, it is sampled how the app answers it.
      let others = Surroundings.allCases[Int(seed / 2) % Surroundings.allCases.count]
      let surroundings = life.text.contains("memory-warning") ? .samples : others
      var recording = Recording(lived)
      recording.add(surroundings)
      let checker = recording.checker(profile: Profile.named(life.profile) ?? .standard)
      let more = checker.findings.filter { $0.outcome == .violated && $0.severity > .info }
      guard more.isEmpty else {
        let said = more.map(\.description).joined(separator: "; ")
        Issue.record("seed \(seed), \(surroundings.rawValue): \(said)\n\(life.text)")
        continue
      }
      for count in Dictionary(grouping: checker.counts, by: \.rule)
      where surroundings.rules.contains(count.key) && count.value.contains(where: { $0.held > 0 }) {
        surrounded[count.key, default: 0] += 1
      }
    }
    // Without an occasion nothing was tried.
    #expect(occasions["DS02", default: 0] > 0)
    // Of a few lives one rule in a hundred has half as many by chance.
    let leastOften = Self.lives < 1000 ? 1 : Self.lives / 100
    for info in RuleTable.infos {
      let number = (Surroundings.of(info.id) == nil ? occasions : surrounded)[info.id, default: 0]
      #expect(
        number >= leastOften,
        "\(info.id) had an occasion in \(number) lives of \(lives.count), wanted: \(leastOften)"
      )
    }
    if environment("LIFETRACE_OCCASIONS") != nil {
      for info in RuleTable.infos {
        let surroundings = Surroundings.of(info.id)
        let number = (surroundings == nil ? occasions : surrounded)[info.id, default: 0]
        print("\(info.id)  \(number)\(surroundings.map { "  \($0.rawValue)" } ?? "")")
      }
    }
  }
}
