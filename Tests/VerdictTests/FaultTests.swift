// SPDX-License-Identifier: Apache-2.0
import LifetraceRules
import LifetraceTesting
import Support
import Testing

/// One mistake is put into correct lives: its rule fires, and others only where they are named.
@Suite("Faults in correct lives")
@MainActor
struct FaultTests {
  @Test("It is found, and little else is said", arguments: AppFault.all.indices)
  func isFound(_ index: Int) throws {
    let fault = AppFault.all[index]
    var found = 0
    for seed in SeededRandom.seed..<(SeededRandom.seed + 400) where found < 5 {
      let life = RandomLife(seed: seed)
      let lived = try life.live { FaultyDelegate($0, fault) }
      let rules = Set(lived.accusations.map(\.rule))
      if rules.contains(fault.rule) { found += 1 }
      for other in rules where other != fault.rule && fault.others[other] == nil {
        let said = lived.accusations.filter { $0.rule == other }.map(\.description)
        Issue.record(
          "\(fault.rule), \(fault.words), seed \(seed): \(said.joined(separator: "; "))\n\(life.text)"
        )
      }
    }
    #expect(found == 5, "\(fault.rule), \(fault.words): found in \(found) lives of 400")
  }
}
