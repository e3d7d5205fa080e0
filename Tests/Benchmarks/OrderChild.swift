// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTraceFile

/// The measured side of a row of ``benchmarkMerge(_:)``: all events of a recording in the order of all.
///
/// A process of its own, so that the memory it has had is that of the order.
enum OrderChild {
  static let flag = "--order-child"

  /// Goes through the recording at `path`; it must hold so many events.
  static func run(_ path: String, events: Int) throws {
    let reader = try TraceReader(path: path, comparesPayloads: false)
    let timeline = Timeline(FileSource(reader))
    var runs = EventRuns(of: timeline)
    var count = 0
    while let run = runs.next() { count += run.indices.count }
    guard count == events, timeline.isCausal else {
      throw BenchmarkFailure(text: "\(path): \(count) events in order, of \(events)")
    }
  }
}
