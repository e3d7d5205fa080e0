// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceReplay
import LifetraceTrace
import LifetraceTraceFile
import LifetraceWords

/// What a writer's stream says of its clocks.
struct StreamClock {
  /// The first and the last readings of the host's clocks.
  let brackets: [ClockBracket]
  /// When the stream begins, by the calendar, or by the time of day alone; nil where neither is known.
  let begin: String?

  init(_ reader: TraceReader, _ stream: TraceStream) {
    let ends =
      stream.chunks.count > 1 ? [stream.chunks.first, stream.chunks.last] : [stream.chunks.first]
    let read = ends.compactMap { $0 }.flatMap { (try? reader.header(of: $0))?.clocks ?? [] }
    brackets = read.count > 2 ? [read[0], read[read.count - 1]] : read
    begin = WallClock(of: stream.attributes)?.text(stream.firstTime)
  }
}

/// How a process ended, as the last of its events that says so tells it.
struct ProcessEnding {
  /// `ended (signal), SIGKILL`; nil where the stream is of no process.
  let text: String?

  init(_ reader: TraceReader, _ stream: TraceStream) {
    let isLog = stream.attributes.evidence == .log
    let chunk = stream.chunks.last { $0.kinds.contains(.processExit) || $0.kinds.contains(.purge) }
    let events = chunk.flatMap { try? reader.decode($0).events } ?? []
    if let end = events.last(where: { $0.kind == .processExit })
      ?? events.last(where: { $0.kind == .purge })
    {
      let unseen = ExitEvidence.words(reader.names[end.exitEvidence])
      text =
        unseen.map { "ended unseen: \($0.reason)" } ?? EventText.sentence(end, reader.names).line
    } else if chunk != nil {
      text = "how it ended cannot be read"
    } else if stream.attributes.pid == 0, !isLog {
      text = nil
    } else if reader.isBeingWritten {
      text = "still running"
    } else {
      text = isLog ? "not ended by the end of the log" : Self.outlives(reader)
    }
  }

  private static func outlives(_ reader: TraceReader) -> String {
    reader.hasEnd ? "still running when the recording ended" : "its end is not in the recording"
  }
}

/// What an imported log tells of an app, in the order of its events.
struct LogStory {
  /// The states that it entered, and whether that is inferred.
  private(set) var states: [(state: AppState, time: HostTime, isInferred: Bool)] = []
  /// Whether the log reaches back to the start of the process, when it was not running.
  private(set) var hasStart = false
  /// Its background tasks; the end is nil where the log ends first.
  private(set) var tasks: [(id: UInt64, name: String, begin: HostTime, end: HostTime?)] = []
  /// When it was in the background with nothing to hold it awake; the end as with tasks.
  private(set) var possible: [(begin: HostTime, end: HostTime?)] = []

  private static let kinds: [EventKind] = [
    .processStart, .transition, .suspend, .resume, .processExit, .taskBegin, .taskEnd,
    .resourceAcquire,
    .resourceRelease,
  ]

  /// Empty where the stream is of no log.
  init(_ reader: TraceReader, _ stream: TraceStream) {
    guard stream.attributes.evidence == .log else { return }
    var open: [UInt64: Int] = [:]
    for chunk in stream.chunks where Self.kinds.contains(where: chunk.kinds.contains) {
      guard let events = try? reader.decode(chunk).events else { continue }
      let names = reader.names
      for event in events {
        switch event.kind {
        case .processStart: hasStart = true
        case .taskBegin:
          let task = Payload.TaskBegin(event)
          open[task.id] = tasks.count
          tasks.append((task.id, Printable.line(names[task.name]), event.time, nil))
        case .taskEnd:
          if let task = open.removeValue(forKey: event.identity) { tasks[task].end = event.time }
        case .resourceAcquire where names[event.identityName] == ResourceClass.suspensionPossible:
          possible.append((event.time, nil))
        case .resourceRelease where names[event.identityName] == ResourceClass.suspensionPossible:
          if let last = possible.indices.last { possible[last].end = event.time }
        default: enter(event)
        }
      }
    }
  }

  private mutating func enter(_ event: Event) {
    let state: AppState? =
      switch event.kind {
      case .transition: Payload.Transition(event).to.value
      case .suspend: .suspended
      case .resume: .background
      case .processExit: .notRunning
      default: nil
      }
    guard let state else { return }
    states.append((state, event.time, event.flags.contains(.inferred)))
  }
}
