// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// Puts the clocks of all writers on one axis.
///
/// Writers of one host, one boot and one kind of clock are compared as they
/// are. Different clocks are laid over each other by real time where every one
/// of them knows it; a clock that does not is placed behind the others, as a
/// recording of its own, and ``isOneAxis`` is false.
package struct Alignment: Sendable {
  /// Added to a raw time to get a trace time, by stream.
  package let shifts: [Int64]
  /// Whether the order of events of different clocks means anything.
  package let isOneAxis: Bool
  /// How many different clocks there are.
  package let clockCount: Int
  /// Nanoseconds since 1970 at trace time zero, where known.
  package let realStart: Int64?
  /// What the clock on the wall shows at trace times, where known.
  package let wall: WallClock?

  /// What makes two raw times comparable.
  private struct Clock: Hashable {
    var host, boot: String
    var domain: ClockDomain
  }

  /// The axis of `streams`.
  package init(_ streams: [SourceStream]) {
    var numbers: [Clock: Int] = [:]
    var clockOfStream: [Int] = []
    var least: [Int64] = []
    var greatest: [Int64] = []
    var offset: [Int64?] = []
    for stream in streams {
      let facts = stream.attributes
      let key = Clock(host: facts.host, boot: facts.boot, domain: facts.clock)
      let number = numbers[key] ?? numbers.count
      if numbers.updateValue(number, forKey: key) == nil {
        least.append(.max)
        greatest.append(.min)
        offset.append(nil)
      }
      clockOfStream.append(number)
      if facts.clock == .real { offset[number] = 0 }
      if offset[number] == nil, facts.realOffset != 0 { offset[number] = facts.realOffset }
      for chunk in stream.chunks where chunk.eventCount > 0 {
        least[number] = min(least[number], chunk.firstTime.rawValue)
        greatest[number] = max(greatest[number], chunk.lastTime.rawValue)
      }
    }

    var shiftOfClock = [Int64](repeating: 0, count: numbers.count)
    // The first clock alone needs no offset; several need all of theirs.
    let known = offset.indices.filter { offset[$0] != nil }
    let together = numbers.count == 1 ? [0] : known
    func real(_ clock: Int) -> Int64 { numbers.count == 1 ? 0 : (offset[clock] ?? 0) }
    var origin = Int64.max
    var end = Int64.min
    for clock in together where least[clock] <= greatest[clock] {
      origin = min(origin, HostTime(rawValue: least[clock]).advanced(by: real(clock)).rawValue)
      end = max(end, HostTime(rawValue: greatest[clock]).advanced(by: real(clock)).rawValue)
    }
    let minusOrigin = origin == .max ? 0 : HostTime(rawValue: 0) - HostTime(rawValue: origin)
    for clock in together {
      shiftOfClock[clock] = HostTime(rawValue: real(clock)).advanced(by: minusOrigin).rawValue
    }
    var next =
      origin == .max ? 0 : HostTime(rawValue: end).advanced(by: minusOrigin).rawValue
    for clock in offset.indices where !together.contains(clock) && least[clock] <= greatest[clock] {
      let begin = HostTime(rawValue: next).advanced(by: next == 0 ? 0 : 1)
      shiftOfClock[clock] = begin - HostTime(rawValue: least[clock])
      next = HostTime(rawValue: greatest[clock]).advanced(by: shiftOfClock[clock]).rawValue
    }

    shifts = clockOfStream.map { shiftOfClock[$0] }
    clockCount = numbers.count
    isOneAxis = together.count == numbers.count
    if numbers.count == 1, origin != .max {
      realStart = offset[0].map { HostTime(rawValue: origin).advanced(by: $0).rawValue }
    } else {
      realStart = origin == .max ? nil : origin
    }
    if let first = streams.first?.attributes, numbers.count == 1, origin != .max {
      wall = WallClock(of: first)?.counted(from: HostTime(rawValue: origin))
    } else {
      wall = realStart.map { WallClock(utc: $0) }
    }
  }

  /// By stream: what its clock shows at trace time zero.
  package var epochs: [HostTime] {
    shifts.map { HostTime(rawValue: HostTime(rawValue: 0) - HostTime(rawValue: $0)) }
  }

  /// When an event of `stream` with the raw time `time` happened.
  package func traceTime(_ time: HostTime, of stream: StreamID) -> TraceTime {
    TraceTime(rawValue: time.advanced(by: shifts[Int(stream.rawValue)]).rawValue)
  }

  /// What the clock of `stream` showed at a time.
  package func hostTime(_ time: TraceTime, of stream: StreamID) -> HostTime {
    let back = (0 as Int64).subtractingSaturated(shifts[Int(stream.rawValue)])
    return HostTime(rawValue: time.rawValue).advanced(by: back)
  }
}
