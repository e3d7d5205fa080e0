// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceReports
import LifetraceRules
import Support
import Testing
import LifetraceTrace

/// Whatever stands in a trace, the checker answers, and its answers stay bounded.
@Suite struct RandomStreamTests {
  @Test(arguments: 0..<12)
  func nothingMakesItCrash(_ round: UInt64) {
    let seed = SeededRandom.seed &* 31 &+ round
    var source = StrangeEvents(seed: seed)
    let events = source.next(4000)
    var checker = Checker()
    var attributes = WriterAttributes(app: "notes", role: round % 4 == 3 ? .daemon : .app)
    attributes.evidence = [.simulated, .sampled, .log][Int(round % 3)]
    attributes.timeScale = [1000, 0, 10, .max][Int(round % 4)]
    checker.begin(stream: StreamID(rawValue: 0), attributes: attributes, label: "notes#1")
    for event in events { checker.apply(event, names: source.names) }
    checker.finishStream(names: source.names)
    let verdicts = checker.finish()
    #expect(verdicts.count <= RuleTable.infos.count * 202, "seed \(seed)")
    let report = CheckFacts(checker, named: "a b", writers: [.init("notes#1")])
    #expect(!report.text().isEmpty)
    #expect(report.jsonLines.split(separator: "\n").count == verdicts.count + 1)
  }

  @Test func aMillionViolationsAreCountedAndAHundredKept() throws {
    var names = Names()
    let site = names.intern(Site(name: names.intern("late")))
    var checker = Checker(profile: .ios13, rules: try RuleSelection("BT02"))
    checker.begin(stream: StreamID(rawValue: 0), attributes: WriterAttributes(app: "notes"))
    checker.apply(Event(.processStart, at: HostTime(rawValue: 0)), names: names)
    for number in 1...1_000_000 {
      let event = Event(
        .taskEnd,
        at: HostTime(rawValue: Int64(number)),
        site: site,
        identity: 7,
        sequence: UInt64(number)
      )
      checker.apply(event, names: names)
    }
    checker.finishStream(names: names)
    #expect(checker.finish().count == 100)
    #expect(checker.counts.first?.violated == 1_000_000)
  }

  @Test(arguments: ["", "XX", "DS01,,nope", "-", "DL1", "-DL1", "D"])
  func aListOfUnknownRulesIsAnError(_ list: String) {
    if list.isEmpty {
      #expect(throws: Never.self) { try RuleSelection(list) }
    } else {
      #expect(throws: RuleSelectionError.self) { try RuleSelection(list) }
    }
  }

  @Test func familiesAndExceptionsAreSelected() throws {
    let data = try RuleSelection("ds,-DS03")
    #expect(data.contains("DS01"))
    #expect(!data.contains("DS03"))
    #expect(!data.contains("ST01"))
    #expect(try RuleSelection("-ST").contains("DS01"))
    // An id is matched whole: the error of a word that begins several is above.
    let others = try RuleSelection("-DL01")
    #expect(!others.contains("DL01") && others.contains("DL11") && others.contains("DL14"))
  }
}
