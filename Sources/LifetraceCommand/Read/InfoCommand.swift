// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJudging
import LifetraceJSON
import ArgumentParser
import LifetraceDebugger
import LifetraceScenario
import LifetraceInterop
import LifetraceLifecycle
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile
import LifetraceWords

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Says what a recording holds.",
    discussion: """
      Apps with their incarnations, times, ends, sizes, losses and clocks; for a log of a device also \
      states, background tasks, and when the system may have suspended the app. Of a recording up to \
      32 MiB all checksums are compared; of a larger one only headers are read, so that it takes \
      milliseconds, and damage inside a chunk is for verify to see.
      """
  )

  @Argument(help: "The recording.", completion: .file())
  var file: String

  @Flag(help: "Also processes that were only seen, not recorded.")
  var all = false

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let facts = try TraceFacts(TraceOpening.open(file))
    print(json ? facts.json(file: file).text : facts.text(file: file, all: all))
    if facts.reader.problems.contains(where: \.isDamage) { throw TraceOpening.damaged }
  }

  static func json(_ problem: TraceProblem) -> JSON {
    .object([
      ("kind", .string(problem.kind.rawValue)),
      ("byte", problem.byte.map { JSON($0) } ?? .null),
      ("stream", problem.stream.map { JSON(Int($0.rawValue)) } ?? .null),
      ("text", .string(problem.text)),
    ])
  }

  static func json(_ clocks: ClockBracket) -> JSON {
    .object([
      ("tick", JSON(clocks.tick)), ("monotonic", .int(clocks.monotonic)),
      ("boottime", .int(clocks.boottime)), ("real", .int(clocks.real)),
    ])
  }
}

/// What `info` knows of a trace.
struct TraceFacts {
  let reader: TraceReader
  let labels: [String]
  let census: TraceCensus
  let alignment: Alignment
  /// Who could not join.
  let absentees: [String]
  /// Whether the apps of its scenario found data of earlier runs.
  let keepsData: Bool
  /// Whether the checksums of all chunks were compared.
  let isRead: Bool

  /// Of larger files only the headers are read.
  private static let readBytesMax: UInt64 = 32 << 20

  init(_ reader: TraceReader) throws {
    self.reader = reader
    labels = AppLife.labels(reader.streams.map { (id: $0.writer, attributes: $0.attributes) })
    alignment = Alignment(FileSource(reader).streams)
    absentees = Absentees(reader).sentences
    keepsData = KeptData.isNoted(in: reader)
    isRead = reader.fileBytes <= Self.readBytesMax
    do throws(TraceFileError) {
      if isRead { try reader.compareChecksums() }
    } catch {
      throw TraceOpening.leave(error)
    }
    census = reader.census
  }

  /// What is gone, and why; never more than was looked at.
  private func lossLine(_ file: String) -> String {
    var causes = EventFamily.allCases.compactMap { family in
      census.dropped[family].map {
        "\(Quantity.grouped($0.count)) \(family) dropped while recording"
      }
    }
    if !census.missing.isNone, !causes.isEmpty {
      causes.append("\(Quantity.grouped(census.missing.count)) damaged or missing in the file")
    }
    let line = census.lost.text + (causes.isEmpty ? "" : ": \(causes.joined(separator: ", "))")
    return isRead
      ? line
      : line
        + " as far as headers tell; payloads not read, lifetrace verify \(Printable.line(file)) does"
  }

  func text(file: String, all: Bool) -> String {
    var lines = [
      "\(Printable.line(file)): \(Quantity.count(census.events, "event")) of "
        + "\(processes) in "
        + "\(Quantity.count(census.chunks, "chunk")), "
        + Quantity.fileBytes(reader.fileBytes, events: census.events)
    ]
    if let span = spanLine { lines.append("  " + span) }
    lines += TimeScales(reader.streams.map(\.attributes)).lines.map { "  \($0)" }
    let hidden = reader.streams.filter { $0.attributes.role == .bystander }.count
    for stream in reader.streams where all || stream.attributes.role != .bystander {
      lines.append("  " + line(stream))
      lines += logLines(stream)
    }
    if hidden > 0, !all {
      lines.append("  \(Quantity.count(hidden, "process")) only seen from outside (--all)")
    }
    if keepsData { lines.append("  data: \(Scenario.keptData)") }
    if !absentees.isEmpty {
      lines.append("  \(Quantity.count(absentees.count, "process")) could not join:")
      lines += absentees.map { "    \($0)" }
    }
    lines.append("  " + lossLine(file))
    if reader.streams.count > 1, let letGo = census.letGoText { lines.append("  \(letGo)") }
    if reader.duplicates > 0 {
      let twice = reader.duplicates == 1 ? "is there twice" : "are there twice"
      lines.append("  \(Quantity.count(reader.duplicates, "chunk")) \(twice)")
    }
    let end = reader.isBeingWritten ? "has no end yet: it still runs" : "has no end: it was cut"
    lines.append("  the recording " + (reader.hasEnd ? "ended well" : end))
    if let hint = RecoveryHint.text(for: reader) { lines.append("  \(hint)") }
    lines += reader.problems.filter { $0.kind == .noBegin }.map { "  \($0.text)" }
    lines += reader.problems.filter(\.isDamage).map { "  damage: \($0.text)" }
    if reader.problems.contains(where: \.isDamage) {
      lines.append("  To keep what is readable: lifetrace repair \(Printable.line(file)) -o OUT")
    } else if census.events > 0 {
      lines.append(
        "  Judge the app: lifetrace check \(Printable.line(file))   walk it: lifetrace replay \(Printable.line(file))"
      )
    }
    return lines.joined(separator: "\n")
  }

  /// How many processes; the device, to which things happen, is none.
  private var processes: String {
    let devices = reader.streams.count { $0.attributes.role == .harness && $0.attributes.pid == 0 }
    let count = Quantity.count(reader.streams.count - devices, "process")
    return devices == 0 ? count : count + " and the device"
  }

  /// How long, on the one axis of all clocks, and when that begins.
  private var spanLine: String? {
    let times = reader.streams.map {
      (first: since($0.firstTime, $0), last: since($0.lastTime, $0))
    }
    guard let first = times.map(\.first).min(), let last = times.map(\.last).max() else {
      return nil
    }
    let kinds = Set(reader.streams.map { "\($0.attributes.clock)" }).sorted()
      .joined(separator: " and ")
    let clocks =
      switch (alignment.clockCount, alignment.isOneAxis) {
      case (1, _): "on the \(kinds) clock"
      case (let count, true): "on \(count) clocks (\(kinds)), compared by real time"
      case (let count, false): "on \(count) clocks (\(kinds)) that cannot all be compared"
      }
    let begins = alignment.wall.map { ", from \($0.text(HostTime(rawValue: first.rawValue)))" }
    return "spans \(Quantity.duration(last - first)) \(clocks)\(begins ?? "")"
  }

  /// On the axis whose zero is the trace's first event.
  private func since(_ time: HostTime, _ stream: TraceStream) -> TraceTime {
    alignment.traceTime(time, of: stream.id)
  }

  /// Of each kind of thing that a log tells.
  private static let logLinesMax = 10

  /// The states, the background tasks and the possible suspensions of an app of a log.
  private func logLines(_ stream: TraceStream) -> [String] {
    let story = LogStory(reader, stream)
    let wall = WallClock(of: stream.attributes)
    func since(_ time: HostTime) -> String {
      Wording.time(self.since(time, stream))
        + (wall.map { " (\($0.clock(time)))" } ?? "")
    }
    func during(_ begin: HostTime, _ end: HostTime?) -> String {
      end.map { "from \(since(begin)) for \(Quantity.duration($0 - begin))" }
        ?? "from \(since(begin)) on"
    }
    guard stream.attributes.evidence == .log else { return [] }
    var states = story.states.map { state, time, isInferred in
      "\(Wording.state(state)) from \(since(time))" + (isInferred ? ", inferred" : "")
    }
    if !story.hasStart {
      states.insert(
        story.states.first.map { "unknown before \(since($0.time))" } ?? "its state is unknown",
        at: 0
      )
    }
    let tasks = story.tasks.map { id, name, begin, end in
      "background task \(id) \"\(name)\" \(during(begin, end))"
    }
    let possible = story.possible.map { "suspension possible \(during($0.begin, $0.end))" }
    return [(states, "change"), (tasks, "task"), (possible, "interval")].flatMap { lines, thing in
      let more = lines.count - Self.logLinesMax
      return lines.prefix(Self.logLinesMax).map { "    \($0)" }
        + (more > 0 ? ["    and \(Quantity.count(more, "more \(thing)")) (info --json)"] : [])
    }
  }

  private func line(_ stream: TraceStream) -> String {
    let attributes = stream.attributes
    var parts = [labels[Int(stream.id.rawValue)], "\(attributes.role)"]
    if attributes.pid != 0 { parts.append("pid \(attributes.pid)") }
    let census = reader.census(of: stream)
    parts.append(Quantity.count(census.events, "event"))
    if let begin = StreamClock(reader, stream).begin { parts.append("from \(begin)") }
    if stream.lastTime > stream.firstTime {
      parts.append("over \(Quantity.duration(stream.lastTime - stream.firstTime))")
    }
    if let ending = ProcessEnding(reader, stream).text { parts.append(ending) }
    parts.append("evidence: \(attributes.evidence)")
    if !attributes.profile.isEmpty { parts.append("profile \(attributes.profile)") }
    if !census.lost.isNone { parts.append(census.lost.text) }
    if let letGo = census.letGoText { parts.append(letGo) }
    return parts.joined(separator: ", ")
  }

  func json(file: String) -> JSON {
    .object(
      [("file", .string(file)), ("bytes", JSON(reader.fileBytes))] + census.json + [
        ("payloadsRead", .bool(isRead)),
        ("duplicates", JSON(reader.duplicates)),
        ("end", .bool(reader.hasEnd)),
        ("lost", lost(census)),
        ("notJoined", .array(absentees.map(JSON.string))),
        ("streams", .array(reader.streams.map(json))),
        ("problems", .array(reader.problems.map(InfoCommand.json))),
      ]
    )
  }

  private func lost(_ census: TraceCensus) -> JSON {
    .object(
      EventFamily.allCases.compactMap { family in
        census.dropped[family].map { ("\(family)", JSON($0.count)) }
      }
    )
  }

  private func json(_ time: HostTime?) -> JSON { time.map { .int($0.rawValue) } ?? .null }

  private func json(_ state: (state: AppState, time: HostTime, isInferred: Bool)) -> JSON {
    .object([
      ("state", .string(Wording.state(state.state))), ("time", json(state.time)),
      ("inferred", .bool(state.isInferred)),
    ])
  }

  private func json(_ task: (id: UInt64, name: String, begin: HostTime, end: HostTime?)) -> JSON {
    .object([
      ("id", JSON(task.id)), ("name", .string(task.name)), ("begin", json(task.begin)),
      ("end", json(task.end)),
    ])
  }

  private func json(_ stream: TraceStream) -> JSON {
    let attributes = stream.attributes
    let story = LogStory(reader, stream)
    let facts: [(String, JSON)] = [
      ("label", .string(labels[Int(stream.id.rawValue)])),
      ("writer", .string(stream.writer.text)),
      ("app", .string(attributes.app)),
      ("process", .string(attributes.process)),
      ("role", .string("\(attributes.role)")),
      ("pid", JSON(Int(attributes.pid))),
      ("host", .string(attributes.host)),
      ("boot", .string(attributes.boot)),
      ("previous", JSON(attributes.previous?.text)),
      ("profile", .string(attributes.profile)),
      ("evidence", .string("\(attributes.evidence)")),
      ("clock", .string("\(attributes.clock)")),
      ("realOffset", attributes.realOffset == 0 ? .null : .int(attributes.realOffset)),
      ("clocks", .array(StreamClock(reader, stream).brackets.map(InfoCommand.json))),
      ("states", .array(story.states.map(json))),
      ("tasks", .array(story.tasks.map(json))),
      (
        "suspensionPossible",
        .array(
          story.possible.map { begin, end in
            .object([("begin", .int(begin.rawValue)), ("end", json(end))])
          }
        )
      ),
      ("firstTime", .int(stream.firstTime.rawValue)),
      ("lastTime", .int(stream.lastTime.rawValue)),
      ("sinceStart", .int(since(stream.firstTime, stream).rawValue)),
      ("ending", JSON(ProcessEnding(reader, stream).text)),
      ("lost", lost(reader.census(of: stream))),
      ("end", .bool(stream.hasEnd)),
    ]
    return .object(facts + reader.census(of: stream).json)
  }
}
