// SPDX-License-Identifier: Apache-2.0
import LifetraceDebugger
import LifetraceReplay
import LifetraceTimeline
import LifetraceTraceFile

/// How soon a command that takes long ends at Ctrl-C, whenever that comes; elapsed time.
///
/// `LIFETRACE_BENCH_EVENTS` makes the recording larger or smaller than 10 million events.
func benchmarkInterrupt(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let count = LargeDay.eventsAsked ?? (size == .small ? 5_000 : 10_000_000)
  let directory = try BenchmarkDirectory()
  let path = directory.path + "/day.lifetrace"
  try LargeDay.write(to: path, events: count, dayEvents: size == .small ? 5_000 : 10_000_000)
  let presses = size == .small ? 2 : 12
  return try InterruptedCommand.all.map { what, line in
    let whole = try InterruptedCommand(path, line, pressedAfter: nil)
    // Not only in the first seconds: all over what the command does.
    let ends = try (0..<presses).map { press in
      let after = whole.taken * UInt64(press) / UInt64(presses)
      return try InterruptedCommand(path, line, pressedAfter: after)
    }
    let latencies = ends.compactMap(\.latency).sorted()
    let worst = latencies.last ?? 0
    return BenchmarkRow(
      "Ctrl-C in \(what), longest of \(latencies.count)",
      "\(fixed(worst, 2)) ms",
      peer: "to its end \(fixed(Double(whole.taken) / 1e6, 0)) ms",
      target: "100 ms",
      reached: size == .small ? nil : worst <= 100
    )
  }
}

/// A command on a recording that was only opened, ended after some time or not.
private struct InterruptedCommand {
  static let all = [
    ("a search for events", "find work.end && thread == t4000000000"),
    ("a search of the state", "find count data > 100000"),
    ("the same backward", "reverse-find count data > 100000"),
    ("a count", "count dirty && any data where unsaved > 0 by object"),
    ("list where", "list where count tasks > 100000"),
    ("a history", "history count data where unsaved > 0"),
    ("the check", "violations"),
    ("an explanation", "why #1"),
    ("slack", "slack"),
    ("a difference", "diff start end"),
    ("another profile", "what-if profile ios7"),
    ("the least events", "minimize #1"),
    ("a map of losses", "lossmap"),
    ("a picture", "timeline all"),
  ]

  /// Nanoseconds from the start of the command to its end.
  let taken: UInt64
  /// Milliseconds from Ctrl-C to its end; nil where it had ended before.
  let latency: Double?

  init(_ path: String, _ line: String, pressedAfter delay: UInt64?) throws {
    let player = Player(Timeline(FileSource(try TraceReader(path: path))))
    let debugger = Debugger(player, options: DebuggerOptions(title: path)) { _ in }
    if line.hasPrefix("reverse") { debugger.runAll(["goto end"]) }
    let start = now()
    if let delay { player.isInterrupted = { now() - start >= delay } }
    debugger.runAll([line])
    let taken = now() - start
    latency = delay.flatMap { taken > $0 ? Double(taken - $0) / 1e6 : nil }
    self.taken = taken
  }
}
