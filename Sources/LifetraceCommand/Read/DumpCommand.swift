// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJSON
import ArgumentParser
import LifetraceDebugger
import LifetraceInterop
import LifetraceJudging
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

      Several files are one recording; a folder stands for those in it, and those of different runs \
      come one run after the other.
      """
  )

  @Argument(help: "Recordings, or folders of them; several are one.", completion: .file())
  var files: [String]

  @OptionGroup var condition: WhereOption

  @OptionGroup var span: SpanOptions
  @OptionGroup var order: OrderOption

  @Flag(help: "Print one JSON object a line.")
  var json = false

  @Flag(
    help: """
      Go on with what is being recorded (record --follow), in the same order, until its recorder ends.
      """
  )
  var follow = false

  func validate() throws {
    guard !follow || files.count == 1 else {
      throw ValidationError("--follow goes on with one recording: name one file.")
    }
  }

  func run() throws {
    if follow { return try follow(files[0]) }
    let groups = RunGroup.groups(of: RecordingNames.files(files))
    var code: ExitCode?
    for group in groups {
      do {
        try dump(group, isOneOfMany: groups.count > 1)
      } catch let failure as ExitCode {
        code = OpenedFiles.graver(code, failure)
      }
    }
    if let code { throw code }
  }

  /// Prints what belongs together, in one order.
  private func dump(_ group: RunGroup, isOneOfMany: Bool) throws {
    let opened = try OpenedFiles(group.files)
    var dump = try EventDump(opened.source, self, run: isOneOfMany ? group : nil)
    try dump.printNew()
    dump.sayUndecided()
    let damage = opened.damage
    for line in damage { Failure.say(line) }
    try order.say(dump.doubts, of: group.files.joined(separator: " "))
    if !damage.isEmpty { throw OpenedFiles.graver(opened.code, TraceOpening.damaged) }
    if let code = opened.code { throw code }
  }

  /// The same of one that grows, until its recorder ends.
  private func follow(_ file: String) throws {
    let source = try Following.open(file)
    var dump = try EventDump(source, self)
    try dump.printNew()
    try Self.follow(source, &dump)
    dump.sayUndecided()
    let damage = source.reader.problems.filter(\.isDamage)
    for problem in damage { Failure.say("\(Printable.line(file)): \(problem.text)") }
    try order.say(dump.doubts, of: file)
    if !damage.isEmpty { throw TraceOpening.damaged }
  }

  /// Prints what comes, until nothing more will.
  private static func follow(_ source: FileSource, _ dump: inout EventDump) throws {
    while source.reader.isBeingWritten {
      Following.pause()
      let sighting: TraceReader.Sighting
      do throws(TraceFileError) { sighting = try source.look() } catch {
        throw TraceOpening.leave(error)
      }
      if let end = Following.end(sighting, of: source.reader) { return Failure.say(end) }
      if sighting != .same { try dump.printNew() }
    }
    if let hint = RecoveryHint.text(for: source.reader) { Failure.say(hint) }
  }
}

/// Prints the chosen events of a recording as far as it goes, and then what has come since.
struct EventDump: ~Copyable {
  private let source: any EventSource
  private let timeline: Timeline
  private let command: DumpCommand
  private let run: RunGroup?
  /// A flag is looked up each time that it is asked for, which takes as long as a line.
  private let isJSON: Bool
  private var output = LineOutput()
  private var writer: StoryWriter
  /// By stream; one that was printed stays.
  private var labels: [String] = []
  private var filter = EventFilter.everything
  private var asking: Asking?
  /// What is before it was printed.
  private var printed: Position
  /// The event of the line before.
  private var last: Event?

  /// Behind a line of another machine than the one before it, where nothing proves which was first: a
  /// comment, as stories have them.
  private static let concurrent: StaticString = "  # ||"
  /// How many lines are put together at most before they are written.
  private static let pieceLines = 512

  /// `run` says whose events they are, where another run's come as well.
  init(_ source: any EventSource, _ command: DumpCommand, run: RunGroup? = nil) throws {
    self.source = source
    self.command = command
    self.run = run
    isJSON = command.json
    timeline = Timeline(source)
    writer = StoryWriter(clocks: timeline.alignment.clocks)
    printed = timeline.start
    if let run, !isJSON { try output.print("# \(run.heading)") }
    if !isJSON, !writer.epochLine.isEmpty { try output.print(writer.epochLine) }
    try meetStreams()
  }

  /// Prints what was not printed yet, new writers first.
  mutating func printNew() throws {
    let growth = timeline.grow()
    printed = timeline.widened(printed)
    if growth == .chunks || growth == .streams { try meetStreams() }
    var runs = OrderedRuns(timeline, filter, from: printed)
    while let run = runs.next() {
      let label = labels[Int(run.rows.stream.rawValue)]
      let events = run.rows.events
      // Within a run, as within a stream, its own numbers prove which was first.
      let first = events[run.indices.lowerBound]
      let isConcurrent = last.map { timeline.areConcurrent($0, first) } ?? false
      if isJSON {
        try printJSON(first, label, isConcurrent: isConcurrent)
        for index in run.indices.dropFirst() { try printJSON(events[index], label) }
      } else {
        try print(events, run.indices, label, isConcurrent: isConcurrent)
      }
      last = events[run.indices.upperBound - 1]
    }
    printed = timeline.finish
    try output.flush()
  }

  /// Prints the lines of events of one stream, of which the first may be concurrent to the line before.
  private mutating func print(
    _ events: [Event],
    _ indices: Range<Int>,
    _ label: String,
    isConcurrent: Bool
  ) throws {
    var rest = indices
    if isConcurrent {
      try output.print { line in
        writer.putNext(events[rest.removeFirst()], names: source.names, label: label, to: &line)
        line.putLiteral(Self.concurrent)
      }
    }
    while !rest.isEmpty {
      let piece = rest.prefix(Self.pieceLines)
      try output.write { lines in
        writer.putLines(
          events.span.extracting(piece),
          names: { source.names },
          label: label,
          to: &lines
        )
      }
      rest = piece.upperBound..<rest.upperBound
    }
  }

  /// Prints an event as an object.
  private mutating func printJSON(
    _ event: Event,
    _ label: String,
    isConcurrent: Bool = false
  ) throws {
    let time = timeline.time(of: event)
    let pairs = EventJSON.pairs(event, at: time, source.names, label)
    var marks: [(String, JSON)] = isConcurrent ? [("concurrent", JSON.bool(true))] : []
    if let run { marks.append(("run", .string(run.runs.joined(separator: " ")))) }
    try output.print(JSON.object(pairs + timeline.bounds(of: event) + marks).text)
  }

  /// What cannot be said of the order between machines.
  var doubts: [String] { timeline.doubts }

  /// Says of how many events it could not be decided whether they are meant.
  func sayUndecided() { asking?.sayUndecided(labels: labels) }

  /// Which of the streams are wanted, and a line about each that is new.
  private mutating func meetStreams() throws {
    let known = labels.count
    labels += AppLife.labels(timeline.writers)[known...]
    let selection = try SpanSelection(
      command.span,
      timeline,
      labels: labels,
      mayComeLater: command.follow
    )
    asking = try command.condition.asking(timeline)
    filter = asking?.filter ?? .everything
    filter.streams = Set(selection.streams.map(\.id))
    (filter.from, filter.to) = (selection.from, selection.to)
    guard !isJSON else { return }
    let labelOfWriter = Dictionary(
      zip(timeline.streams.map(\.writer), labels),
      uniquingKeysWith: { first, _ in first }
    )
    for stream in selection.streams where stream.id.rawValue >= known {
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
///
/// Where all events of some streams are wanted they come in runs; else one by one, as a search finds them.
struct OrderedRuns {
  private let timeline: Timeline
  private var all: EventRuns?
  private var hits: Hits?

  /// Those behind a position; all of them without one.
  init(_ timeline: Timeline, _ filter: EventFilter, from start: Position? = nil) {
    self.timeline = timeline
    if filter.isOfWholeStreams {
      all = EventRuns(of: timeline, streams: filter.streams, from: start)
    } else {
      hits = Hits(of: filter, in: timeline, from: start)
    }
  }

  mutating func next() -> EventRuns.Run? {
    // The stand-in for an event that could not be read says nothing; the damage itself is reported.
    while let run = found() { if !run.rows.isDamaged { return run } }
    return nil
  }

  private mutating func found() -> EventRuns.Run? {
    guard let place = try? hits?.next() else { return all?.next() }
    return EventRuns.Run(
      timeline.rows(of: Int(place.stream.rawValue), holding: place.index),
      only: place.index
    )
  }
}
