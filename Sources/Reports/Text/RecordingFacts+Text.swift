// SPDX-License-Identifier: Apache-2.0
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile
import LifetraceWords

extension RecordingFacts {
  /// Processes without the SDK are shown up to here, unless all are asked for.
  private static let treeLinesMax = 200
  /// Lines for each kind of thing that a log reports; the rest is counted.
  private static let logLinesMax = 10

  /// What `info` prints, in lines: the file and its processes, what is gone, what to do next.
  package var text: [String] {
    let census = file.census
    var lines = [spanLine].compactMap { $0 } + timeScales.lines
    lines += origins
    lines += contradictions.map { "clocks: \($0)" }
    for writer in writers {
      lines.append(line(writer))
      lines += logLines(writer).map { "  \($0)" }
    }
    if showsTree, tree.seen > 0 {
      lines.append("processes, as they were started:")
      lines += tree.lines(linesMax: showsAll ? .max : Self.treeLinesMax).map { "  \($0)" }
    } else if hidden + tree.seen > 0 {
      lines.append(
        "\(Quantity.count(hidden + tree.seen, "process")) only seen from outside (--all)"
      )
    }
    if keepsData { lines.append("data: \(DeviceNote.keptData)") }
    if !absentees.isEmpty {
      lines.append("\(Quantity.count(absentees.count, "process")) could not join:")
      lines += absentees.map { "  \($0)" }
    }
    lines.append(lossLine)
    if writers.count + hidden > 1, let letGo = census.letGoText { lines.append(letGo) }
    if duplicates > 0 {
      let twice = duplicates == 1 ? "is there twice" : "are there twice"
      lines.append("\(Quantity.count(duplicates, "chunk")) \(twice)")
    }
    lines.append(endLine)
    if let recovery = file.recovery { lines.append(recovery) }
    lines += file.problems.filter { $0.kind == .noBegin }.map(\.text)
    lines += file.problems.filter(\.isDamage).map { "damage: \($0.text)" }
    if file.isDamaged {
      lines.append("To keep what is readable: \(file.repair)")
    } else if census.events > 0 {
      let path = Printable.line(file.path)
      lines.append("Judge the app: lifetrace check \(path)   walk it: lifetrace replay \(path)")
    }
    return [counts] + lines.map { "  \($0)" }
  }

  /// The file and how much is in it.
  var counts: String {
    let census = file.census
    let events = Quantity.count(census.events, "event")
    return "\(Printable.line(file.path)): \(events) of \(processes) in "
      + "\(Quantity.count(census.chunks, "chunk")), "
      + Quantity.fileBytes(file.bytes, events: census.events)
  }

  /// Whether it ended.
  var endLine: String {
    let end = isBeingWritten ? "has no end yet: it still runs" : "has no end: it was cut"
    return "the recording " + (hasEnd ? "ended well" : end)
  }

  /// How many processes; the device, to which things happen, is none.
  private var processes: String {
    let devices = writers.count {
      $0.stream.attributes.role == .harness && $0.stream.attributes.pid == 0
    }
    let count = Quantity.count(writers.count + hidden + tree.seen - devices, "process")
    return devices == 0 ? count : count + " and the device"
  }

  /// Recordings with lines of their own; of more the count is given.
  private static let originLinesMax = 8

  /// The recordings that it is made of and the machines that they were made on, where that is known.
  private var origins: [String] {
    var hosts: [RecordingOrigin: Set<String>] = [:]
    var order: [RecordingOrigin] = []
    for writer in writers {
      var origin = writer.stream.attributes.origin
      origin.recorder = nil
      guard origin != RecordingOrigin() else { continue }
      if hosts[origin] == nil { order.append(origin) }
      hosts[origin, default: []].insert(Printable.line(writer.stream.attributes.host))
    }
    let lines = order.prefix(Self.originLinesMax).map { origin in
      let names = (hosts[origin] ?? []).sorted().filter { !$0.isEmpty }.joined(separator: " and ")
      let machine = origin.machine.map { "machine \($0.text)" }
      let place = [names.isEmpty ? nil : "on \(names)", machine].compactMap { $0 }
      return [
        origin.session.map { "session \($0.text)" },
        origin.run.isEmpty ? nil : "run \(Printable.line(origin.run))",
        place.isEmpty ? nil : place.joined(separator: ", "),
      ]
      .compactMap { $0 }.joined(separator: ", ")
    }
    let more = order.count - lines.count
    return lines + (more > 0 ? ["and \(Quantity.count(more, "more session")) (info --json)"] : [])
  }

  /// How long, on the one axis of all clocks, and when that begins.
  var spanLine: String? {
    guard let (first, last) = span else { return nil }
    let kinds = clocks.joined(separator: " and ")
    let axis =
      switch (alignment.clockCount, alignment.isOneAxis) {
      case (1, _): "on the \(kinds) clock"
      case (let count, true):
        alignment.recording.evidence.isEmpty
          ? "on \(count) clocks (\(kinds)), compared by real time"
          : "on \(count) clocks (\(kinds)), compared by messages: lifetrace clocks says how"
      case (let count, false): "on \(count) clocks (\(kinds)) that cannot all be compared"
      }
    let begins = alignment.wall.map { ", from \($0.text(HostTime(rawValue: first.rawValue)))" }
    return "spans \(Quantity.duration(last - first)) \(axis)\(begins ?? "")"
  }

  /// What is gone, and why; never more than was looked at.
  var lossLine: String {
    let census = file.census
    var causes = EventFamily.allCases.compactMap { family in
      census.dropped[family].map {
        "\(Quantity.grouped($0.count)) \(family) dropped while recording"
      }
    }
    if !census.missing.isNone, !causes.isEmpty {
      causes.append("\(Quantity.grouped(census.missing.count)) damaged or missing in the file")
    }
    let line = census.lost.text + (causes.isEmpty ? "" : ": \(causes.joined(separator: ", "))")
    guard !isRead else { return line }
    return line + " as far as headers tell; payloads not read, "
      + "lifetrace verify \(Printable.line(file.path)) does"
  }

  private func line(_ writer: WriterFacts) -> String {
    let stream = writer.stream
    let attributes = stream.attributes
    let length = stream.lastTime - stream.firstTime
    return [
      writer.label, attributes.role.word, attributes.pid == 0 ? nil : "pid \(attributes.pid)",
      Quantity.count(writer.census.events, "event"),
      writer.wall.map { "from \($0.text(stream.firstTime))" },
      stream.lastTime > stream.firstTime ? "over \(Quantity.duration(length))" : nil,
      writer.ending?.words, "evidence: \(attributes.evidence)",
      attributes.profile.isEmpty ? nil : "profile \(attributes.profile)",
      writer.census.lost.isNone ? nil : writer.census.lost.text, writer.census.letGoText,
    ]
    .compactMap { $0 }.joined(separator: ", ")
  }

  /// The states, the background tasks and the possible suspensions of an app of a log.
  private func logLines(_ writer: WriterFacts) -> [String] {
    guard writer.stream.attributes.evidence == .log else { return [] }
    func since(_ time: HostTime) -> String {
      Wording.time(alignment.traceTime(time, of: writer.stream.id))
        + (writer.wall.map { " (\($0.clock(time)))" } ?? "")
    }
    func during(_ interval: LogStory.Interval) -> String {
      "from \(since(interval.begin)) "
        + (interval.end.map { "for \(Quantity.duration($0 - interval.begin))" } ?? "on")
    }
    let story = writer.story
    var states = story.states.map {
      "\(Wording.state($0.state)) from \(since($0.time))" + ($0.isInferred ? ", inferred" : "")
    }
    if !story.hasStart {
      let before = story.states.first.map { "unknown before \(since($0.time))" }
      states.insert(before ?? "its state is unknown", at: 0)
    }
    let tasks = story.tasks.map { "background task \($0.id) \"\($0.name)\" \(during($0.held))" }
    let possible = story.possible.map { "suspension possible \(during($0))" }
    return [(states, "change"), (tasks, "task"), (possible, "interval")].flatMap { lines, thing in
      let more = lines.count - Self.logLinesMax
      return lines.prefix(Self.logLinesMax)
        + (more > 0 ? ["and \(Quantity.count(more, "more \(thing)")) (info --json)"] : [])
    }
  }
}
