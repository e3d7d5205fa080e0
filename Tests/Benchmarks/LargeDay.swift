// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceLifecycle
import Support
import LifetraceTrace
import LifetraceTraceFile

/// Days of app life, one behind the other, as one recording.
///
/// Making up a day takes a microsecond an event; living it again takes a fifteenth. So only one
/// day is made up, and the next ones are the same events a day later, of new processes: decoded,
/// given new writers and times, folded for their keyframes, and encoded.
struct LargeDay {
  private let first: TraceReader
  private let writer: TraceWriter
  private var states: [WriterID: LifeState] = [:]
  private var written = 0

  /// How many events `LIFETRACE_BENCH_EVENTS` asks for; nil where it says nothing.
  static var eventsAsked: Int? {
    getenv("LIFETRACE_BENCH_EVENTS").flatMap { Int(String(cString: $0)) }
  }

  /// Writes `count` events to `path`, in days of at most `dayEvents`.
  static func write(to path: String, events count: Int, dayEvents: Int) throws {
    guard count > dayEvents else {
      let writer = try TraceWriter(path: path, options: .create)
      var day = DayTrace(seed: 1) { try writer.append($0) }
      try day.run(events: count)
      return try writer.finish(end: true)
    }
    let model = path + ".day"
    try write(to: model, events: dayEvents, dayEvents: dayEvents)
    var days = LargeDay(
      first: try TraceReader(path: model),
      writer: try TraceWriter(path: path, options: .init(.create, compacts: false))
    )
    var day = 0
    while days.written < count {
      try days.live(day: day, until: count)
      day += 1
    }
    try days.writer.finish(end: true)
  }

  private mutating func live(day: Int, until count: Int) throws {
    let streams = first.streams
    let begin = streams.map(\.firstTime).min() ?? HostTime(rawValue: 0)
    let length = (streams.map(\.lastTime).max() ?? begin) - begin + 1_000_000_000
    let chunks = streams.flatMap { stream in stream.chunks }.sorted { $0.offset < $1.offset }
    var encoder = ChunkEncoder()
    for chunk in chunks where written < count {
      let decoded = try first.decode(chunk)
      var header = decoded.header
      header.writer = again(header.writer, day)
      header.attributes.previous = header.attributes.previous.map { again($0, day) }
      let started = header.attributes.started.advanced(by: Int64(day) * length)
      header.attributes.started = started
      var state = states.removeValue(forKey: header.writer) ?? LifeState()
      let keyframe = header.keyframe == .full ? state.encode(names: first.names) : []
      for event in decoded.events {
        var event = event
        event.time = event.time.advanced(by: Int64(day) * length)
        encoder.append(event)
        state.apply(event, names: first.names)
      }
      try writer.append(
        encoder.finish(header: header, keyframe: keyframe, names: first.names)
      )
      states[header.writer] = state
      written += decoded.events.count
    }
    states.removeAll()
  }

  private func again(_ writer: WriterID, _ day: Int) -> WriterID {
    WriterID(high: writer.high, low: writer.low ^ UInt64(day))
  }
}
