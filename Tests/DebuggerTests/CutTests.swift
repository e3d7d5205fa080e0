// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceInterop
import LifetraceJudging
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile
import Support
import Testing

@testable import LifetraceDebugger

/// A part of a recording is a recording, exact from its start.
@Suite struct CutTests {
  private static func player(_ folder: String) throws -> Player {
    let text = try #require(Golden.text("\(folder)/story.txt"))
    return Player(Timeline(try Story.parse(text).source))
  }

  private static func opened(_ path: String) throws -> Player {
    let reader = try TraceReader(path: path)
    let damages = reader.problems.filter(\.isDamage)
    #expect(damages.isEmpty)
    return Player(Timeline(FileSource(reader)))
  }

  private static func session(_ player: Player) -> Session {
    let settings = Settings(hasColor: false, isJSON: false)
    return Session(player: player, title: "part", problems: [], settings: settings)
  }

  @Test("Of each violation of each story the part says the same", arguments: 0..<4)
  func verdicts(_ quarter: Int) throws {
    let judgement = Judgement()
    var (cuts, smaller) = (0, 0)
    for (number, story) in Golden.stories(with: "story.txt").enumerated()
    where number % 4 == quarter {
      let player = try Self.player(story)
      for finding in try player.findings(judgement).violations {
        let verdict = try player.verdict(of: finding, by: judgement)
        let folder = try TestFolder()
        let path = folder.file("part.lifetrace")
        let cut = try TraceCut.write(verdict, of: player, by: judgement, to: path) {
          unlink(path)
        }
        let part = try Self.opened(path)
        let told = try part.findings(judgement).violations.filter {
          $0.rule == finding.rule && $0.sequence == finding.sequence
        }.map { try part.verdict(of: $0, by: judgement).title.description }
        #expect(told.contains(verdict.title.description), "\(story): \(verdict.title)")
        #expect(part.timeline.count == cut.count)
        cuts += 1
        smaller += cut.count < player.timeline.count ? 1 : 0
      }
    }
    #expect(cuts > 10 && smaller * 2 > cuts, "\(smaller) of \(cuts) are smaller")
  }

  @Test("A span of any place has the events, their names and the states of the whole")
  func spans() throws {
    var random = SeededRandom(seed: 7)
    let text = try #require(Golden.text("Traces/tour/recording.txt"))
    let whole = Self.session(Player(Timeline(try Story.parse(text).source)))
    let count = whole.player.timeline.count
    for _ in 0..<60 {
      let first = Int.random(in: 0..<count, using: &random)
      let last = Int.random(in: first + 1...count, using: &random)
      let folder = try TestFolder()
      let path = folder.file("part.lifetrace")
      try TraceCut(of: whole.player, from: first, to: last).write(to: path)
      let part = Self.session(try Self.opened(path))
      #expect(part.player.timeline.count == last - first)
      for number in first + 1...last {
        try Self.compare(number, whole, number - first, part, "\(first)..<\(last)")
      }
    }
  }

  /// The event `number` of the whole is `numberInPart` of the part, and the states behind both agree.
  private static func compare(
    _ number: Int,
    _ whole: Session,
    _ numberInPart: Int,
    _ part: Session,
    _ span: String
  ) throws {
    let place = try #require(whole.player.timeline.place(ofEvent: number))
    let there = try #require(part.player.timeline.place(ofEvent: numberInPart))
    let (event, other) =
      (whole.player.timeline.event(at: place), part.player.timeline.event(at: there))
    #expect(event.sequence == other.sequence && event.kind == other.kind, "\(span) #\(number)")
    #expect(event.time == other.time)
    whole.player.seek(toEvent: number)
    part.player.seek(toEvent: numberInPart)
    let (state, same) =
      (whole.player.state(of: place.stream), part.player.state(of: there.stream))
    #expect(state.appState == same.appState && state.stateSince == same.stateSince)
    #expect(state.stateSequence == same.stateSequence)
    #expect(state.suspendedTotal == same.suspendedTotal)
    let things = try whole.things(of: state, place.stream).map { "\($0)" }.sorted()
    #expect(try things == part.things(of: same, there.stream).map { "\($0)" }.sorted(), "\(span)")
  }
}
