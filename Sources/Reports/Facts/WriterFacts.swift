// SPDX-License-Identifier: Apache-2.0
import LifetraceReplay
package import LifetraceTrace
package import LifetraceTraceFile
import LifetraceWords

/// What a recording says of one of its processes.
package struct WriterFacts: Sendable {
  /// How people call it: `notes#1`.
  package let label: String
  /// Its stream: the writer, and the times of its events.
  package let stream: TraceStream
  /// How many events it has, and what is gone of them.
  package let census: TraceCensus
  /// The first and the last readings of its host's clocks.
  package let brackets: [ClockBracket]
  /// How it ended; nil where it is no process.
  package let ending: ProcessEnding?
  /// What a log reports of it; empty where its stream is of no log.
  package let story: LogStory

  /// What its log, or its host, knew of the time of day.
  package var wall: WallClock? { WallClock(of: stream.attributes) }

  init(_ reader: TraceReader, _ stream: TraceStream, label: String) {
    self.label = label
    self.stream = stream
    census = reader.census(of: stream)
    let ends =
      stream.chunks.count > 1 ? [stream.chunks.first, stream.chunks.last] : [stream.chunks.first]
    let read = ends.compactMap { $0 }.flatMap { (try? reader.header(of: $0))?.clocks ?? [] }
    brackets = read.count > 2 ? [read[0], read[read.count - 1]] : read
    ending = ProcessEnding(reader, stream)
    story = LogStory(reader, stream)
  }
}

/// How a process ended, by the last of its events that says so.
package enum ProcessEnding: Sendable, Hashable {
  /// An event says how, in these words.
  case seen(String)
  /// It was not seen; why the process is known to have ended.
  case unseen(reason: String)
  /// The chunk that says it is damaged.
  case unreadable
  /// A log ends before it does.
  case outlivesLog
  /// It runs, as far as a recording shows that is still written, or has ended.
  case running(isRecorded: Bool)
  /// The recording has no end, and so nothing says it.
  case cut

  /// Nil where the stream is of no process.
  init?(_ reader: TraceReader, _ stream: TraceStream) {
    let isLog = stream.attributes.evidence == .log
    let chunk = stream.chunks.last { $0.kinds.contains(.processExit) || $0.kinds.contains(.purge) }
    let events = chunk.flatMap { try? reader.decode($0).events } ?? []
    if let end = events.last(where: { $0.kind == .processExit })
      ?? events.last(where: { $0.kind == .purge })
    {
      let unseen = ExitEvidence.words(reader.names[end.exitEvidence])
      self =
        unseen.map { .unseen(reason: $0.reason) }
        ?? .seen(EventText.sentence(end, reader.names).line)
    } else if chunk != nil {
      self = .unreadable
    } else if stream.attributes.pid == 0, !isLog {
      return nil
    } else if reader.isBeingWritten {
      self = .running(isRecorded: true)
    } else if isLog {
      self = .outlivesLog
    } else {
      self = reader.hasEnd ? .running(isRecorded: false) : .cut
    }
  }

  /// The end in words, such as `ended (signal), SIGKILL`.
  package var words: String {
    switch self {
    case .seen(let sentence): sentence
    case .unseen(let reason): "ended unseen: \(reason)"
    case .unreadable: "how it ended cannot be read"
    case .outlivesLog: "not ended by the end of the log"
    case .running(let isRecorded):
      isRecorded ? "still running" : "still running when the recording ended"
    case .cut: "its end is not in the recording"
    }
  }
}
