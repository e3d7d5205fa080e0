// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import LifetraceLifecycle
import Testing
import LifetraceTimeline
import LifetraceTrace

/// Clocks of several hosts on one axis.
@Suite struct AlignmentTests {
  private func writer(
    _ number: UInt64,
    host: String,
    offset: Int64,
    clock: ClockDomain = .monotonic,
    times: [Int64]
  ) -> MemorySource.Writer {
    var attributes = WriterAttributes(app: "app\(number)")
    attributes.host = host
    attributes.clock = clock
    attributes.realOffset = offset
    return MemorySource.Writer(
      id: WriterID(high: 0, low: number),
      attributes: attributes,
      events: times.map { Event(.mark, at: HostTime(rawValue: $0)) }
    )
  }

  private func order(_ writers: [MemorySource.Writer]) -> ([UInt32], Timeline) {
    let timeline = Timeline(MemorySource(writers, names: Names()))
    var here = timeline.start
    var streams: [UInt32] = []
    while let place = timeline.stepForward(&here) { streams.append(place.stream.rawValue) }
    return (streams, timeline)
  }

  @Test func oneHostMergesOnRawTimes() {
    // The offsets were read at different moments and differ; they must not matter.
    let (streams, timeline) = order([
      writer(0, host: "a", offset: 7, times: [10, 30]),
      writer(1, host: "a", offset: 900, times: [20, 40]),
    ])
    #expect(streams == [0, 1, 0, 1])
    #expect(timeline.alignment.isOneAxis)
    #expect(timeline.duration == 30)
  }

  @Test func hostsMergeOnRealTime() {
    let (streams, timeline) = order([
      writer(0, host: "a", offset: 1_000, times: [10, 30]),
      writer(1, host: "b", offset: 500, times: [520, 540]),
      writer(2, host: "phone", offset: 0, clock: .real, times: [1_025]),
    ])
    #expect(streams == [0, 1, 2, 0, 1])
    #expect(timeline.alignment.isOneAxis)
    #expect(timeline.alignment.clockCount == 3)
    #expect(timeline.alignment.realStart == 1_010)
  }

  @Test func anUnknownClockStandsApart() {
    let (streams, timeline) = order([
      writer(0, host: "a", offset: 0, times: [10, 30]),
      writer(1, host: "b", offset: 500, times: [5, 6]),
    ])
    #expect(streams == [1, 1, 0, 0])
    #expect(!timeline.alignment.isOneAxis)
  }

  /// Round trips between two hosts whose real time is wrong by `error`, ten microseconds each way.
  private func trips(error: Int64, drift: Int64 = 0) -> [MemorySource.Writer] {
    let second: Int64 = 1_000_000_000
    var here = writer(0, host: "here", offset: 100 * second, times: [])
    var there = writer(1, host: "there", offset: 70 * second + error, times: [])
    func clock(_ time: Int64) -> Int64 {
      time + 30 * second + (drift == 0 ? 0 : time / drift)
    }
    for trip in 0..<Int64(20) {
      let (sent, flow) = (second + trip * second / 10, UInt64(trip) * 2)
      let (arrived, answered, back) = (sent + 10_000, sent + 12_000, sent + 22_000)
      func at(_ kind: EventKind, _ time: Int64, _ flow: UInt64) -> Event {
        Event(kind, at: HostTime(rawValue: time), identity: flow)
      }
      here.events += [at(.messageSend, sent, flow), at(.messageReceive, back, flow + 1)]
      there.events += [
        at(.messageReceive, clock(arrived), flow), at(.messageSend, clock(answered), flow + 1),
      ]
    }
    return [here, there]
  }

  @Test(
    "No receive is printed before its send, however wrong the hosts' real times are",
    arguments: [-250_000_000, 0, 250_000_000] as [Int64]
  )
  func messagesBoundClocks(error: Int64) {
    for drift in [0, 2_000, -2_000] as [Int64] {
      let (_, timeline) = order(trips(error: error, drift: drift))
      #expect(timeline.alignment.isOneAxis)
      var sent: [UInt64: Int64] = [:]
      var here = timeline.start
      var latest = Int64.min
      while let place = timeline.stepForward(&here) {
        let event = timeline.event(at: place)
        let time = timeline.time(of: event).rawValue
        #expect(time >= latest)
        latest = time
        if event.kind == .messageSend {
          sent[event.identity] = time
        } else if let since = sent[event.identity] {
          #expect((0...25_000).contains(time - since))
        } else {
          Issue.record("flow \(event.identity) is received before it is sent")
        }
        let interval = timeline.alignment.interval(event.time, of: event.stream)
        #expect(interval.contains(time))
        #expect(interval.width.map { $0 < 30_000 } == true)
        // The axis leads back to what the clock showed.
        let back = timeline.alignment.hostTime(TraceTime(rawValue: time), of: event.stream)
        #expect(abs(back - event.time) < 5)
      }
      #expect(sent.count == 40)
    }
  }

  @Test("A boot is a clock, whatever its hosts are called; a time namespace is one of its own")
  func bootsAreClocks() {
    func booted(_ number: UInt64, _ host: String, _ boot: String) -> MemorySource.Writer {
      var writer = writer(number, host: host, offset: 5, times: [10])
      writer.attributes.boot = boot
      return writer
    }
    let (_, timeline) = order([
      booted(0, "one", "8d41"), booted(1, "two", "8d41"), booted(2, "one", "8d41/time:[402]"),
    ])
    #expect(timeline.alignment.recording.clockOfStream == [0, 0, 1])
    #expect(timeline.alignment.recording.clocks.map(\.hosts) == [["one", "two"], ["one"]])
  }

  @Test func hostileTimesSaturate() {
    let (streams, timeline) = order([
      writer(0, host: "a", offset: .max, times: [.min, .max]),
      writer(1, host: "b", offset: .min, times: [.min, 0, .max]),
      writer(2, host: "c", offset: 0, times: [.max]),
    ])
    #expect(streams.count == 6)
    for number in 0...6 {
      let position = timeline.position(ordinal: number)
      #expect(position.ordinal == number)
      guard let place = timeline.eventBefore(position) else { continue }
      #expect(timeline.number(of: place) == number)
      #expect(timeline.position(at: TraceTime(rawValue: .max)).ordinal == 6)
    }
  }

  @Test func anUnreadableChunkKeepsItsNumbers() {
    final class Broken: EventSource {
      let inner: MemorySource
      init(_ inner: MemorySource) { self.inner = inner }
      var names: Names { inner.names }
      var streams: [SourceStream] { inner.streams }
      func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem> {
        chunk == 1
          ? .failure(DecodeProblem("chunk 1: broken")) : inner.decode(chunk: chunk, of: stream)
      }
      func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter? { nil }
      func state(decoding keyframe: [UInt8]) -> LifeState? { nil }
    }
    let times = (0..<9).map { Int64($0) }
    let inner = MemorySource(
      [writer(0, host: "", offset: 0, times: times)],
      names: Names(),
      rows: 3
    )
    let timeline = Timeline(Broken(inner))
    var here = timeline.start
    var kinds: [EventKind] = []
    while let place = timeline.stepForward(&here) { kinds.append(timeline.event(at: place).kind) }
    #expect(
      kinds.map { $0 == .loss } == [false, false, false, true, true, true, false, false, false]
    )
    #expect(timeline.damage.count == 1)
    #expect(timeline.damage.first?.description == "chunk 1: broken")
  }
}
