// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceRules
import LifetraceTrace
import Support
import Testing

@testable import LifetraceReports

/// One mistake, one error: what other rules say of it stands under the one that says it best.
@Suite struct StandingTests {
  private func facts(_ text: String) throws -> CheckFacts {
    StoryCheck.facts(try Story.parse(text), named: "x")
  }

  /// The rules that stand for themselves, each with those under it: `DS06: DL02`.
  private func told(_ facts: CheckFacts) -> [String] {
    facts.verdicts.filter { $0.outcome == .violated && facts.standing.head(of: $0) == nil }.map {
      ([$0.rule + ":"] + facts.standing.notes(under: $0).map(\.rule)).joined(separator: " ")
    }
  }

  @Test(arguments: [
    ("DS06-broken", "DS06: DL02"), ("DS03-broken", "DS03: DS01"), ("DL05-broken", "DL05: DL06"),
    ("DS10-broken", "DS10: DS12"),
    ("BT01-broken-overwritten", "BT03: BT01 DL05 DL06"),
  ])
  func theStoryOf(_ name: String, isTold expected: String) throws {
    let text = try #require(Golden.text("Traces/\(name)/story.txt"))
    let facts = try facts(text)
    #expect(told(facts).contains(expected), "\(told(facts))")
    let heads = facts.verdicts.count {
      $0.outcome == .violated && $0.severity == .error && facts.standing.head(of: $0) == nil
    }
    #expect(heads == 1)
    #expect(facts.violations(.error) == heads, "\(facts.text())")
  }

  /// What another object, another task or another call has done is another mistake.
  @Test func eachThingIsAMistakeOfItsOwn() throws {
    let text = try #require(Golden.text("Traces/DS03-broken/story.txt"))
    let two = text.split(separator: "\n").flatMap { line in
      line.contains("data.dirty")
        ? [line, Substring(line.replacing("draft.txt", with: "title.txt"))] : [line]
    }
    let other = try facts(two.joined(separator: "\n") + "\n")
    #expect(told(other) == ["DS01:", "DS03: DS01"])
    #expect(other.violations(.error) == 2)
  }

  /// A save of an older version does not keep the edit behind it: that is unsaved whatever becomes of it.
  @Test func anEditBehindTheSaveIsAnother() throws {
    let text = try #require(Golden.text("Traces/DS03-broken/story.txt"))
    let newer = text.replacing(
      "+3.02s   notes#1 main state.suspend",
      with: "+3.015s  notes#1 main data.dirty draft.txt version=2 bytes=1300\n"
        + "+3.02s   notes#1 main state.suspend"
    )
    #expect(told(try facts(newer)) == ["DS01:", "DS03:"])
  }

  /// An answer that comes too late finds nobody who listens: that it is not received is the same mistake.
  @Test func anAnswerThatNobodyWaitsFor() throws {
    let text = try #require(Golden.text("Traces/MS02-broken-unheard/story.txt"))
    let alive = text.replacing(
      "+3.2s    notes#1 main process.exit cause=user by=host\n",
      with: ""
    )
    let facts = try facts(
      alive + "+20s notes#1 main log text=later level=info\n"
        + "+21s notes#1 main process.exit cause=user by=host\n"
        + "+30s server#1 t2 log text=later level=info\n"
    )
    #expect(told(facts).contains("MS02: MS03"), "\(told(facts))")
  }

  /// Of two that are about one thing the graver is the one that counts.
  @Test func theGraverStandsForItself() throws {
    let text = try #require(Golden.text("Traces/DS10-broken/story.txt"))
    let facts = try facts(text)
    var verdicts = facts.verdicts
    let weak = try #require(verdicts.firstIndex { $0.rule == "DS10" })
    verdicts[weak].severity = .warning
    let standing = Standing(of: verdicts, by: RuleTable.infos)
    #expect(standing.head(of: verdicts[weak])?.rule == "DS12")
    #expect(standing.notes.map(\.rule) == ["DS10"])
  }

  /// The relation leads to a rule that stands for itself, and names rules that there are.
  @Test func noRuleStandsUnderItself() {
    let under = Dictionary(
      uniqueKeysWithValues: RuleTable.infos.map { ($0.id, $0.under?.rules ?? []) }
    )
    for rule in under.keys.sorted() {
      var above = Set(under[rule] ?? [])
      for _ in under { above.formUnion(above.flatMap { under[$0] ?? [] }) }
      #expect(!above.contains(rule), "\(rule)")
      #expect(above.allSatisfy { under[$0] != nil }, "\(rule)")
    }
  }
}
