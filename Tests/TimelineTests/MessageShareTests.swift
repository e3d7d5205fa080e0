// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// The order is the same however few messages are in memory at a time.
@Suite struct MessageShareTests {
  /// Late events, messages that contradict the times, clocks of several hosts, chunks that cannot be read;
  /// sixteen sends and receives at a time.
  @Test(arguments: 0..<400 as Range<UInt64>)
  func someAtATime(_ round: UInt64) {
    let seed = SeededRandom.seed &* 1_000 &+ round
    var (few, all) = (OrderDigest(), OrderDigest())
    few.add(Timeline(OrderDigest.source(seed: seed), memory: .bytes(512)))
    all.add(Timeline(OrderDigest.source(seed: seed)))
    #expect(few.value == all.value, "seed \(seed)")
  }

  /// Where headers have tables, most messages are only looked at, in a table of a few places: of flows that
  /// are sent again by others, to many, and to oneself too.
  @Test(arguments: 0..<400 as Range<UInt64>)
  func someAtATimeOfTables(_ round: UInt64) {
    let seed = SeededRandom.seed &* 1_000 &+ round
    var random = SeededRandom(seed: seed)
    var world = RandomWorld(seed: seed, disorder: Int(seed % 3) * 5)
    let (again, flows) = (random.below(30), UInt64(1 + random.below(40)))
    for writer in world.writers.indices {
      for place in world.writers[writer].events.indices where random.below(100) < again {
        world.writers[writer].events[place].identity %= flows
      }
    }
    let source = EncodedSource(world.source(rows: 1 + random.below(9)))
    var all = OrderDigest()
    all.add(Timeline(source))
    for bytes in [512, 1_024, 2_048] {
      var few = OrderDigest()
      few.add(Timeline(source, memory: .bytes(bytes)))
      #expect(few.value == all.value, "seed \(seed), \(bytes) bytes")
    }
  }

  /// A message goes from one to the next, and on at once; the clock of the first is far ahead, so that each
  /// lift is known only when the one before it is.
  @Test(arguments: [64, 1_024, 1 << 20])
  func liftsGoOnFromShareToShare(bytes: Int) {
    let (hosts, turns) = (20, 12)
    var writers = (0..<hosts).map { number in
      MemorySource.Writer(
        id: WriterID(high: 1, low: UInt64(hosts - number)),
        attributes: WriterAttributes(app: "app\(number)"),
        events: []
      )
    }
    for turn in 0..<turns {
      for host in 0..<hosts {
        let time = Int64(turn * 1_000 + host * 10) + (host == 0 ? 500 : 0)
        func flow(_ host: Int) -> UInt64 { UInt64(turn * hosts + host + 1) }
        if host > 0 {
          writers[host].events.append(
            Event(.messageReceive, at: HostTime(rawValue: time), identity: flow(host - 1))
          )
        }
        writers[host].events.append(
          Event(.messageSend, at: HostTime(rawValue: time + 1), identity: flow(host))
        )
      }
    }
    let timeline = Timeline(
      MemorySource(writers, names: Names(), rows: 5),
      memory: .bytes(bytes)
    )
    #expect(timeline.isCausal)
    var here = timeline.start
    var sent: Set<UInt64> = []
    while let place = timeline.stepForward(&here) {
      let event = timeline.event(at: place)
      if event.kind == .messageSend {
        sent.insert(event.identity)
      } else {
        #expect(sent.contains(event.identity), "\(event.identity) is received before it is sent")
      }
    }
    #expect(sent.count == hosts * turns)
  }
}
