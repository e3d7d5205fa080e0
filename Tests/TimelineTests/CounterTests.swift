// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// Machines whose clocks are bent by hundreds of parts in a million, and whose counters are not.
@Suite struct CounterTests {
  private static let second: Int64 = 1_000_000_000

  /// One machine: a counter of 2.4 GHz that goes wrong by some parts in a million, and a fit that is bent
  /// anew each ten seconds.
  private struct Machine {
    var base: UInt64
    var error: Double
    var pieces: [ClockPiece]

    init(_ random: inout SeededRandom, seconds: Int64, bent: Double) {
      base = UInt64(random.below(1 << 40))
      error = (random.unit() - 0.5) * 100e-6
      pieces = []
      var piece = ClockPiece(tick: base, nanoseconds: Int64(random.below(1 << 50)), rate: 0)
      for _ in 0..<seconds / 10 + 1 {
        piece.rate = UInt64(0x1p32 / 2.4 * (1 + (random.unit() - 0.5) * 2 * bent))
        pieces.append(piece)
        let tick = piece.tick + 24_000_000_000
        piece.nanoseconds = piece.time(of: tick)
        piece.tick = tick
      }
    }

    /// The time that it stamps at a true time.
    func stamp(_ time: Int64) -> HostTime {
      let tick = base + UInt64(Double(time) * 2.4 * (1 + error))
      let piece = pieces.last { $0.tick <= tick } ?? pieces[0]
      return HostTime(rawValue: piece.time(of: tick))
    }
  }

  private struct World {
    var machines: [Machine]
    var writers: [MemorySource.Writer]
    let trips: Int64

    /// Round trips, two a second, from a second on.
    init(seed: UInt64, from start: Int64 = 0, seconds: Int64 = 400) {
      var random = SeededRandom(seed: seed)
      machines = (0..<2).map { _ in Machine(&random, seconds: seconds, bent: 400e-6) }
      writers = (0..<2).map { number in
        var attributes = WriterAttributes(app: "app\(number)")
        attributes.boot = "boot \(number)"
        let id = WriterID(high: 1, low: UInt64(number))
        return MemorySource.Writer(id: id, attributes: attributes, events: [])
      }
      trips = 2 * seconds
      for number in 2 * start..<trips {
        var time = number * second / 2 + Int64(random.below(1_000_000))
        for (way, here) in [0, 1].enumerated() {
          let flow = UInt64(2 * number) + UInt64(way)
          add(.messageSend, flow, here, time)
          time += 30_000 + Int64(random.below(50_000))
          add(.messageReceive, flow, 1 - here, time)
          time += 1_000
        }
      }
    }

    private mutating func add(_ kind: EventKind, _ flow: UInt64, _ here: Int, _ time: Int64) {
      let stamp = machines[here].stamp(time)
      writers[here].events.append(Event(kind, at: stamp, identity: flow))
    }
  }

  /// How wide the interval is in the middle between round trips; each holds the truth.
  private func widths(_ world: World, _ timeline: Timeline) -> [Int64] {
    let alignment = timeline.alignment
    var widths: [Int64] = []
    for number in world.machines.indices {
      let stream = StreamID(rawValue: UInt32(number))
      guard !alignment.isReference(stream) else { continue }
      let reference = StreamID(rawValue: UInt32(1 - number))
      for half in 0..<world.trips - 1 {
        let time = half * Self.second / 2 + Self.second / 4
        let there = alignment.traceTime(world.machines[1 - number].stamp(time), of: reference)
        let interval = alignment.interval(world.machines[number].stamp(time), of: stream)
        #expect(interval.contains(there.rawValue), "at \(time)")
        widths.append(interval.width ?? .max)
      }
    }
    return widths.sorted()
  }

  @Test("By their counters clocks are known no worse, and the truth is inside")
  func widthsByCounter() {
    let seed = SeededRandom.seed &+ 400
    let world = World(seed: seed)
    let memory = MemorySource(world.writers, names: Names(), rows: 100)
    let with = Timeline(EncodedSource(memory, fits: world.machines.map(\.pieces)))
    let without = Timeline(EncodedSource(memory))
    let (narrow, wide) = (widths(world, with), widths(world, without))
    #expect(narrow[narrow.count / 2] <= wide[wide.count / 2], "seed \(seed)")
  }

  @Test("On the axis no message is received before it was sent, and time leads back")
  func axis() {
    let world = World(seed: SeededRandom.seed &+ 7, seconds: 120)
    let memory = MemorySource(world.writers, names: Names(), rows: 100)
    let timeline = Timeline(EncodedSource(memory, fits: world.machines.map(\.pieces)))
    var sent: [UInt64: TraceTime] = [:]
    var here = timeline.start
    var isInOrder = true
    while let place = timeline.stepForward(&here) {
      let event = timeline.event(at: place)
      let time = timeline.time(of: event)
      if event.kind == .messageSend { sent[event.identity] = time }
      if event.kind == .messageReceive, sent[event.identity].map({ $0 > time }) ?? true {
        isInOrder = false
      }
      let back = timeline.alignment.hostTime(time, of: place.stream)
      #expect(abs(timeline.alignment.traceTime(back, of: place.stream) - time) <= 2)
    }
    #expect(isInOrder)
  }

  @Test("Before the first recorded piece of a clock the truth is inside too")
  func beforeTheFirstPiece() {
    let seed = SeededRandom.seed &+ 60
    let world = World(seed: seed, from: 25, seconds: 60)
    var fits = world.machines.map(\.pieces)
    // The second machine says its first word in its third piece: chunks have none of those before.
    fits[1].removeFirst(2)
    let memory = MemorySource(world.writers, names: Names(), rows: 100)
    let recording = RecordingClocks(EncodedSource(memory, fits: fits))
    let (one, other) = (StreamID(rawValue: 0), StreamID(rawValue: 1))
    for time in (0..<25).map({ $0 * Self.second }) {
      let bounds = recording.interval(world.machines[0].stamp(time), of: one, on: other)
      let truth = world.machines[1].stamp(time)
      #expect(bounds.contains(truth.rawValue), "seed \(seed), at \(time): \(truth) in \(bounds)")
    }
  }

  /// Two recorders of one machine stamp one moment differently by what their fits are apart.
  @Test func twoRecordersShareACounter() {
    var random = SeededRandom(seed: SeededRandom.seed)
    var one = Machine(&random, seconds: 60, bent: 400e-6)
    let other = Machine(&random, seconds: 60, bent: 400e-6)
    (one.base, one.error) = (other.base, other.error)
    let shift = other.pieces[0].tick &- one.pieces[0].tick
    for index in one.pieces.indices { one.pieces[index].tick &+= shift }
    let behind = other.pieces[0].nanoseconds - one.pieces[0].nanoseconds
    for index in one.pieces.indices { one.pieces[index].nanoseconds += behind }
    let machines = [one, other]
    let times = (1..<50).map { $0 * Self.second + 5 }
    let writers = machines.enumerated().map { number, machine in
      var attributes = WriterAttributes(app: "app\(number)")
      attributes.boot = "boot"
      attributes.origin.session = WideID(high: 1, low: UInt64(number))
      return MemorySource.Writer(
        id: WriterID(high: 1, low: UInt64(number)),
        attributes: attributes,
        events: times.map { Event(.mark, at: machine.stamp($0)) }
      )
    }
    let memory = MemorySource(writers, names: Names())
    let timeline = Timeline(EncodedSource(memory, fits: machines.map(\.pieces)))
    var apart: Int64 = 0
    for time in times {
      let (a, b) = (one.stamp(time), other.stamp(time))
      apart = max(apart, abs(a - b))
      let first = timeline.alignment.traceTime(a, of: StreamID(rawValue: 0))
      let second = timeline.alignment.traceTime(b, of: StreamID(rawValue: 1))
      #expect(abs(first - second) <= 4, "at \(time)")
    }
    #expect(apart > 100_000, "the fits are apart, else this shows nothing")
  }

  @Test("A counter that began anew is not compared with what it was before")
  func anotherRun() {
    var world = World(seed: 3, seconds: 20)
    for index in world.machines[0].pieces.indices.dropFirst() {
      world.machines[0].pieces[index].run = 1
    }
    let memory = MemorySource(world.writers, names: Names(), rows: 100)
    let fits = world.machines.map(\.pieces)
    let timeline = Timeline(EncodedSource(memory, fits: fits))
    let plain = Timeline(EncodedSource(memory, fits: [[], fits[1]]))
    #expect(timeline.alignment.clocks == plain.alignment.clocks)
  }
}
