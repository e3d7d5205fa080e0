// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceLifecycle
import LifetraceRules
import LifetraceTrace
import Support
import Testing

/// What is looked up among many open spans is what is found by looking through them.
@Suite struct OpenSpansTests {
  /// What is said where that many are looked through.
  private func said(
    _ events: [Event],
    _ names: Names,
    lookingThrough count: Int
  ) -> (verdicts: [Verdict], held: [Int]) {
    var checker = Checker()
    checker.lookThrough(openSpans: count)
    let attributes = WriterAttributes(app: "notes")
    checker.begin(stream: StreamID(rawValue: 0), attributes: attributes, label: "notes#1")
    for event in events { checker.apply(event, names: names) }
    checker.finishStream(names: names)
    return (checker.finish(), checker.counts.map(\.held))
  }

  @Test(arguments: StoryGoldenTests.stories)
  func inEachStory(_ folder: String) throws {
    let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
    for writer in story.writers {
      let all = said(writer.events, story.names, lookingThrough: .max)
      for count in [0, 2] {
        let some = said(writer.events, story.names, lookingThrough: count)
        #expect(all.verdicts == some.verdicts)
        #expect(all.held == some.held)
      }
    }
  }
}
