// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJSON
import ArgumentParser
import LifetraceDebugger
import LifetraceInterop
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile
import LifetraceWords

struct DumpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Prints one line an event.",
    discussion: """
      The lines are a story, which replay and import story read back; where clocks differ, the line \
      of an app says what its own showed at the start (epoch). They come in the order of replay: by \
      time on one axis for all clocks, on which --from and --to count too, each process in its own \
      order, a message never received before it was sent.
      """
  )

  @Argument(help: "The recording.", completion: .file())
  var file: String

  @Option(name: [.short, .long], help: "Only this kind or family: data.dirty, data (repeatable).")
  var kind: [String] = []

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

  @Flag(help: "Print one JSON object a line.")
  var json = false

  func validate() throws {
    for time in [from, to].compactMap({ $0 })
    where TypedQuantity.nanoseconds(time, bareSeconds: true) == nil && ClockTime.parse(time) == nil
      && EventName(time) == nil
    {
      throw ValidationError(
        "'\(time)' is not a time; write 2.5s, 300ms, 1h30min, 18:38:07 or an event, notes#1:22."
      )
    }
  }

  func run() throws {
    let reader = try TraceOpening.open(file)
    let timeline = Timeline(FileSource(reader))
    let selection = try DumpSelection(self, reader, timeline)
    var output = LineOutput()
    var writer = StoryWriter(epochs: timeline.alignment.epochs)
    if !json {
      if !writer.epochLine.isEmpty { try output.print(writer.epochLine) }
      let labels = Dictionary(
        zip(reader.streams.map(\.writer), selection.labels),
        uniquingKeysWith: { first, _ in first }
      )
      for stream in selection.streams {
        try output.print(
          writer.header(
            for: stream.writer,
            stream.attributes,
            label: selection.labels[Int(stream.id.rawValue)],
            stream: stream.id,
            previous: stream.attributes.previous.flatMap { labels[$0] }
          )
        )
      }
    }
    var events = OrderedEvents(timeline, selection)
    while let event = events.next() {
      let label = selection.labels[Int(event.stream.rawValue)]
      if json {
        let time = timeline.time(of: event)
        try output.print(JSON.object(EventJSON.pairs(event, at: time, reader.names, label)).text)
      } else {
        try output.print(writer.next(event, names: reader.names, label: label))
      }
    }
    try output.flush()
    for problem in reader.problems where problem.isDamage {
      Failure.say("\(Printable.line(file)): \(problem.text)")
    }
    if reader.problems.contains(where: \.isDamage) { throw TraceOpening.damaged }
  }
}

/// Which events `dump` was asked for.
struct DumpSelection {
  let labels: [String]
  let streams: [TraceStream]
  let filter: EventFilter

  init(_ command: DumpCommand, _ reader: TraceReader, _ timeline: Timeline) throws {
    let labels = AppLife.labels(reader.streams.map { (id: $0.writer, attributes: $0.attributes) })
    self.labels = labels
    streams = reader.streams.filter { stream in
      let label = labels[Int(stream.id.rawValue)]
      let named = command.app.contains { wanted in
        label == wanted || label.hasSuffix("." + wanted) || stream.attributes.app == wanted
          || stream.attributes.app.hasSuffix("." + wanted) || label.hasPrefix(wanted + "#")
      }
      return named
        || command.app.isEmpty && (command.all || stream.attributes.role != .bystander)
    }
    if !command.app.isEmpty, streams.isEmpty {
      Failure.say("no such app; there are \(labels.joined(separator: ", "))")
      throw ExitCode(64)
    }
    let wall = timeline.alignment.wall
    var filter = EventFilter(kinds: try DumpSelection.kinds(command.kind)) { _, _ in true }
    filter.streams = Set(streams.map(\.id))
    func time(_ text: String) throws -> TraceTime {
      guard let name = EventName(text) else {
        return TraceTime(rawValue: try Self.time(text, wall))
      }
      let stream = labels.firstIndex(of: name.writer).map { StreamID(rawValue: UInt32($0)) }
      guard let stream, let place = timeline.place(of: stream, sequence: name.sequence) else {
        Failure.say("there is no event \(text) in the recording")
        throw ExitCode(64)
      }
      return timeline.time(of: timeline.event(at: place))
    }
    filter.from = try command.from.map(time)
    filter.to = try command.to.map(time)
    self.filter = filter
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

  private static func kinds(_ words: [String]) throws -> KindSet? {
    guard !words.isEmpty else { return nil }
    var set = KindSet()
    for word in words {
      let found = KindInfo.all.filter { $0.name == word || "\($0.family)" == word }
      if let unknown = KindInfo.unknown(named: word) ?? UInt8(word).map({ EventKind(rawValue: $0) })
      {
        set.insert(unknown)
      } else if found.isEmpty {
        Failure.say(
          "no kind or family \(word); kinds are such as data.dirty, families such as data"
        )
        throw ExitCode(64)
      }
      for info in found { set.insert(info.kind) }
    }
    return set
  }
}

/// The chosen events in the order of the timeline, which is that of `replay`; a damaged chunk is passed over.
struct OrderedEvents {
  private let timeline: Timeline
  private var hits: Hits

  init(_ timeline: Timeline, _ selection: DumpSelection) {
    self.timeline = timeline
    hits = Hits(of: selection.filter, in: timeline)
  }

  mutating func next() -> Event? {
    while let place = hits.next() {
      let chunk = timeline.openChunk(of: Int(place.stream.rawValue), holding: place.index)
      // The stand-in for an event that could not be read says nothing; the damage itself is
      // reported.
      if !chunk.isDamaged { return chunk.events[place.index - chunk.firstIndex] }
    }
    return nil
  }
}
