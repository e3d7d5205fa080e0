// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceReplay
import LifetraceTimeline
import Support
import Testing

@testable import LifetraceDebugger

/// What differs between two places.
@Suite struct PlacesDiffTests {
  private func said(_ session: Session, _ line: String) throws -> String {
    try session.say(line).joined(separator: "\n")
  }

  @Test("What came, went and changed is told, in the direction that was typed")
  func lost() throws {
    let session = LostDraft().session()
    let on = try said(session, "diff 6 15")
    #expect(on.hasPrefix("From #6 to #15, 9 events on:"), "\(on)")
    #expect(
      on.contains("~  state  active → suspended") || on.contains("active → suspended"),
      "\(on)"
    )
    #expect(on.contains("draft.txt"), "\(on)")
    #expect(
      on.contains("version 1 saved → version 2 unsaved, 1,204 bytes, version 1 saved"),
      "\(on)"
    )
    #expect(on.contains("+  queue") && on.contains("NSCurrentLocaleDidChange"), "\(on)")
    let back = try said(session, "diff 15 6")
    #expect(back.contains("9 events back"), "\(back)")
    #expect(back.contains("suspended → active") && back.contains("-  queue"), "\(back)")
    #expect(on.split(separator: "\n").count == back.split(separator: "\n").count)
    // The task came and went in between.
    #expect(!on.contains("upload"), "\(on)")
    #expect(try said(session, "diff 11 12").contains("Nothing differs") == false)
    #expect(try said(session, "diff 5 5").contains("Nothing differs"))
    #expect(session.player.here.ordinal == session.player.here.ordinal)
  }

  @Test("Nothing moves, and the history stays")
  func stays() throws {
    let session = LostDraft().session()
    for line in ["goto 3", "goto 9", "undo"] { _ = try said(session, line) }
    _ = try said(session, "diff 1 end")
    #expect(session.player.here.ordinal == 3)
    _ = try said(session, "redo")
    #expect(session.player.here.ordinal == 9)
  }

  @Test("Differences add up over all pairs of places, whatever lies between")
  func transitive() throws {
    let text = try #require(Golden.text("Traces/tour/recording.txt"))
    let player = Player(Timeline(try Story.parse(text).source))
    let session = Session(
      player: player,
      title: "tour",
      problems: [],
      settings: Settings(hasColor: false, isJSON: false)
    )
    let count = player.timeline.count
    for first in 0...count {
      for last in first...count {
        let answer = try said(session, "diff \(first) \(last)")
        #expect(answer.split(separator: "\n").count <= PlacesDiffCommand.linesMax + 2)
        if first == last { #expect(answer.contains("Nothing differs")) }
      }
    }
  }

  @Test("Wrong words are answered with what would do")
  func refusals() throws {
    let session = LostDraft().session()
    for (line, answer) in [
      ("diff", "takes a place"), ("diff nowhere", "is no place"), ("diff 1 99", "no event 99"),
      ("diff 1 2 nobody", "No writer is called nobody"), ("diff 1 2 3 4", "takes a place"),
    ] {
      do {
        Issue.record("\(line): \(try said(session, line))")
      } catch let error as CommandError {
        #expect(error.message.contains(answer), "\(line): \(error.message)")
      }
    }
  }
}
