// SPDX-License-Identifier: Apache-2.0
import Lifecycle
public import Rules
import Trace
public import TraceFile

/// Runs a checker over a trace file, chunk by chunk: memory does not grow with the file.
///
///     var check = TraceCheck(reader: try TraceReader(path: "run.lifetrace"))
///     let report = check.run(Checker())
public struct TraceCheck {
  private let reader: TraceReader
  private let buffer = StrideBuffer()
  /// What could not be read, besides what the reader itself reports.
  public private(set) var unreadable: [String] = []

  /// Will read with `reader`.
  public init(reader: TraceReader) { self.reader = reader }

  /// Applies all events; damaged chunks are gaps in the numbering, which taint what they may have held.
  public mutating func run(_ checker: Checker) -> CheckReport {
    var checker = checker
    let writers = reader.streams.map { (id: $0.writer, attributes: $0.attributes) }
    let labels = checker.run(writers, names: { reader.names }) { index, checker in
      feed(reader.streams[index], &checker)
    }
    let times = reader.streams.map(\.firstTime)
    let hosts = writers.map { "\($0.attributes.host)/\($0.attributes.clock)" }
    let epochs = hosts.indices.map { index in
      times.indices.filter { hosts[$0] == hosts[index] }.map { times[$0] }.min() ?? times[index]
    }
    return CheckReport(checker, labels: labels, epochs: epochs)
  }

  private mutating func feed(_ stream: TraceStream, _ checker: inout Checker) {
    for (index, chunk) in stream.chunks.enumerated() {
      do {
        let payload = try reader.payload(of: chunk)
        // A recording that keeps only its last minutes begins with what it knew then.
        if index == 0 && chunk.firstSequence > 0 && chunk.keyframe == .full {
          if let state = try? LifeState(decoding: payload.keyframe, names: &reader.names) {
            checker.resume(state)
          }
        }
        if !chunk.losses.isEmpty && !chunk.kinds.contains(.loss) {
          for loss in chunk.losses {
            checker.lose(FamilySet(loss.family), count: loss.count, since: chunk.firstTime)
          }
        }
        // One copy a chunk: the reader's own would be retained for each event.
        let names = reader.names
        try reader.scan(chunk, payload, in: buffer) { events in
          for index in events.indices { checker.apply(events[index], names: names) }
        }
      } catch {
        unreadable.append(error.description)
      }
    }
  }
}
