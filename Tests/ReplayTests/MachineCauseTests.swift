// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJudging
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceWords
import Support
import Testing

/// Stories over several processes and machines, as real ones have played them once: `why` ends at the
/// event that a reader named before it could.
///
/// A story names the rule that finds something, and the cause: `# why: DS02`, `# cause: notes#1:23
/// wake.completion`. Its cast plays it anew in `MachineStoryTests`.
@Suite struct MachineCauseTests {
  static let stories = Golden.stories(with: "cast.sh")

  @Test(arguments: stories)
  func theNamedCauseIsFound(_ folder: String) throws {
    let text = try #require(Golden.text("\(folder)/recording.txt"))
    func said(_ key: String) throws -> String {
      let line = text.split(separator: "\n").first { $0.hasPrefix("# \(key): ") }
      return String(try #require(line).dropFirst("# \(key): ".count))
    }
    let source = try Story.parse(text).source
    let player = Player(Timeline(source))
    let verdict = try #require(
      Judgement(rules: try RuleSelection(try said("why"))).checker(of: source).finish()
        .first { $0.outcome == .violated }
    )
    let cause = try #require(player.causes(of: verdict)).cause
    let kind = EventText.kind(player.timeline.event(at: cause).kind, player.names)
    let found = "\(player.name(of: cause)) \(kind)"
    let named = try said("cause")
    #expect(found == named, "\(folder)")
  }

  @Test func thereAreEight() { #expect(Self.stories.count == 8) }
}
