// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// How long messages were on their way between machines, where the truth is known.
@Suite struct TimeBetweenTests {
  /// Both clocks are right; at first messages are fast one way and slow the other, later fast both ways.
  private static let story = """
    app a#1 app=a pid=1 host=A boot=bA clock=monotonic epoch=100s
    app b#1 app=b pid=2 host=B boot=bB clock=monotonic epoch=100s
    +0.020s b#1 main message.send flow=0x1 peer=A bytes=1 count=1
    +0.500s a#1 main message.receive flow=0x1 peer=B bytes=1 count=1
    +0.501s a#1 main message.send flow=0x2 peer=B bytes=1 count=1
    +0.510s b#1 main message.receive flow=0x2 peer=A bytes=1 count=1
    +3.100s b#1 main message.send flow=0x3 peer=A bytes=1 count=1
    +3.107s a#1 main message.receive flow=0x3 peer=B bytes=1 count=1
    +3.1075s a#1 main message.send flow=0x4 peer=B bytes=1 count=1
    +3.108s b#1 main message.receive flow=0x4 peer=A bytes=1 count=1
    +3.200s a#1 main mark last
    +6.000s b#1 main mark end
    """

  @Test("The truth is within what is said of it, and what is proved stands in its order")
  func truthIsWithin() throws {
    let player = Player(Timeline(try Story.parse(Self.story).source))
    let timeline = player.timeline
    func place(_ stream: UInt32, _ index: Int) -> EventPlace {
      EventPlace(stream: StreamID(rawValue: stream), index: index)
    }
    for (send, receive, truth) in [
      (place(1, 0), place(0, 0), 480_000_000), (place(0, 1), place(1, 1), 9_000_000),
      (place(1, 2), place(0, 2), 7_000_000), (place(0, 3), place(1, 3), 500_000),
    ] as [(EventPlace, EventPlace, Int64)] {
      let between = player.time(from: send, to: receive)
      let error = try #require(between.error)
      #expect(abs(between.length - truth) <= error, "\(between)")
      #expect(between.length >= error - 1, "no message takes less than nothing: \(between)")
      let (sent, received) = (timeline.event(at: send), timeline.event(at: receive))
      #expect(timeline.time(of: sent) <= timeline.time(of: received))
    }
    // Each event stands within its own bounds.
    for (stream, count) in [(UInt32(0), 5), (1, 5)] {
      for index in 0..<count {
        let event = timeline.event(at: place(stream, index))
        let interval = timeline.alignment.interval(event.time, of: event.stream)
        let time = timeline.time(of: event).rawValue
        #expect(time >= interval.low ?? .min && time <= interval.high ?? .max, "\(event)")
      }
    }
  }
}
