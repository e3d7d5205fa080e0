// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJudging
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

@testable import LifetraceHypotheses

/// The least events of each story that breaks a rule: they break it too, none can be left out, the app
/// lives as the system lets it, and they are few.
@Suite struct MinimizationTests {
  static let stories = Golden.stories(with: "story.txt").filter { $0.contains("-broken") }
  /// People read as many at a glance.
  private static let few = 12

  /// Stories that take more, with as many as they need and the reason.
  private static let long: [String: (count: Int, why: String)] = [
    "Traces/PR02-broken-delayed": (16, "put off for an interruption, and again for the background"),
    "Traces/PR02-broken-halted": (18, "called off for the background, and again for a call"),
    "Traces/RS01-broken-periodic": (25, "a chain that has to run before each of two suspensions"),
    "Traces/RS22-broken-resumed-before": (14, "goes on at one return, and not at the next"),
    "Traces/RS20-broken": (42, "three chains, each of which has to run again and again"),
  ]

  /// What goes on by itself from one tick to the next is left with fewer of them: what began it is another one.
  private static let chain = "Traces/RS01-broken-periodic"

  @Test(arguments: stories)
  func isSmallLegalAndMinimal(_ folder: String) throws {
    let text = try #require(Golden.text("\(folder)/story.txt"))
    let story = try Story.parse(text)
    let timeline = Timeline(story.source)
    let judgement = Judgement()
    let own = String(folder.dropFirst("Traces/".count).prefix { $0 != "-" })
    let list = try Findings(timeline, by: judgement).violations
    let finding = try #require(list.first { $0.rule == own })
    let verdict = try #require(finding.kept)
    let chain = Player(timeline).causes(of: verdict)
    let small: Minimization
    do {
      small = try Minimization(
        of: finding,
        verdict,
        by: judgement,
        on: timeline,
        keeping: chain?.places ?? []
      )
    } catch .notAlone {
      Issue.record("\(folder): not alone")
      return
    }
    #expect(small.isMinimal)
    let most = Self.long[folder]?.count ?? Self.few
    #expect(small.events.count <= most, "\(folder): \(small.events.count) of \(small.countBefore)")
    // What they break by themselves.
    let source = MemorySource(small.writers, names: story.names)
    let found = try Findings(Timeline(source), by: judgement).violations
    let places = found.filter { $0.rule == own && $0.object == finding.object }.compactMap { part in
      let before = small.writers[..<Int(part.stream.rawValue)].reduce(0) { $0 + $1.events.count }
      let index = before + Int(part.sequence)
      return small.events.indices.contains(index) ? small.events[index] : nil
    }
    #expect(
      places.contains { $0.place.stream == finding.stream && $0.sequence == finding.sequence },
      "\(folder): not where it was"
    )
    if own != "ST01", !list.contains(where: { $0.rule == "ST01" }) {
      #expect(!found.contains { $0.rule == "ST01" }, "\(folder)")
    }
    // It has the cause that the whole has.
    if let cause = chain?.cause {
      let part = Player(Timeline(source))
      let partly = found.filter { $0.rule == own && $0.object == finding.object }
        .compactMap { $0.kept.flatMap { part.causes(of: $0)?.cause } }
        .map { place in
          let before = small.writers[..<Int(place.stream.rawValue)].reduce(0) {
            $0 + $1.events.count
          }
          return small.events[before + place.index].place
        }
      let isSame = folder != Self.chain
      #expect(partly.contains(cause) == isSame, "\(folder): \(cause), and partly \(partly)")
    }
    // The witnesses are there.
    let kept = Set(small.events.map { "\($0.place.stream.rawValue):\($0.sequence)" })
    for witness in verdict.witnesses where witness.label != Witness.open {
      #expect(kept.contains("\(witness.stream.rawValue):\(witness.sequence)"), "\(folder)")
    }
  }
}
