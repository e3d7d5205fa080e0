// SPDX-License-Identifier: Apache-2.0
package import LifetraceClocks
package import LifetraceTrace

/// Puts the clocks of all writers on one axis.
///
/// Times of one clock are compared as they are. Clocks between which messages went lie where the messages
/// allow, each along a line of its own; an event of one is known there to within its
/// ``interval(of:on:)``. Groups of clocks without messages between them are laid over each other by real
/// time where each of them knows it, which places them and proves nothing; a group that does not is placed
/// behind the others, as a recording of its own, and ``isOneAxis`` is false.
package struct Alignment: Sendable {
  /// The clocks and what is proved about them.
  package let recording: RecordingClocks
  /// By stream: how its times lie on the axis.
  package let clocks: [StreamClock]
  /// Whether the order of events of different clocks means anything.
  package let isOneAxis: Bool
  /// Nanoseconds since 1970 at trace time zero, where known.
  package let realStart: Int64?
  /// What the clock on the wall shows at trace times, where known.
  package let wall: WallClock?
  /// By clock: the clock whose times the axis of its group are.
  package let references: [Int]
  /// Whether no message that counts is received before it was sent.
  package let isOrdered: Bool
  /// By clock: what is added to a time of its reference.
  private let shiftOfClock: [Int64]

  /// Clocks that messages tie to each other, by their times on the axis of one of them.
  private struct Group {
    var least = Int64.max
    var greatest = Int64.min
    /// Added to a time of that axis for nanoseconds since 1970.
    var real: Int64?
    var shift: Int64 = 0

    var isEmpty: Bool { least > greatest }
  }

  /// The axis of the streams of `source`; where they have several clocks, messages are decoded.
  package init(_ source: any EventSource) {
    let recording = RecordingClocks(source)
    self.recording = recording
    let all = recording.clocks
    let axis = ClockAxis(
      recording.graph,
      evidence: recording.evidence,
      spans: all.map(\.span),
      guesses: all.map(\.realOffset),
      all: recording.isThinned
        ? { MessageEnds(source, recording.clockOfStream, recording.counters).eachEvidence($0) }
        : nil
    )
    references = axis.references
    isOrdered = axis.isOrdered
    var groups = [Group](repeating: Group(), count: all.count)
    for (clock, facts) in all.enumerated() {
      let (reference, map) = (axis.references[clock], axis.maps[clock])
      if let span = facts.span {
        groups[reference].least = min(groups[reference].least, map.axis(span.lowerBound))
        groups[reference].greatest = max(groups[reference].greatest, map.axis(span.upperBound))
      }
      guard let real = facts.realOffset, clock == reference || groups[reference].real == nil else {
        continue
      }
      // Its own times since 1970, as its group's axis has them.
      let first = facts.span?.lowerBound ?? 0
      let moved = HostTime(rawValue: first) - HostTime(rawValue: map.axis(first))
      groups[reference].real = HostTime(rawValue: real).advanced(by: moved).rawValue
    }
    let used = Set(axis.references).sorted()
    let isAlone = used.count == 1
    // The first group alone needs no offset; several need all of theirs.
    let together = used.filter { isAlone || groups[$0].real != nil }
    func real(_ group: Int) -> Int64 { isAlone ? 0 : groups[group].real ?? 0 }
    func moved(_ time: Int64, by nanoseconds: Int64) -> Int64 {
      HostTime(rawValue: time).advanced(by: nanoseconds).rawValue
    }
    var origin = Int64.max
    var end = Int64.min
    for group in together where !groups[group].isEmpty {
      origin = min(origin, moved(groups[group].least, by: real(group)))
      end = max(end, moved(groups[group].greatest, by: real(group)))
    }
    let minusOrigin = origin == .max ? 0 : HostTime(rawValue: 0) - HostTime(rawValue: origin)
    for group in together { groups[group].shift = moved(real(group), by: minusOrigin) }
    var next = origin == .max ? 0 : moved(end, by: minusOrigin)
    for group in used where !together.contains(group) && !groups[group].isEmpty {
      let begin = moved(next, by: next == 0 ? 0 : 1)
      groups[group].shift = HostTime(rawValue: begin) - HostTime(rawValue: groups[group].least)
      next = moved(groups[group].greatest, by: groups[group].shift)
    }

    let shifts = axis.references.map { groups[$0].shift }
    shiftOfClock = shifts
    let lines = all.indices.map { axis.maps[$0].moved(by: shifts[$0]) }
    clocks = recording.clockOfStream.enumerated().map { stream, clock in
      StreamClock(lines[clock], counter: recording.counters.ofStream[stream])
    }
    isOneAxis = together.count == used.count
    let alone = used.first.flatMap { isAlone ? groups[$0].real : nil }
    if isAlone, origin != .max {
      realStart = alone.map { moved(origin, by: $0) }
    } else {
      realStart = origin == .max ? nil : origin
    }
    if let first = all.first?.streams.first, all.count == 1, origin != .max {
      let attributes = source.streams[Int(first.rawValue)].attributes
      wall = WallClock(of: attributes)?.counted(from: HostTime(rawValue: origin))
    } else {
      wall = realStart.map { WallClock(utc: $0) }
    }
  }

  /// How many different clocks there are.
  package var clockCount: Int { recording.clocks.count }

  /// When an event of `stream` with the raw time `time` happened.
  package func traceTime(_ time: HostTime, of stream: StreamID) -> TraceTime {
    clocks[Int(stream.rawValue)].trace(time)
  }

  /// What the clock of `stream` showed at a time.
  package func hostTime(_ time: TraceTime, of stream: StreamID) -> HostTime {
    clocks[Int(stream.rawValue)].host(time)
  }

  /// Whether times of `stream` are on the clock that the axis of its group is made of.
  package func isReference(_ stream: StreamID) -> Bool {
    let clock = recording.clockOfStream[Int(stream.rawValue)]
    return references[clock] == clock
  }

  /// Between which times of the axis a time of `stream` is proved to lie, given when its group's reference is
  /// right; open where nothing bounds it.
  ///
  /// Takes a look at each pair of clocks.
  package func interval(_ time: HostTime, of stream: StreamID) -> ClockInterval {
    let clock = recording.clockOfStream[Int(stream.rawValue)]
    let moment = recording.moment(time, of: stream)
    let found = recording.graph.interval(of: moment, on: references[clock])
    func moved(_ time: Int64) -> Int64 {
      HostTime(rawValue: time).advanced(by: shiftOfClock[clock]).rawValue
    }
    return ClockInterval(low: found.low.map(moved), high: found.high.map(moved))
  }
}
