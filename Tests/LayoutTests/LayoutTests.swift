// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJudging
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

@testable import LifetraceLayout

/// What a picture holds, before anybody draws it.
@Suite struct LayoutTests {
  private func layout(_ name: String, _ span: ClosedRange<Int64>? = nil) throws -> Layout {
    let story = try Story.parse(try #require(Golden.text("Traces/\(name)/story.txt")))
    let player = Player(Timeline(story.source))
    let findings = try player.findings(Judgement()).violations
    return try Layout(of: player, span ?? 0...player.timeline.duration, findings)
  }

  @Test func theLanesOfALostDraft() throws {
    let layout = try layout("DS02-broken")
    let group = try #require(layout.groups.first)
    #expect(layout.groups.count == 1)
    #expect(group.lives.map(\.label) == ["notes#1", "notes#2"])
    #expect(group.lanes.map(\.kind) == [.state, .main, .object])
    let draft = try #require(group.lanes.last)
    #expect(draft.name == "draft.txt")
    let unsaved = draft.bars.filter { $0.look == .unsaved }
    #expect(unsaved.map(\.begin) == [1_100_000_000, 2_104_000_000])
    #expect(unsaved.map(\.end) == [1_610_000_000, 62_000_000_000])
    #expect(draft.instants.map(\.kind) == [.edit, .saved, .edit, .deferred, .lost, .restored])
    #expect(layout.losses == 1)
    #expect(layout.violations.map(\.rule) == ["DS01", "DS02"])
    #expect(
      group.lanes[0].bars.map(\.look)
        == [
          .running, .inactive, .active, .inactive, .background, .suspended, .running, .inactive,
          .active,
        ]
    )
  }

  /// A span that begins in the middle knows what was open before it.
  @Test func aSpanKnowsWhatWasOpen() throws {
    let layout = try layout("DS02-broken", 10_000_000_000...20_000_000_000)
    let group = try #require(layout.groups.first)
    #expect(group.lanes.map(\.kind) == [.state, .object])
    for lane in group.lanes {
      #expect(lane.bars.map(\.begin) == [10_000_000_000], "\(lane)")
      #expect(lane.bars.map(\.end) == [20_000_000_000])
    }
    #expect(layout.events == 0)
    #expect(layout.violations.isEmpty)
  }

  /// The same arrows as in an export: see `PerfettoTests`.
  @Test func anArrowLeadsFromTheFirstSend() throws {
    let story = try Story.parse(
      """
      app a#1
      app b#1
      app c#1
      +1ns a#1 main message.send flow=0x1 peer=b
      +2ns a#1 main message.send flow=0x1 peer=b
      +3ns b#1 main message.receive flow=0x1 peer=a
      +4ns b#1 main message.send flow=0x1 peer=a
      +5ns a#1 main message.receive flow=0x1 peer=b
      +6ns c#1 main message.receive flow=0x1 peer=a
      +7ns b#1 main message.receive flow=0x2 peer=a
      """
    )
    let player = Player(Timeline(story.source))
    let layout = try Layout(of: player, 0...player.timeline.duration)
    let ends = layout.flows.map { flow in
      [flow.from, flow.to].map { "\(player.labels[$0.stream]):\($0.sequence)" }
    }
    #expect(ends == [["a#1:0", "b#1:0"], ["b#1:1", "a#1:2"]])
    #expect(layout.flowsLeftOut == 0)
  }

  @Test("A lane that is thinned out over and over keeps as much detail as it has room for")
  func thinnedOften() {
    var lane = Lane(.main)
    let (count, most) = (100_000, 64)
    for number in 0..<count {
      let begin = Int64(number) * 1_000_000
      lane.bars.append(
        Bar(
          begin: begin,
          end: begin + 400_000,
          stream: StreamID(rawValue: 0),
          sequence: UInt64(number),
          name: .empty,
          count: 1,
          look: .work
        )
      )
      lane.instants.append(
        Instant(
          time: begin,
          stream: StreamID(rawValue: 0),
          sequence: UInt64(number),
          kind: number % 1_000 == 0 ? .lost : .edit
        )
      )
      lane.thinOut(most)
      #expect(lane.bars.count <= most && lane.instants.count <= most)
    }
    // Room for a half of `most` after each time, each four grains long.
    let length = Int64(count) * 1_000_000
    #expect(lane.grain <= length / Int64(most) * 8, "\(lane.grain)")
    #expect(lane.bars.count >= most / 16, "\(lane.bars.count)")
    #expect(lane.bars.reduce(0) { $0 + Int($1.count) } == count)
    #expect(lane.instants.reduce(0) { $0 + Int($1.count) } == count)
    #expect(lane.instants.contains { $0.kind == .lost })
  }

  @Test func sleepIsCutAndAHangIsNot() throws {
    #expect(try layout("DS02-broken").axis(cutsMax: 1).cuts.map(\.length) == [59_500_000_000])
    let hang = try layout("DL11-broken")
    let longest = try #require(hang.groups.first?.lanes[1].bars.map(\.length).max())
    #expect(hang.gaps.allSatisfy { $0.length < longest })
  }

  @Test func placesOnTheAxisRiseWithTime() throws {
    let axis = try layout("DS02-broken").axis(cutsMax: 8)
    let first = try #require(axis.pieces.first)
    #expect(first.begin == 0)
    for (piece, next) in zip(axis.pieces, axis.pieces.dropFirst()) {
      #expect(piece.end == next.begin)
    }
    #expect(abs(axis.shares.reduce(0, +) - 1) < 1e-9)
    let scale = axis.scale(to: 100) { _ in 8 }
    var last = -1.0
    for time in stride(from: Int64(-1_000_000), to: 66_000_000_000, by: 10_000_000) {
      let place = scale.place(of: time)
      #expect(place >= last && place >= 0 && place <= 100.000001)
      last = place
    }
    #expect(scale.place(of: 65_060_000_000) > 99.99)
  }

  /// However little detail: nothing grave is gone, and what is long is as it was.
  @Test func lessDetailLosesNothingGrave() throws {
    var random = SeededRandom(seed: 7)
    for _ in 0..<50 {
      var lane = Lane(.object, "a")
      for index in 0..<400 {
        let begin = Int64(random.below(1_000_000))
        let length = Int64(random.below(random.below(10) == 0 ? 50_000 : 200))
        lane.bars.append(
          Bar(
            begin: begin,
            end: begin + length,
            stream: StreamID(rawValue: 0),
            sequence: UInt64(index),
            name: .empty,
            count: 1,
            look: .work
          )
        )
        let kind = Instant.Kind.allCases[random.below(Instant.Kind.allCases.count)]
        lane.instants.append(
          Instant(
            time: begin,
            stream: StreamID(rawValue: 0),
            sequence: UInt64(index),
            kind: kind
          )
        )
      }
      lane.settle()
      for grain: Int64 in [10, 1_000, 100_000] {
        let less = lane.detail(grain)
        for kind in Instant.Kind.allCases where kind.isGrave {
          let count = { (lane: Lane) in
            lane.instants.filter { $0.kind == kind }.reduce(0) { $0 + Int($1.count) }
          }
          #expect(count(less) == count(lane))
        }
        #expect(less.instants.reduce(0) { $0 + Int($1.count) } == 400)
        #expect(less.bars.reduce(0) { $0 + Int($1.count) } == 400)
        #expect(
          less.bars.filter { $0.length >= grain && $0.count == 1 }.count
            >= lane.bars.filter { $0.length >= grain }.count
        )
        #expect(less.bars.count <= lane.bars.count)
      }
    }
  }
}
