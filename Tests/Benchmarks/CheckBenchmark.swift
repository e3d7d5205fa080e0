// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Judging a recording of "a day of app life", many days long, as a whole process: what memory it
/// takes, and how fast it is.
///
/// `LIFETRACE_BENCH_EVENTS` makes the recording larger or smaller than 100 million events, which
/// take 0.4 GB in /tmp and some minutes to make up. `LIFETRACE_BINARY` is the program; else the one
/// beside this.
func benchmarkCheck(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let count = LargeDay.eventsAsked ?? (size == .small ? 100_000 : 100_000_000)
  let directory = try BenchmarkDirectory()
  let path = directory.path + "/days.lifetrace"
  let dayEvents = size == .small ? 50_000 : 10_000_000
  try LargeDay.write(to: path, events: count, dayEvents: dayEvents)
  let start = now()
  let checked = try run([lifetrace(), "check", path])
  let seconds = Double(now() - start) / 1e9
  let megabytes = Double(checked.kibibytes) / 1_024
  let scale = count >= 1_000_000 ? "\(count / 1_000_000) M" : "\(count / 1_000) k"
  return [
    BenchmarkRow(
      "check \(scale) events, whole process: memory",
      "\(fixed(megabytes)) MB",
      target: "at most 64 MB",
      reached: megabytes <= 64
    ),
    BenchmarkRow(
      "the same: rate",
      "\(fixed(Double(count) / seconds / 1e6)) M events/s",
      peer: "\(fixed(Double(count) / checked.processor / 1e6)) for each core's second"
    ),
  ]
}
