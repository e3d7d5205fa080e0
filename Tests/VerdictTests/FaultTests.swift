// SPDX-License-Identifier: Apache-2.0
import LifetraceRules
import LifetraceLifecycle
import LifetraceTesting
import Support
import Testing

/// One mistake is put into correct lives: its rule fires, and others only where they are named.
@Suite("Faults in correct lives")
@MainActor
struct FaultTests {
  /// How many lives a fault is looked for in, and in how many it has to be found.
  private static let (lives, wanted) = (UInt64(1000), 5)

  @Test("What an app does wrong is found, and little else is said", arguments: AppFault.all.indices)
  func ofApps(_ index: Int) throws {
    let fault = AppFault.all[index]
    try look(for: fault.rule, fault.words, fault.others, among: fault.lives) { life in
      var isFirst = true
      return try life.live(modes: fault.modes) {
        defer { isFirst = false }
        return FaultyDelegate($0, fault, isFirst: isFirst)
      }
      .complaints
    }
  }

  @Test("And what the system or the recording does", arguments: RecordingFault.all.indices)
  func ofRecordings(_ index: Int) throws {
    let fault = RecordingFault.all[index]
    try look(for: fault.rule, fault.words, fault.others) { life in
      var recording = Recording(try life.live())
      guard fault.change(&recording) else { return [] }
      return recording.complaints(profile: Profile.named(life.profile) ?? .standard)
    }
  }

  @Test func everyRuleHasItsFault() {
    let rules = Set(AppFault.all.map(\.rule) + RecordingFault.all.map(\.rule))
    for info in RuleTable.infos { #expect(rules.contains(info.id), "no fault for \(info.id)") }
  }

  @Test func everyOtherRuleIsNamedWithItsReason() {
    let faults =
      AppFault.all.map { ($0.rule, $0.others, $0.whyMore) }
      + RecordingFault.all.map { ($0.rule, $0.others, $0.whyMore) }
    for (rule, others, whyMore) in faults {
      #expect(whyMore.isEmpty == (others.count <= 2), "\(rule)")
      #expect(others.values.allSatisfy { !$0.isEmpty }, "\(rule)")
    }
  }

  private func look(
    for rule: String,
    _ words: String,
    _ others: [String: String],
    among apps: [LivedApp] = LivedApp.all,
    in live: (RandomLife) throws -> [Verdict]
  ) throws {
    var found = 0
    for seed in SeededRandom.seed..<(SeededRandom.seed + Self.lives) where found < Self.wanted {
      let life = RandomLife(seed: seed, among: apps)
      let accusations = try live(life)
      if accusations.contains(where: { $0.rule == rule }) { found += 1 }
      let unasked = accusations.filter {
        $0.severity > .info && $0.rule != rule && others[$0.rule] == nil
      }
      guard !unasked.isEmpty else { continue }
      let said = unasked.map(\.description).joined(separator: "; ")
      Issue.record("\(rule), \(words), seed \(seed): \(said)\n\(life.text)")
    }
    #expect(found == Self.wanted, "\(rule), \(words): found in \(found) lives of \(Self.lives)")
  }
}
