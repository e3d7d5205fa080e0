// SPDX-License-Identifier: Apache-2.0

/// One benchmark: a name for the command line, and what it measures.
struct Benchmark {
  var name: String
  var run: (BenchmarkSize) throws -> [BenchmarkRow]
}

/// How much to do: `small` proves that a benchmark runs, `large` measures.
enum BenchmarkSize { case small, large }

/// Every benchmark, in the order of the printed table.
nonisolated(unsafe) let benchmarks: [Benchmark] = [
  Benchmark(name: "emit", run: benchmarkEmit),
  Benchmark(name: "recorded-emit", run: benchmarkRecordedEmit),
  Benchmark(name: "file", run: benchmarkFile),
  Benchmark(name: "open", run: benchmarkOpen),
  Benchmark(name: "model", run: benchmarkModel),
  Benchmark(name: "recorder", run: benchmarkRecorder),
  Benchmark(name: "simulator", run: benchmarkSimulator),
  Benchmark(name: "explore", run: benchmarkExplore),
  Benchmark(name: "host", run: benchmarkHostSteps),
  Benchmark(name: "import", run: benchmarkImport),
  Benchmark(name: "replay", run: benchmarkReplay),
  Benchmark(name: "writers", run: benchmarkWriters),
  Benchmark(name: "follow", run: benchmarkFollow),
  Benchmark(name: "interrupt", run: benchmarkInterrupt),
  Benchmark(name: "export", run: benchmarkExport),
  Benchmark(name: "check", run: benchmarkCheck),
  Benchmark(name: "objects", run: benchmarkObjects),
  Benchmark(name: "ship", run: benchmarkShip),
  Benchmark(name: "merge", run: benchmarkMerge),
]
