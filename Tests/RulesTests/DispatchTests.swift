// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceRules
import LifetraceTrace
import Testing

/// An event goes to the rules that want its kind, and to those that want it for what it is.
@Suite struct DispatchTests {
  /// A rule that wants all work sees that of kinds which only a later version knows, too.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func workOfAnyKindMayHang(_ kind: UInt64) throws {
    let counts = try judge("DL11", work: kind, thread: .main)
    #expect(counts == [1])
  }

  /// A rule that wants one kind of work sees no other.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func onlyComputationComputes(_ kind: UInt64) throws {
    let counts = try judge("MT03", work: kind, thread: .main)
    #expect(counts == [kind == UInt64(WorkKind.compute.rawValue) ? 1 : 0])
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func onlyTheInterfaceIsForMain(_ kind: UInt64) throws {
    let counts = try judge("MT04", work: kind, thread: ThreadID(rawValue: 7))
    #expect(counts == [kind == UInt64(WorkKind.ui.rawValue) ? 1 : 0])
  }

  /// How often a rule is broken by two seconds of work of an active app.
  private func judge(_ rule: String, work: UInt64, thread: ThreadID) throws -> [Int] {
    var checker = Checker(profile: .ios13, rules: try RuleSelection(rule))
    checker.begin(stream: StreamID(rawValue: 0), attributes: WriterAttributes(app: "notes"))
    let names = Names()
    var active = Event(.transition, at: HostTime(rawValue: 1), sequence: 0)
    active[0] = UInt64(AppState.inactive.rawValue)
    active[1] = UInt64(AppState.active.rawValue)
    active.argumentCount = 2
    var begin = Event(.workBegin, at: HostTime(rawValue: 2), identity: 5, sequence: 1)
    begin[0] = work
    begin.argumentCount = 1
    begin.thread = thread
    var end = Event(.workEnd, at: HostTime(rawValue: 2_000_000_002), identity: 5, sequence: 2)
    end.thread = thread
    for event in [active, begin, end] { checker.apply(event, names: names) }
    checker.finishStream(names: names)
    return checker.counts.map(\.violated)
  }
}
