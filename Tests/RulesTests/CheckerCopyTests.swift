// SPDX-License-Identifier: Apache-2.0
import LifetraceRules
import LifetraceTrace
import Testing

/// A checker is a value, though its copies share memory until one of them goes on.
@Suite struct CheckerCopyTests {
  @Test func aCopyKnowsNothingOfWhatComesLater() throws {
    var checker = Checker(profile: .ios13, rules: try RuleSelection("MT04,DL11"))
    checker.begin(stream: StreamID(rawValue: 0), attributes: WriterAttributes(app: "notes"))
    let names = Names()
    var work = Event(.workBegin, at: HostTime(rawValue: 1), identity: 5, sequence: 0)
    work[0] = UInt64(WorkKind.ui.rawValue)
    work.argumentCount = 1
    work.thread = ThreadID(rawValue: 7)
    var copy = checker
    checker.apply(work, names: names)
    #expect(checker.state.spans.count == 1)
    #expect(copy.state.spans.isEmpty)
    #expect(broken(checker) == 1)
    #expect(broken(copy) == 0)
    copy.apply(work, names: names)
    work.sequence = 1
    copy.apply(work, names: names)
    #expect(broken(checker) == 1)
    #expect(broken(copy) == 2)
    copy.finishStream(names: names)
    checker.finishStream(names: names)
    #expect(broken(checker) == 1)
  }

  private func broken(_ checker: Checker) -> Int {
    checker.counts.reduce(0) { $0 + $1.violated }
  }
}
