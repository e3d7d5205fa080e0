// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import Support
import Testing

@testable import LifetraceJudging

/// Of the threads that main may have waited for, what each was in the middle of is told first.
@Suite struct OtherThreadsTests {
  private static let story = """
    app notes#1 pid=12 profile=ios13
    +0s      notes#1 main process.start reason=icon app=notes
    +0.01s   notes#1 main state.transition from=not-running to=inactive by=host
    +1s      notes#1 t9   wait.begin queue id=8 @Notes/Player.swift:9
    +2s      notes#1 t7   work.begin refresh id=3 kind=file @Notes/Feed.swift:18
    +2.1s    notes#1 t7   work.begin parse id=4 kind=file @Notes/Feed.swift:20
    +2.2s    notes#1 t7   work.begin fetch id=5 kind=network @Notes/Feed.swift:24
    +3.01s   notes#1 main state.transition from=inactive to=background by=host
    +3.011s  notes#1 main callback.begin applicationDidEnterBackground: id=9 @Notes/AppDelegate.swift:36
    +13.02s  notes#1 main process.exit cause=watchdog code=0x8badf00d main="asleep in futex" by=host

    """

  @Test func theInnermostOfEachWorkBeforeWaits() throws {
    let source = try Story.parse(Self.story).source
    let verdicts = Judgement().checker(of: source).finish()
    let verdict = try #require(verdicts.first { $0.rule == "DL02" && $0.outcome == .violated })
    let said = try #require(verdict.details.map { "\($0)" }.first { $0.contains("other threads") })
    #expect(
      said
        == "Open on other threads by then: work \"fetch\" at Notes/Feed.swift:24, begun 10.8 s before "
        + "(notes#1:5), inside of work \"refresh\" at Notes/Feed.swift:18, begun 11 s before (notes#1:3), the "
        + "only one that was not waiting; a wait \"queue\" at Notes/Player.swift:9, begun 12 s before "
        + "(notes#1:2)."
    )
  }
}
