// SPDX-License-Identifier: Apache-2.0
package import LifetraceClocks
package import LifetraceTrace

/// The clocks of a recording and what is proved about them.
///
/// Streams of one boot of a kernel and one kind of clock share a clock, whatever their hosts are called:
/// containers of one kernel do, and time namespaces do not, as the boot names them. Where no boot is
/// known, the host stands for it.
package struct RecordingClocks: Sendable {
  /// One clock.
  package struct Clock: Sendable {
    /// The hosts whose clock it is, in order of their writers; none where they are not known.
    package internal(set) var hosts: [String] = []
    /// What kind of clock.
    package let domain: ClockDomain
    /// The streams whose times are on it, in order of their writers.
    package internal(set) var streams: [StreamID]
    /// From the first to the last time on it, by its counter where that is known; nil without events.
    package internal(set) var span: ClosedRange<Int64>?
    /// Added to its times for nanoseconds since 1970, as its host believed; nil where unknown.
    package internal(set) var realOffset: Int64?
  }

  private struct Key: Hashable {
    var place: String
    var isBoot: Bool
    var domain: ClockDomain
  }

  /// The clocks, in order of their least writers: files come in any order, and what follows from clocks
  /// must not depend on it.
  package private(set) var clocks: [Clock] = []
  /// By stream: the clock.
  package private(set) var clockOfStream: [Int] = []
  /// By stream: the recording that it was stamped in, where that is known.
  let sessionOfStream: [WideID?]
  /// By stream: its times as the counter of its machine has them; evidence and graph count in these.
  let counters: CounterLines
  /// What is proved between them, as much of it as is kept; nothing where there is one.
  package let evidence: [Evidence]
  /// Whether there was more of it than is kept.
  let isThinned: Bool
  /// The bounds that follow.
  package let graph: ClockGraph

  /// The clocks of `source`; where there are several, the chunks with messages are decoded.
  package init(_ source: any EventSource) {
    var numbers: [Key: Int] = [:]
    let streams = source.streams
    let byWriter = streams.indices.sorted { streams[$0].writer < streams[$1].writer }
    clockOfStream = Array(repeating: 0, count: streams.count)
    for stream in byWriter {
      let attributes = streams[stream].attributes
      let isBoot = !attributes.boot.isEmpty
      let key = Key(
        place: isBoot ? attributes.boot : attributes.host,
        isBoot: isBoot,
        domain: attributes.clock
      )
      let number = numbers[key] ?? clocks.count
      if numbers.updateValue(number, forKey: key) == nil {
        clocks.append(Clock(domain: key.domain, streams: []))
      }
      clockOfStream[stream] = number
    }
    sessionOfStream = streams.map(\.attributes.origin.session)
    counters = CounterLines(source, clockOfStream: clockOfStream)
    for stream in byWriter {
      let id = StreamID(rawValue: UInt32(stream))
      clocks[clockOfStream[stream]].add(id, streams[stream], counters.ofStream[stream])
    }
    // Only where chunks say what their counters showed are these compared.
    let rates: [ClockRate] = clocks.map { [counters] clock in
      clock.streams.allSatisfy { counters.ofStream[Int($0.rawValue)] != nil } ? .counter : .slewed
    }
    var thinned = ThinnedEvidence(clocks: rates)
    if clocks.count > 1 {
      MessageEnds(source, clockOfStream, counters).eachEvidence { thinned.add($0) }
      let declared = DeclaredClocks(source, clockOfStream: clockOfStream, count: clocks.count)
      for piece in declared.evidence(clocks) { thinned.add(piece) }
    }
    evidence = thinned.pieces
    isThinned = !thinned.gone.isEmpty
    graph = ClockGraph(clocks: rates, evidence: evidence, gone: thinned.gone)
  }
}

extension RecordingClocks {
  /// A time of a stream, as evidence and graph have it.
  package func moment(_ time: HostTime, of stream: StreamID) -> Moment {
    let number = Int(stream.rawValue)
    return Moment(clockOfStream[number], counters.counted(time, of: number))
  }

  /// What a stream shows where evidence and graph have that time of its clock.
  package func time(_ counted: Int64, of stream: StreamID) -> HostTime {
    let counter = counters.ofStream[Int(stream.rawValue)]
    return HostTime(rawValue: counter?.raw(counted) ?? counted)
  }
}

extension RecordingClocks.Clock {
  fileprivate mutating func add(_ id: StreamID, _ stream: SourceStream, _ counter: AxisMap?) {
    streams.append(id)
    let host = stream.attributes.host
    if !host.isEmpty, !hosts.contains(host) { hosts.append(host) }
    if domain == .real { realOffset = 0 }
    if realOffset == nil, stream.attributes.realOffset != 0 {
      realOffset = stream.attributes.realOffset
    }
    for chunk in stream.chunks where chunk.eventCount > 0 {
      func counted(_ time: HostTime) -> Int64 { counter?.axis(time.rawValue) ?? time.rawValue }
      let (first, last) = (counted(chunk.firstTime), counted(chunk.lastTime))
      let known = span ?? first...max(first, last)
      span = min(known.lowerBound, first)...max(known.upperBound, last)
    }
  }
}
