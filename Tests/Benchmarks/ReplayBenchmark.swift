// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceLifecycle
import LifetraceQuery
import LifetraceReplay
import Support
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile

/// Walking a recording of "a day of app life": opening, `goto` anywhere, stepping back.
///
/// `LIFETRACE_BENCH_EVENTS` makes the recording larger or smaller than 10 million events.
func benchmarkReplay(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let count = LargeDay.eventsAsked ?? (size == .small ? 100_000 : 10_000_000)
  let directory = try BenchmarkDirectory()
  let path = directory.path + "/day.lifetrace"
  let dayEvents = size == .small ? 50_000 : 10_000_000
  try LargeDay.write(to: path, events: count, dayEvents: dayEvents)

  let opening = now()
  let player = Player(Timeline(FileSource(try TraceReader(path: path))))
  let opened = Double(now() - opening) / 1e6
  let scale = count >= 1_000_000 ? "\(count / 1_000_000) M" : "\(count / 1_000) k"
  var rows = [
    BenchmarkRow(
      "open \(scale) events, \(player.timeline.streams.count) writers",
      "\(fixed(opened)) ms",
      target: "50 ms for 100 M",
      reached: opened <= max(1, 50 * Double(count) / 100e6)
    )
  ]
  rows += gotoRows(player, count, jumps: size == .small ? 100 : 2_000, scale)
  rows += stepRows(player, count, walks: size == .small ? 10 : 200)
  rows += try searchRows(path, count, scale)
  rows += try scanRows(path, count, scale)
  if let binary = getenv("LIFETRACE_BINARY") {
    rows.append(firstPrompt(String(cString: binary), path, scale))
  }
  return rows
}

/// Jumps to random events, each time with the state of the app there; processor time.
private func gotoRows(_ player: Player, _ count: Int, jumps: Int, _ scale: String)
  -> [BenchmarkRow]
{
  var random = SeededRandom(seed: 7)
  var times: [Double] = []
  var checksum = 0
  for _ in 0..<jumps {
    let number = Int.random(in: 1...count, using: &random)
    let start = processorTime()
    player.seek(toEvent: number)
    checksum &+= Int(player.state(of: player.focus).appState.rawValue)
    times.append(Double(processorTime() - start) / 1e6)
  }
  times.sort()
  let (p50, p99) = (times[times.count / 2], times[times.count * 99 / 100])
  return [
    BenchmarkRow("goto anywhere in \(scale) events, p50", "\(fixed(p50, 2)) ms"),
    BenchmarkRow(
      "goto anywhere in \(scale) events, p99",
      "\(fixed(p99, 2)) ms",
      peer: checksum < 0 ? "" : "rr: seconds",
      target: "at most 1 ms",
      reached: p99 <= 1
    ),
  ]
}

/// Steps back through a few hundred events from random places, with the state at each.
///
/// The mean is of processor time; the clock of single steps goes on while others have the core.
private func stepRows(_ player: Player, _ count: Int, walks: Int) -> [BenchmarkRow] {
  var random = SeededRandom(seed: 8)
  var times: [Double] = []
  var total = 0.0
  var checksum = 0
  for _ in 0..<walks {
    player.seek(toEvent: Int.random(in: count / 10...count, using: &random))
    checksum &+= player.state(of: player.focus).data.count
    let begin = processorTime()
    defer { total += Double(processorTime() - begin) / 1e3 }
    for _ in 0..<200 {
      let start = now()
      _ = try? player.step(.backward)
      checksum &+= player.state(of: player.focus).data.count
      times.append(Double(now() - start) / 1e3)
    }
  }
  times.sort()
  let (p50, p99) = (times[times.count / 2], times[times.count * 99 / 100])
  let mean = total / Double(times.count)
  return [
    BenchmarkRow(
      "step back, with the state, mean",
      "\(fixed(mean, 2)) us",
      peer: checksum < 0 ? "" : "rr: up to 1 s",
      target: "at most 2 us",
      reached: mean <= 2
    ),
    BenchmarkRow("step back, with the state, p50 / p99", "\(fixed(p50, 2)) / \(fixed(p99, 2)) us"),
  ]
}

/// Looks for names that do not occur, in a recording that was only opened; the median of five.
private func searchRows(_ path: String, _ count: Int, _ scale: String) throws -> [BenchmarkRow] {
  let limits = [("exact name", "object == \"draft.pdf\"", 50.0), ("substring", "", 100.0)]
  return try limits.map { what, expression, limit in
    var times: [Double] = []
    for _ in 0..<5 {
      let player = Player(Timeline(FileSource(try TraceReader(path: path))))
      let start = now()
      let filter =
        expression.isEmpty
        ? Mentions("draft.pdf", player).filter : Asking(try Question(expression), player).filter
      let found = try player.find(filter, .forward)
      times.append(Double(now() - start) / 1e6)
      guard found == nil else { throw BenchmarkFailure(text: "\(what) found") }
    }
    let middle = median(times)
    return BenchmarkRow(
      "deny a\(expression.isEmpty ? "" : "n") \(what) in \(scale) events",
      "\(fixed(middle, 2)) ms",
      target: "\(fixed(limit, 0)) ms in 50 M",
      reached: middle <= limit * max(1, Double(count) / 50e6)
    )
  }
}

/// Conditions that hold nowhere and of which no header can say so, both ways: the median of three, in
/// processor time.
private func scanRows(_ path: String, _ count: Int, _ scale: String) throws -> [BenchmarkRow] {
  let conditions = [
    ("events", "thread == t4000000000", 1_600.0),
    ("events and state", "thread == t4000000000 || count tasks > 100000", 2_500.0),
    ("the state alone", "count tasks > 100000", 2_500.0),
    ("how long something took", "took > 100h", 2_500.0),
  ]
  var rows: [BenchmarkRow] = []
  for (what, text, limit) in conditions {
    for direction in [Direction.forward, .backward] {
      var times: [Double] = []
      for _ in 0..<3 {
        let player = Player(Timeline(FileSource(try TraceReader(path: path))))
        if direction == .backward { player.seek(toEvent: count) }
        let start = processorTime()
        let filter = Asking(try Question(condition: text), player).filter
        let found = try player.find(filter, direction)
        times.append(Double(processorTime() - start) / 1e6)
        guard found == nil else { throw BenchmarkFailure(text: "\(text) found") }
      }
      let middle = median(times)
      rows.append(
        BenchmarkRow(
          "ask \(what), \(direction), \(scale) events",
          "\(fixed(middle)) ms",
          target: "\(fixed(limit, 0)) ms in 50 M",
          // What a first search costs once does not grow with the recording.
          reached: middle <= 50 + limit * Double(count) / 50e6
        )
      )
    }
  }
  return rows
}

/// From the start of the process to the end of the greeting.
private func firstPrompt(_ binary: String, _ path: String, _ scale: String) -> BenchmarkRow {
  var times: [Double] = []
  for _ in 0..<5 {
    let start = now()
    if system("'\(binary)' replay --batch --no-init '\(path)' > /dev/null") != 0 { break }
    times.append(Double(now() - start) / 1e6)
  }
  guard times.count == 5 else { return BenchmarkRow("first prompt", "could not run \(binary)") }
  let middle = median(times)
  return BenchmarkRow(
    "first prompt on \(scale) events, whole process",
    "\(fixed(middle)) ms",
    target: "100 ms",
    reached: middle <= 100
  )
}
