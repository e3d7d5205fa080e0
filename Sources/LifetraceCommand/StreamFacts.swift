// SPDX-License-Identifier: GPL-3.0-or-later
import Console
import Trace
import TraceFile

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

/// The intervals of an imported log in which the app was in the background with nothing to hold it awake.
struct SuspensionIntervals {
  /// The end is nil where the log ends first.
  private(set) var intervals: [(begin: HostTime, end: HostTime?)] = []

  init(_ reader: TraceReader, _ stream: TraceStream) {
    guard stream.attributes.evidence == .log else { return }
    let kinds: [EventKind] = [.resourceAcquire, .resourceRelease]
    for chunk in stream.chunks where kinds.contains(where: chunk.kinds.contains) {
      guard let events = try? reader.decode(chunk).events else { continue }
      for event in events where kinds.contains(event.kind) {
        let names = reader.names
        guard names[event.identityName] == ResourceClass.suspensionPossible else { continue }
        if event.kind == .resourceAcquire {
          intervals.append((event.time, nil))
        } else if let last = intervals.indices.last {
          intervals[last].end = event.time
        }
      }
    }
  }
}
