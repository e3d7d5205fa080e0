// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJudging
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// The time of a hang or of a slow launch, decomposed.
@Suite struct BreakdownTests {
  /// Rules whose findings are about main that was busy, or a launch that was slow.
  private static let busy: Set<String> = [
    "DL01", "DL02", "DL03", "DL04", "DL08", "DL11", "MT01", "MT02", "MT03", "MT05", "MT09",
  ]

  @Test("In all stories the parts and what is not accounted for add up to the whole")
  func partsAddUp() throws {
    var seen: [String: Int] = [:]
    for folder in Golden.stories(with: "story.txt") {
      let text = try #require(Golden.text("\(folder)/story.txt"))
      let source = try Story.parse(text).source
      let player = Player(Timeline(source))
      for verdict in Judgement().checker(of: source).finish() where verdict.outcome == .violated {
        guard let time = player.breakdown(of: verdict) else { continue }
        let parts = time.parts.reduce(0) { $0 + $1.length }
        #expect(parts + time.unaccounted == time.length, "\(folder): \(verdict.title)")
        #expect(time.unaccounted >= 0, "\(folder)")
        #expect(time.parts.allSatisfy { $0.length > 0 }, "\(folder)")
        seen[verdict.rule, default: 0] += 1
      }
    }
    #expect(seen.keys.filter(Self.busy.contains).count >= 7, "\(seen)")
  }

  @Test("Waits, work, callbacks, suspensions and what is not recorded are told apart")
  func partsAreToldApart() throws {
    let time = try breakdown(
      """
      app notes#1 pid=12 profile=ios13
      +0s     notes#1 main process.start reason=icon app=notes
      +0.01s  notes#1 main state.transition from=not-running to=inactive by=host
      +0.06s  notes#1 main state.transition from=inactive to=active by=host
      +1s     notes#1 main turn.begin id=3
      +1.1s   notes#1 main callback.begin refresh id=4 @Notes/List.swift:10
      +1.2s   notes#1 main work.begin decode kind=compute id=5 @Notes/List.swift:20
      +1.5s   notes#1 t7   work.begin decode kind=compute id=6 @Notes/List.swift:20
      +1.7s   notes#1 main work.end id=5
      +1.8s   notes#1 main wait.begin rows id=7 on=rows @Notes/List.swift:30
      +2.8s   notes#1 main wait.end id=7
      +2.9s   notes#1 main callback.end id=4 cpu=600ms
      +3s     notes#1 main turn.end id=3
      """
    )
    #expect(time.length == 2_000_000_000)
    #expect(time.parts.map(\.length) == [1_000_000_000, 500_000_000, 300_000_000])
    #expect(time.parts.map(\.sequence) == [8, 5, 4])
    #expect(time.unaccounted == 200_000_000)
  }

  @Test("Processor time says how much of a callback was sleep")
  func processorTime() throws {
    let story = """
      app notes#1 pid=12 profile=ios13
      +0s     notes#1 main process.start reason=icon app=notes
      +0.01s  notes#1 main state.transition from=not-running to=inactive by=host
      +3s     notes#1 main state.transition from=inactive to=background by=host
      +3.1s   notes#1 main callback.begin applicationDidEnterBackground: id=4 @Notes/App.swift:36
      +9.1s   notes#1 main callback.end id=4 cpu=600ms
      """
    #expect(try breakdown(story).cpu == 600_000_000)
    let source = try Story.parse(story).source
    let player = Player(Timeline(source))
    let verdict = try #require(
      Judgement().checker(of: source).finish().first {
        $0.rule == "DL02" && $0.outcome == .violated
      }
    )
    let time = try #require(player.breakdown(of: verdict))
    let sentence = player.sentence(time, of: verdict).map { "\($0)" } ?? ""
    #expect(sentence.hasSuffix("It computed for 600 ms, and slept for 5.4 s."), "\(sentence)")
  }

  private func breakdown(_ text: String) throws -> TimeBreakdown {
    let source = try Story.parse(text).source
    let player = Player(Timeline(source))
    let found = Judgement().checker(of: source).finish().filter { $0.outcome == .violated }
    return try #require(found.compactMap(player.breakdown(of:)).first)
  }
}
