// SPDX-License-Identifier: Apache-2.0
import LifetraceReports
import LifetraceRules
import LifetraceTrace
import Support
import Testing

/// The page of rules names words that apps are to use: rules and their stories use them too.
@Suite("Things that an app holds") struct HeldThingTests {
  @Test(arguments: HeldThing.all.indices)
  func theStoriesOfItsRulesUseIt(_ index: Int) {
    let thing = HeldThing.all[index]
    for rule in thing.rules { #expect(RuleTable.infos.contains { $0.id == rule }, "\(rule)") }
    let stories = Golden.stories(with: "story.txt").filter { path in
      thing.rules.contains { path.hasPrefix("Traces/\($0)-") }
    }
    let lines = stories.flatMap { (Golden.text($0 + "/story.txt") ?? "").split(separator: "\n") }
    let word = thing.attribute.isEmpty ? "" : "attribute=\(thing.attribute)"
    #expect(
      lines.contains { $0.contains("class=\(thing.kind)") && (word.isEmpty || $0.contains(word)) },
      "\(thing.kind) \(thing.attribute)"
    )
  }
}
