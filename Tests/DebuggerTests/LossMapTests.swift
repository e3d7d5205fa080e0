// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
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
}
