// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJSON
import LifetraceJudging
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import Testing

@testable import LifetraceDebugger

/// `lossmap`: when an end would have lost what.
@Suite struct LossMapTests {
  @Test func eachStretchOfUnsavedDataIsDrawnAndNamed() throws {
    let session = LostDraft().session()
    let answer = try LossMapLines.answer(session, StreamID(rawValue: 0))
    let lines = answer.lines(session)
    #expect(
      lines.prefix(3) == [
        "An end of notes#1 would have lost, over its 16 events:",
        "state      siaaaaaibbbbbzz.", "draft.txt  ...=~.=========X",
      ],
      "\(lines.joined(separator: "\n"))"
    )
    let rows = lines.filter { $0.contains("draft.txt") && $0.contains("version") }
    #expect(rows.count == 3, "\(lines.joined(separator: "\n"))")
    #expect(rows.first?.contains("version 1") == true && rows.last?.hasSuffix("lost") == true)
    // The place that it names is that of the edit.
    let place = try #require(rows.first?.firstMatch(of: /from +(notes#1:[0-9]+)/)?.1)
    _ = try Places.go(to: String(place), session)
    #expect(session.player.event?.kind == .dataDirty)
    let json = JSON.object(answer.members(session))
    #expect(json["stretches"]?.array?.compactMap { $0["lost"]?.bool } == [false, false, true])
  }

  @Test("What counts as saved in other bytes than its edit had is at risk, and not called lost")
  func otherBytes() throws {
    let story = """
      app notes#1 pid=12 profile=ios13
      +0s   notes#1 main process.start reason=icon app=notes
      +1s   notes#1 main data.dirty draft.txt version=1 bytes=3 hash=0x11
      +2s   notes#1 main data.flushing draft.txt version=1 bytes=3
      +3s   notes#1 main data.durable draft.txt version=1 level=disk bytes=3 hash=0x11
      +4s   notes#1 main data.dirty draft.txt version=2 bytes=5 hash=0x22
      +5s   notes#1 main data.flushing draft.txt version=2 bytes=3
      +6s   notes#1 main data.durable draft.txt version=2 level=disk bytes=3 hash=0x11
      +7s   notes#1 main log "on" text="on" level=1
      +8s   notes#1 main process.exit cause=user code=0 by=recorder
      """
    let player = Player(Timeline(try Story.parse(story).source))
    let session = Session(player, DebuggerOptions(title: "story", judgement: Judgement()))
    let lines = try LossMapLines.answer(session, StreamID(rawValue: 0)).lines(session)
    #expect(lines.contains("draft.txt  .=~.=~???"), "\(lines.joined(separator: "\n"))")
    #expect(lines.contains { $0.contains("? its save wrote other bytes, X lost at its end") })
    #expect(lines.last?.contains("version 2  5 bytes") == true, "\(lines.last ?? "")")
    #expect(lines.last?.hasSuffix("its save wrote other bytes") == true, "\(lines.last ?? "")")
  }
}
