// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceRules
import LifetraceTimeline
import LifetraceTraceFile
import Support
import Testing

@testable import LifetraceJudging

/// A story is judged alike in memory, in a file and on a timeline, and so is what the host plays.
@Suite struct EqualVerdictsTests {
  static let stories =
    Golden.stories(with: "story.txt").map { $0 + "/story.txt" }
    + Golden.stories(with: "life.txt").map { $0 + "/life.txt" } + ["Traces/tour/recording.txt"]

  @Test(arguments: stories)
  func threeSourcesSayTheSame(_ file: String) throws {
    let folder = try TestFolder()
    let story = try Story.parse(try #require(Golden.text(file)))
    let path = "\(folder.path)/story.lifetrace"
    try story.write(to: try TraceWriter(path: path, options: .create))
    let recording = try JoinedTraces([try TraceReader(path: path)])

    let memory = Judgement().checker(of: story.source)
    #expect(Self.said(Judgement().checker(of: recording)) == Self.said(memory))
    #expect(Self.said(Judgement().checker(of: Timeline(story.source))) == Self.said(memory))
    let timeline = Timeline(FileSource(try TraceReader(path: path)))
    #expect(Self.said(Judgement().checker(of: timeline)) == Self.said(memory))
    #expect(recording.problems(of: 0).allSatisfy { $0.kind == .gap })

    // The prompt has a finding for each verdict of `check`, and the same words.
    let findings = try Findings(timeline, by: Judgement())
    let kept = findings.violations.compactMap(\.kept) + findings.undecidable.compactMap(\.kept)
    #expect(
      Set(kept)
        == Set(memory.finish().filter { $0.outcome != .held && $0.outcome != .vacuous })
    )
  }

  /// All that a checker has to say, in its order.
  static func said(_ checker: Checker) -> [String] {
    checker.finish().map { "\($0)" } + checker.counts.map { "\($0)" } + ["\(checker.lost) lost"]
      + checker.appsWithoutData + checker.timeScales.lines
  }
}
