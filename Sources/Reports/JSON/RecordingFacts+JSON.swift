// SPDX-License-Identifier: Apache-2.0
package import LifetraceJSON
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile
import LifetraceWords

extension RecordingFacts {
  /// What `info --json` prints.
  package var json: JSON {
    .object(
      file.members + [
        ("payloadsRead", .bool(isRead)),
        ("duplicates", JSON(duplicates)),
        ("end", .bool(hasEnd)),
        ("lost", file.census.losses),
        ("notJoined", .array(absentees.map(JSON.string))),
        ("streams", .array(writers.map(json))),
        ("processes", .array(tree.processes.filter { $0.status != nil }.map(json))),
        ("problems", file.problemList),
      ]
    )
  }

  private func json(_ process: ProcessTree.Process) -> JSON {
    .object([
      ("pid", JSON(process.pid)), ("parent", JSON(process.parent)),
      ("command", .string(process.command)), ("lasted", .int(process.lasted ?? 0)),
      ("status", .int(Int64(process.status ?? 256))),
    ])
  }

  private func json(_ writer: WriterFacts) -> JSON {
    let stream = writer.stream
    let attributes = stream.attributes
    let since = alignment.traceTime(stream.firstTime, of: stream.id)
    let facts: [(String, JSON)] = [
      ("label", .string(writer.label)),
      ("writer", .string(stream.writer.text)),
      ("app", .string(attributes.app)),
      ("process", .string(attributes.process)),
      ("role", .string("\(attributes.role)")),
      ("pid", JSON(Int(attributes.pid))),
      ("host", .string(attributes.host)),
      ("boot", .string(attributes.boot)),
      ("session", JSON(attributes.origin.session?.text)),
      ("run", attributes.origin.run.isEmpty ? .null : .string(attributes.origin.run)),
      ("machine", JSON(attributes.origin.machine?.text)),
      ("recorder", JSON(attributes.origin.recorder?.text)),
      ("previous", JSON(attributes.previous?.text)),
      ("profile", .string(attributes.profile)),
      ("evidence", .string("\(attributes.evidence)")),
      ("clock", .string("\(attributes.clock)")),
      ("realOffset", attributes.realOffset == 0 ? .null : .int(attributes.realOffset)),
      ("clocks", .array(writer.brackets.map(\.json))),
      ("states", .array(writer.story.states.map(\.json))),
      ("tasks", .array(writer.story.tasks.map(\.json))),
      ("suspensionPossible", .array(writer.story.possible.map { .object($0.members) })),
      ("firstTime", .int(stream.firstTime.rawValue)),
      ("lastTime", .int(stream.lastTime.rawValue)),
      ("sinceStart", .int(since.rawValue)),
      ("ending", JSON(writer.ending?.words)),
      ("lost", writer.census.losses),
      ("end", .bool(stream.hasEnd)),
    ]
    return .object(facts + writer.census.members)
  }
}

extension ClockBracket {
  fileprivate var json: JSON {
    .object([
      ("tick", JSON(tick)), ("monotonic", .int(monotonic)), ("boottime", .int(boottime)),
      ("real", .int(real)), ("width", JSON(width)),
    ])
  }
}

extension LogStory.Change {
  fileprivate var json: JSON {
    .object([
      ("state", .string(Wording.state(state))), ("time", .int(time.rawValue)),
      ("inferred", .bool(isInferred)),
    ])
  }
}

extension LogStory.Task {
  fileprivate var json: JSON {
    .object([("id", JSON(id)), ("name", .string(name))] + held.members)
  }
}

extension LogStory.Interval {
  fileprivate var members: [(String, JSON)] {
    [("begin", .int(begin.rawValue)), ("end", end.map { .int($0.rawValue) } ?? .null)]
  }
}
