// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceTesting
import ProbeCore

/// Ends at every point of a life, in virtual time: what an end costs, and how long ten thousand take.
func benchmarkExplore(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let rounds = size == .small ? 2 : 220
  let text = """
    app: probe
    steps:
    - launch
    - repeat: {times: \(rounds), steps: [{touch: save}, {wait: 1s}]}
    - home
    - suspend
    """
  let scenario = try Scenario(parsing: text, file: "benchmark.yml")
  let start = now()
  let found = try MainActor.assumeIsolated {
    try explore(scenario, ends: AppEnd.allCases) { ProbeDelegate() }
  }
  let taken = Double(now() - start)
  let each = taken / Double(max(1, found.playedCount))
  return [
    BenchmarkRow(
      "virtual ends a second, of a life of \(found.endCount)",
      "\(fixed(1e9 / each, 0))",
      peer: "\(found.playedCount) in \(fixed(taken / 1e9, 1)) s",
      target: "10,000 in 60 s",
      reached: each <= 6e6
    )
  ]
}
