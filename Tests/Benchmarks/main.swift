// SPDX-License-Identifier: Apache-2.0
import Glibc

// `Scripts/bench.sh` runs this program. Each benchmark stands in a file of its
// own and has a row in `benchmarks`; a test runs them all at the small size, so
// that none can rot.

let usage = """
  usage: Benchmarks [--small] [NAME ...]
         Benchmarks --write-day FILE EVENTS
  --small   sizes that take a second together, to see that the benchmarks run
  --write-day  write days of app life of so many events, for others to measure with
  --list    the names

  """

func complain(_ problem: String) {
  let text = "Benchmarks: \(problem)\n\(usage)"
  _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
}

// This program is also the app that some benchmarks measure.
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == EmitChild.flag {
  EmitChild.run(CommandLine.arguments[2])
  exit(0)
}

if CommandLine.arguments.count == 4, CommandLine.arguments[1] == PacedChild.flag {
  PacedChild.run(
    rate: UInt64(CommandLine.arguments[2]) ?? 1,
    milliseconds: UInt64(CommandLine.arguments[3]) ?? 1
  )
  exit(0)
}

if CommandLine.arguments.count == 4, CommandLine.arguments[1] == WalkChild.flag {
  do {
    try WalkChild.run(CommandLine.arguments[2], jumps: Int(CommandLine.arguments[3]) ?? 1)
    exit(0)
  } catch {
    complain("\(error)")
    exit(74)
  }
}

if CommandLine.arguments.count == 4, CommandLine.arguments[1] == OrderChild.flag {
  do {
    try OrderChild.run(CommandLine.arguments[2], events: Int(CommandLine.arguments[3]) ?? 0)
    exit(0)
  } catch {
    complain("\(error)")
    exit(74)
  }
}

if CommandLine.arguments.count == 4, CommandLine.arguments[1] == "--write-day" {
  guard let events = Int(CommandLine.arguments[3]), events > 0 else {
    complain("\(CommandLine.arguments[3]) is no number of events")
    exit(64)
  }
  do {
    try LargeDay.write(to: CommandLine.arguments[2], events: events, dayEvents: 20_000_000)
    exit(0)
  } catch {
    complain("\(error)")
    exit(74)
  }
}

var size = BenchmarkSize.large
var wanted: [String] = []
for argument in CommandLine.arguments.dropFirst() {
  switch argument {
  case "--small": size = .small
  case "--list":
    for benchmark in benchmarks { print(benchmark.name) }
    exit(0)
  case _ where argument.hasPrefix("-"):
    complain("unknown option '\(argument)'")
    exit(64)
  default: wanted.append(argument)
  }
}
let unknown = wanted.filter { name in !benchmarks.contains { $0.name == name } }
guard unknown.isEmpty else {
  complain("no benchmark named \(unknown.joined(separator: ", "))")
  exit(64)
}

printHeading()
var failures = 0
for benchmark in benchmarks where wanted.isEmpty || wanted.contains(benchmark.name) {
  do {
    try benchmark.run(size) { row in
      print(row)
      fflush(nil)
    }
  } catch {
    failures += 1
    print("\(benchmark.name): \(error)")
  }
}
exit(failures == 0 ? 0 : 1)
