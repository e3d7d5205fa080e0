// SPDX-License-Identifier: Apache-2.0

/// One benchmark: a name for the command line, and what it measures.
struct Benchmark {
  var name: String
  /// Hands each few rows out as soon as they are measured.
  var run: (BenchmarkSize, (BenchmarkRow) -> Void) throws -> Void

  /// One that has all its rows at its end.
  init(name: String, run: @escaping (BenchmarkSize) throws -> [BenchmarkRow]) {
    self.init(name: name, running: { size, show in try run(size).forEach(show) })
  }

  /// One that takes long, and shows what it has so far.
  init(name: String, running: @escaping (BenchmarkSize, (BenchmarkRow) -> Void) throws -> Void) {
    self.name = name
    run = running
  }
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
  Benchmark(name: "writers", running: benchmarkWriters),
  Benchmark(name: "follow", run: benchmarkFollow),
  Benchmark(name: "interrupt", run: benchmarkInterrupt),
  Benchmark(name: "export", run: benchmarkExport),
  Benchmark(name: "check", run: benchmarkCheck),
  Benchmark(name: "objects", run: benchmarkObjects),
  Benchmark(name: "ship", run: benchmarkShip),
  Benchmark(name: "merge", run: benchmarkMerge),
]
