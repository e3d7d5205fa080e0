// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJSON
import ArgumentParser
import LifetraceDebugger
import LifetraceInterop
import LifetraceLifecycle
import LifetraceReplay
import LifetraceReports
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

  @OptionGroup var condition: WhereOption

  @OptionGroup var span: SpanOptions

  @Flag(help: "Print one JSON object a line.")
  var json = false

  func run() throws {
    let reader = try TraceOpening.open(file)
    let timeline = Timeline(FileSource(reader))
    let labels = AppLife.labels(reader.streams.map { (id: $0.writer, attributes: $0.attributes) })
    let selection = try SpanSelection(span, timeline, labels: labels)
    var filter = try condition.filter(timeline)
    filter.streams = Set(selection.streams.map(\.id))
    (filter.from, filter.to) = (selection.from, selection.to)
    var output = LineOutput()
    var writer = StoryWriter(clocks: timeline.alignment.clocks)
    if !json {
      if !writer.epochLine.isEmpty { try output.print(writer.epochLine) }
      let labelOfWriter = Dictionary(
        zip(reader.streams.map(\.writer), labels),
        uniquingKeysWith: { first, _ in first }
      )
      for stream in selection.streams {
        try output.print(
          writer.header(
            for: stream.writer,
            stream.attributes,
            label: labels[Int(stream.id.rawValue)],
            stream: stream.id,
            previous: stream.attributes.previous.flatMap { labelOfWriter[$0] }
          )
        )
      }
    }
    var events = OrderedEvents(timeline, filter)
    while let event = events.next() {
      let label = labels[Int(event.stream.rawValue)]
      if json {
        let time = timeline.time(of: event)
        let pairs = EventJSON.pairs(event, at: time, reader.names, label)
        try output.print(JSON.object(pairs + timeline.bounds(of: event)).text)
      } else {
        try output.print(writer.next(event, names: reader.names, label: label))
      }
    }
    try output.flush()
    for doubt in timeline.alignment.doubts { Failure.say("\(Printable.line(file)): \(doubt)") }
    if !timeline.isCausal {
      Failure.say("\(Printable.line(file)): it is large: messages are ordered by their times alone")
    }
    for problem in reader.problems where problem.isDamage {
      Failure.say("\(Printable.line(file)): \(problem.text)")
    }
    if reader.problems.contains(where: \.isDamage) { throw TraceOpening.damaged }
  }
}

extension Timeline {
  /// Between which times the event is proved to have happened, where its clock is another machine's.
  fileprivate func bounds(of event: Event) -> [(String, JSON)] {
    guard !alignment.isReference(event.stream) else { return [] }
    let interval = alignment.interval(event.time, of: event.stream)
    return [
      ("notBefore", interval.low.map(JSON.int) ?? .null),
      ("notAfter", interval.high.map(JSON.int) ?? .null),
    ]
  }
}

/// The chosen events in the order of the timeline, which is that of `replay`; a damaged chunk is passed over.
struct OrderedEvents {
  private let timeline: Timeline
  private var hits: Hits

  init(_ timeline: Timeline, _ filter: EventFilter) {
    self.timeline = timeline
    hits = Hits(of: filter, in: timeline)
  }

  mutating func next() -> Event? {
    while let place = try? hits.next() {
      let rows = timeline.rows(of: Int(place.stream.rawValue), holding: place.index)
      // The stand-in for an event that could not be read says nothing; the damage itself is
      // reported.
      if !rows.isDamaged { return rows[place.index] }
    }
    return nil
  }
}
