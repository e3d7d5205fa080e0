// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceDebugger
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// Which part of a recording is wanted: of which apps, and between which times.
struct SpanOptions: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: "Only this app or incarnation: notes, notes#2 (repeatable)."
  )
  var app: [String] = []

  @Option(
    help:
      "Not before this time since the first event, 2.5s, of the day, 18:38:07, or of an event, notes#1:22."
  )
  var from: String?

  @Option(help: "Not after this time since the first event, 1min, of the day, or of an event.")
  var to: String?

  @Flag(help: "Also processes that were only seen, not recorded.")
  var all = false

  func validate() throws { try Self.validate([from, to]) }

  /// Refuses what is neither a time nor an event.
  static func validate(_ places: [String?]) throws {
    for time in places.compactMap({ $0 })
    where TypedQuantity.nanoseconds(time, bareSeconds: true) == nil && ClockTime.parse(time) == nil
      && EventName(time) == nil
    {
      throw ValidationError(
        "'\(time)' is not a time; write 2.5s, 300ms, 1h30min, 18:38:07 or an event, notes#1:22."
      )
    }
  }
}

/// The part of a recording that was asked for.
struct SpanSelection {
  /// How the processes are called, by stream.
  let labels: [String]
  let streams: [StreamIndex]
  let from: TraceTime?
  let to: TraceTime?

  /// Says what cannot be found, and ends the command; `mayComeLater` where an app may start yet.
  init(
    _ options: SpanOptions,
    _ timeline: Timeline,
    labels: [String],
    mayComeLater: Bool = false
  ) throws {
    self.labels = labels
    streams = timeline.streams.filter { stream in
      let label = labels[Int(stream.id.rawValue)]
      let named = options.app.contains { wanted in
        label == wanted || label.hasSuffix("." + wanted) || stream.attributes.app == wanted
          || stream.attributes.app.hasSuffix("." + wanted) || label.hasPrefix(wanted + "#")
      }
      return named
        || options.app.isEmpty && (options.all || stream.attributes.role != .bystander)
    }
    if !options.app.isEmpty, streams.isEmpty, !mayComeLater {
      Failure.say("no such app; there are \(labels.joined(separator: ", "))")
      throw ExitCode(64)
    }
    func time(_ text: String) throws -> TraceTime {
      switch try Self.place(text, timeline, labels: labels) {
      case .time(let time): time
      case .event(let place): timeline.time(of: timeline.event(at: place))
      }
    }
    from = try options.from.map(time)
    to = try options.to.map(time)
  }

  /// An end of a span, as it was typed.
  enum Place {
    case time(TraceTime)
    case event(EventPlace)
  }

  /// What `text` stands for; says what cannot be found, and ends the command.
  static func place(_ text: String, _ timeline: Timeline, labels: [String]) throws -> Place {
    guard let name = EventName(text) else {
      return .time(TraceTime(rawValue: try time(text, timeline.alignment.wall)))
    }
    let stream = labels.firstIndex(of: name.writer).map { StreamID(rawValue: UInt32($0)) }
    guard let stream, let place = timeline.place(of: stream, sequence: name.sequence) else {
      Failure.say("there is no event \(text) in the recording")
      throw ExitCode(64)
    }
    return .event(place)
  }

  /// Nanoseconds since the first event.
  private static func time(_ text: String, _ wall: WallClock?) throws -> Int64 {
    if let duration = TypedQuantity.nanoseconds(text, bareSeconds: true) { return duration }
    guard let wall, let (clock, unit) = ClockTime.parse(text) else {
      Failure.say("the recording does not know the time of day; write a time since its start, 2.5s")
      throw ExitCode(64)
    }
    let next = wall.next(clock)
    // The start itself, typed less exactly than it was.
    return WallClock.day - next < unit ? 0 : next
  }
}
