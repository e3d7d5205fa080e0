// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import LifetraceLifecycle
package import LifetraceTimeline
import LifetraceTrace

/// What `clocks` says of a recording: its clocks, how they lie to each other and how that is known.
///
///     let facts = ClockFacts(JoinedSource(recording))
///     print(facts.text.joined(separator: "\n"))
package struct ClockFacts {
  /// One clock.
  struct Clock {
    /// Its host, and the boot where another clock has the same host.
    var name: String
    var domain: ClockDomain
    var processes: [String]
    var span: ClosedRange<Int64>?
    /// On the axis: what it shows at times of the recording is behind or ahead by so much.
    var reference: Int
    /// Over its span: when, on the axis, and how wide the interval is; nil where it is open.
    var widths: [Width]
    var realOffset: Int64?
  }

  /// How well a clock is known at one moment.
  struct Width {
    /// Nanoseconds on the clock itself.
    var raw: Int64
    /// Nanoseconds since the start of the recording.
    var time: Int64
    /// Added to a time of the clock to get one on its group's axis.
    var offset: Int64
    /// From the earliest to the latest time that it may be.
    var nanoseconds: Int64?
  }

  /// In order of their first streams.
  let clocks: [Clock]
  /// The bounds, and what was set aside for them.
  let graph: ClockGraph
  /// By index, what the bounds follow from.
  let evidence: [Evidence]
  /// Whether all clocks lie on one axis.
  let isOneAxis: Bool
  /// What contradicts the order of events of different clocks; empty where nothing does.
  let doubts: [String]
  /// Whether the order of events of different clocks cannot be relied on as far as it is proved.
  package var isDoubtful: Bool { !doubts.isEmpty || !isOneAxis }

  /// Moments at which a clock's width is looked at.
  static let widthsMax = 40

  /// Those of `source`, whose messages are decoded where it has several clocks.
  package init(_ source: any EventSource) {
    let alignment = Alignment(source)
    let recording = alignment.recording
    let labels = AppLife.labels(source.streams.map { (id: $0.writer, attributes: $0.attributes) })
    let names = recording.names
    clocks = recording.clocks.enumerated().map { number, clock in
      Clock(
        name: names[number],
        domain: clock.domain,
        processes: clock.streams.map { labels[Int($0.rawValue)] },
        span: clock.span.map { span in
          func shown(_ time: Int64) -> Int64 {
            clock.streams.first.map { recording.time(time, of: $0).rawValue } ?? time
          }
          return min(shown(span.lowerBound), shown(span.upperBound))...shown(span.upperBound)
        },
        reference: alignment.references[number],
        widths: Self.widths(alignment, clock, number),
        realOffset: clock.realOffset
      )
    }
    graph = recording.graph
    evidence = recording.evidence
    isOneAxis = alignment.isOneAxis
    doubts = alignment.doubts
  }

  /// How well a clock is known over its time; empty for the one that the others are placed on.
  static func widths(
    _ alignment: Alignment,
    _ clock: RecordingClocks.Clock,
    _ number: Int
  ) -> [Width] {
    guard let stream = clock.streams.first, let span = clock.span,
      alignment.references[number] != number
    else { return [] }
    let length = HostTime(rawValue: span.upperBound) - HostTime(rawValue: span.lowerBound)
    return (0..<widthsMax).map { place in
      let step = Int64(Double(length) * Double(place) / Double(widthsMax - 1))
      let counted = HostTime(rawValue: span.lowerBound).advanced(by: min(step, length))
      let raw = alignment.recording.time(counted.rawValue, of: stream)
      let time = alignment.traceTime(raw, of: stream)
      let reference = alignment.recording.clocks[alignment.references[number]].streams[0]
      let there = alignment.hostTime(time, of: reference)
      return Width(
        raw: raw.rawValue,
        time: time.rawValue,
        offset: there - raw,
        nanoseconds: alignment.interval(raw, of: stream).width
      )
    }
  }
}
